"""`ricordo sessions`."""

from __future__ import annotations

from typing import Annotated

import typer

from ricordo.surfaces.cli import shared_options
from ricordo.surfaces.cli.input import changes, json_object
from ricordo.surfaces.cli.invocation import Call, command, group

app = group(
    "sessions",
    "Conversations and runs that episodes belong to.",
    example="ricordo sessions list --project website",
)

Session = Annotated[str, typer.Argument(metavar="SESSION", help="Its id or external id.")]
Name = Annotated[str | None, typer.Option("--name", metavar="TEXT", help="For people.")]
Project = Annotated[str | None, typer.Option("--project", metavar="NAME", help="What it belongs to.")]


@command(app, "list", example="ricordo sessions list --project website --limit 20")
def list_sessions(
    call: Call,
    project: shared_options.Project = None,
    limit: shared_options.Limit = 50,
    cursor: shared_options.Cursor = None,
) -> None:
    """List sessions, oldest first."""
    with call.memory() as memory:
        page = call.ask(memory, "list_sessions", project=project, limit=limit, cursor=cursor)
    from ricordo.surfaces.cli.rendering.records import show_sessions

    call.screen.answer(page, show_sessions)


@command(app, "show", example="ricordo sessions show standup-12")
def show_session(call: Call, session: Session) -> None:
    """Show one session."""
    with call.memory() as memory:
        found = call.ask(memory, "get_session", session=session)
    from ricordo.surfaces.cli.rendering.records import show_record

    call.screen.answer(found, show_record)


@command(app, "create", example="ricordo sessions create standup-12 --name 'Stand-up' --project website")
def create_session(
    call: Call,
    external_id: Annotated[
        str | None, typer.Argument(metavar="EXTERNAL_ID", help="Your own id, unique in the workspace.")
    ] = None,
    name: Name = None,
    project: Project = None,
    metadata: shared_options.Metadata = None,
) -> None:
    """Make a session that episodes can be added to."""
    fields = {"external_id": external_id, "name": name, "project": project}
    own = json_object("--metadata", metadata)
    with call.memory(writes=True) as memory:
        receipt = call.ask(memory, "create_session", **fields, metadata=own)
    from ricordo.surfaces.cli.rendering.records import show_receipt

    call.screen.answer(receipt, show_receipt)


@command(
    app,
    "update",
    example="ricordo sessions update standup-12 --name 'Stand-up of Monday' --revision 1\n"
    "ricordo sessions update standup-12 --clear project",
)
def update_session(
    call: Call,
    session: Session,
    external_id: Annotated[
        str | None, typer.Option("--external-id", metavar="ID", help="Your own id, unique in the workspace.")
    ] = None,
    name: Name = None,
    project: Project = None,
    metadata: shared_options.Metadata = None,
    clear: shared_options.Clear = None,
    data: shared_options.Changes = None,
    revision: shared_options.Revision = None,
    reason: shared_options.Reason = None,
) -> None:
    """Change named fields of a session; the others stay."""
    given = {"external_id": external_id, "name": name, "project": project}
    named = changes({**given, "metadata": json_object("--metadata", metadata)}, clear=clear, data=data)
    with call.memory() as memory:
        receipt = call.ask(
            memory, "update_session", session=session, changes=named, revision=revision, reason=reason
        )
    from ricordo.surfaces.cli.rendering.records import show_receipt

    call.screen.answer(receipt, show_receipt)


@command(app, "delete", example="ricordo sessions delete standup-12 --yes")
def delete_session(call: Call, session: Session, yes: shared_options.Yes = False) -> None:
    """Delete a session with all of its episodes."""
    with call.memory() as memory:
        found = call.ask(memory, "get_session", session=session)
        name = found.external_id or found.id
        call.screen.confirm(f"Delete session '{name}' with its {found.episode_count} episodes?", yes=yes)
        removal = call.ask(memory, "delete_session", session=found.id)
    from ricordo.surfaces.cli.rendering.records import show_removal

    call.screen.answer(removal, show_removal)


@command(app, "history", example="ricordo sessions history standup-12")
def session_history(
    call: Call, session: Session, limit: shared_options.Limit = 50, cursor: shared_options.Cursor = None
) -> None:
    """Show the revisions of a session, newest first.

    Also those of a deleted one, by its id.
    """
    with call.memory() as memory:
        page = call.ask(memory, "session_history", session=session, limit=limit, cursor=cursor)
    from ricordo.surfaces.cli.rendering.records import show_history

    call.screen.answer(page, show_history)
