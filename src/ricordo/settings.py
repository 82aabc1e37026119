"""One table of settings: names, defaults, meaning, and where a value may come from.

A value given to `Memory.open` wins over the environment (`RICORDO_<NAME>`),
which wins over a YAML file, which wins over the default. Secrets come from
files, never from the YAML.
"""

from __future__ import annotations

import difflib
import os
from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path
from typing import Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from ricordo.credentials import credential_in, names_a_credential
from ricordo.errors import InvalidSettings
from ricordo.records.physical import Physical
from ricordo.records.workspace import Language

ENVIRONMENT_PREFIX = "RICORDO_"

CREDENTIALS_CURE = (
    "Put the key alone into a file that only you can read, and name that file in 'embedder_key_file'."
)


class EmbedderChoice(StrEnum):
    """Which embedding model is used."""

    AUTO = "auto"
    BUNDLED = "bundled"
    HTTP = "http"
    FASTEMBED = "fastembed"
    HASHING = "hashing"
    NONE = "none"


def default_path() -> Path:
    """The archive in the user's data folder."""
    import platformdirs

    return Path(platformdirs.user_data_dir("ricordo", appauthor=False)) / "memory.db"


class Settings(BaseModel):
    """Every setting; the field's description is its documentation."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    path: Path = Field(
        default_factory=default_path, description="The archive's file; by default in your data folder."
    )
    workspace: str = Field(
        default="default", min_length=1, max_length=200, description="The workspace that is used."
    )
    language: Language = Field(
        default=Language.ENGLISH,
        description="Language (en or it) of a new workspace: what a text is taken for where it is not clear.",
    )
    durability: Literal["full", "process"] = Field(
        default="full",
        description="full: a save survives a power cut; process: it survives the death of the program only, "
        "and is several times faster on slow disks.",
    )
    embedder: EmbedderChoice = Field(
        default=EmbedderChoice.AUTO,
        description="auto (bundled where installed, else none), bundled, http, fastembed, none; hashing is "
        "for tests.",
    )
    embedder_url: str | None = Field(
        default=None, description="Address of an OpenAI-compatible server, e.g. http://localhost:11434/v1."
    )
    embedder_model: str | None = Field(default=None, description="Name of the model there.")
    embedder_passage_prefix: str = Field(
        default="",
        max_length=200,
        description="What the server's model wants before each stored text, with its blank, e.g. 'passage: ' "
        "for e5. Another one makes other vectors: after a change, run `ricordo index`.",
    )
    embedder_question_prefix: str = Field(
        default="",
        max_length=200,
        description="What the server's model wants before each question, e.g. 'query: ' for e5.",
    )
    embedder_dimension: int | None = Field(
        default=None, gt=0, description="Length of its vectors, where the server should be held to it."
    )
    embedder_key_file: Path | None = Field(default=None, description="File that holds the server's key.")
    embedder_timeout_s: float = Field(
        default=30.0, gt=0, le=3600, allow_inf_nan=False, description="Seconds to wait for one answer."
    )
    embedder_save_timeout_s: float = Field(
        default=3.0,
        gt=0,
        le=3600,
        allow_inf_nan=False,
        description="Seconds that a save waits for a server's vectors, in one attempt; after that they are "
        "made in the background.",
    )
    embedder_save_pause_s: float = Field(
        default=15.0,
        ge=0,
        le=3600,
        allow_inf_nan=False,
        description="Seconds after such a failure in which saves do not ask the model at all.",
    )
    embedder_batch: int = Field(default=64, gt=0, le=2048, description="Texts of one request.")
    database: str | None = Field(
        default=None,
        min_length=1,
        max_length=512,
        description="Database that this memory is bound to: filters of cards cannot leave it.",
    )
    database_schema: str | None = Field(
        default=None,
        min_length=1,
        max_length=512,
        description="Schema of that database that it is bound to.",
    )
    host: str = Field(default="127.0.0.1", description="Address that `ricordo serve` listens on.")
    port: int = Field(default=8765, ge=0, le=65535, description="Port that `ricordo serve` listens on.")
    max_request_bytes: int = Field(
        default=64 * 1024 * 1024, gt=0, description="Largest body of one HTTP request."
    )

    @property
    def bound_place(self) -> Physical:
        """The database and schema that filters of cards cannot leave."""
        return Physical(database=self.database, schema=self.database_schema)

    @model_validator(mode="after")
    def _check_binding(self) -> Self:
        if self.database_schema is not None and self.database is None:
            raise ValueError("'database_schema' needs 'database'")
        return self


def load_settings(
    *,
    given: Mapping[str, Any] | None = None,
    file: Path | None = None,
    environment: Mapping[str, str] | None = None,
) -> Settings:
    """Bring the sources together.

    Args:
        given: Values that win; those that are None are as if not given.
        file: A YAML file.
        environment: Where `RICORDO_<NAME>` is looked up; the process's own if omitted.

    Raises:
        InvalidSettings: An unknown name, with the nearest known one, a value that cannot be used, or
            a credential in the file.
    """
    values: dict[str, Any] = {} if file is None else _read(file)
    refuse_credentials(values, f"the file {file}")
    surroundings = os.environ if environment is None else environment
    for name in Settings.model_fields:
        value = surroundings.get(ENVIRONMENT_PREFIX + name.upper())
        if value:
            values[name] = value
    values.update({name: value for name, value in (given or {}).items() if value is not None})
    _check_names(values)
    try:
        return Settings.model_validate(values)
    except ValidationError as error:
        first = error.errors()[0]
        name = str(first["loc"][0]) if first["loc"] else "settings"
        raise InvalidSettings(
            f"The setting '{name}' cannot be {values.get(name)!r}: {first['msg']}.", field=name
        ) from error


def refuse_credentials(values: Mapping[str, Any], where: str) -> None:
    """Refuse credentials among settings that stand in a file.

    Args:
        values: Settings by name.
        where: For the error: what they stand in.

    Raises:
        InvalidSettings: There is one; the message does not repeat it.
    """
    for name, value in values.items():
        found = credential_in(value)
        if found is None and name not in Settings.model_fields and names_a_credential(name):
            found = "a key"
        if found is not None:
            raise InvalidSettings(
                f"The setting '{name}' holds {found}, which does not belong in {where}.",
                cure=CREDENTIALS_CURE,
                field=name,
            )


def _check_names(values: Mapping[str, Any]) -> None:
    for name in values:
        if name not in Settings.model_fields:
            near = difflib.get_close_matches(str(name), list(Settings.model_fields), n=1)
            hint = f"Did you mean '{near[0]}'?" if near else "`ricordo init` writes a file with all settings."
            raise InvalidSettings(f"There is no setting '{name}'.", cure=hint, field=str(name))


def _read(file: Path) -> dict[str, Any]:
    import yaml

    try:
        values = yaml.safe_load(file.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidSettings(f"The file {file} cannot be read ({error}).") from error
    except yaml.YAMLError as error:
        raise InvalidSettings(f"The file {file} is no valid YAML: {_trouble(error)}.") from error
    if values is None:
        return {}
    if not isinstance(values, dict):
        raise InvalidSettings(f"The file {file} must hold `name: value` lines.")
    return {str(name): value for name, value in values.items()}


def _trouble(error: Any) -> str:
    """What is wrong with a YAML file and where, without a piece of the file: it may hold a secret."""
    mark = getattr(error, "problem_mark", None)
    problem = getattr(error, "problem", None) or "it cannot be parsed"
    return problem if mark is None else f"{problem}, in line {mark.line + 1}"
