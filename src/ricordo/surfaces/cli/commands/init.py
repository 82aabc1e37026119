"""`ricordo init`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ricordo.errors import AlreadyExists, InvalidSettings
from ricordo.surfaces.cli.invocation import CONFIG_VARIABLE, Call, command, single

app = single()

DEFAULT_FILE = Path("ricordo.yaml")


@command(
    app,
    "init",
    example="ricordo init\nricordo init team.yaml --path team.db --workspace team --language it",
)
def init(
    call: Call,
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="The YAML file that is written.")
    ] = DEFAULT_FILE,
    force: Annotated[
        bool, typer.Option("--force", help="Write over a file that is there.", show_default=False)
    ] = False,
) -> None:
    """Make an archive and a file with every setting.

    The archive and its workspace are made where they are not there. The YAML file explains every
    setting: those given here or in the environment are set in it, the rest are comments. Commands
    read it with --config FILE or when RICORDO_CONFIG names it.
    """
    from ricordo.settings import load_settings, refuse_credentials
    from ricordo.surfaces.cli.rendering.records import show_record
    from ricordo.surfaces.cli.settings_file import settings_yaml

    if file.exists() and not force:
        raise AlreadyExists(f"The file {file} is there already.", cure="Add --force to write over it.")
    settings = call.settings() if call.given.config else load_settings(given=call.named())
    settings = settings.model_copy(update={"path": settings.path.expanduser().absolute()})
    refuse_credentials(settings.model_dump(mode="json", exclude_unset=True), "a settings file")
    with call.memory(writes=True, settings=settings) as memory:
        name, language = memory.workspace.name, str(memory.workspace.language)
    try:
        file.write_text(settings_yaml(settings), encoding="utf-8")
    except OSError as error:
        raise InvalidSettings(
            f"The file {file} cannot be written ({error.strerror}).", cure="Name another file."
        ) from error
    answer = {
        "config": str(file.absolute()),
        "path": str(settings.path),
        "workspace": name,
        "language": language,
        "next": f"export {CONFIG_VARIABLE}={file.absolute()}",
    }
    call.screen.answer(answer, show_record)
