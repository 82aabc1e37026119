"""`ricordo doctor`."""

from __future__ import annotations

import typer

from ricordo.errors import ArchiveError
from ricordo.surfaces.cli.invocation import Call, command, single

app = single()


@command(app, "doctor", example="ricordo doctor\nricordo doctor --json | jq '.checks[] | select(.ok | not)'")
def doctor(call: Call) -> None:
    """Check archive, index, embedder, pending work, versions.

    The exit code is 1 where something is not well; each finding says what to do.
    """
    from ricordo.records.upkeep import Check, Diagnosis
    from ricordo.surfaces.cli.rendering.upkeep import show_diagnosis

    settings = call.settings()
    try:
        with call.memory(settings=settings) as memory:
            diagnosis = call.ask(memory, "diagnose")
    except ArchiveError as error:
        # An archive that cannot be opened is what a doctor is called for.
        found = Check(name="archive", ok=False, message=str(error))
        diagnosis = Diagnosis(healthy=False, checks=(found,))
    call.screen.answer(diagnosis, show_diagnosis)
    if not diagnosis.healthy:
        raise typer.Exit(1)
