"""`ricordo episodes`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from ricordo.errors import InvalidInput
from ricordo.surfaces.cli import shared_options
from ricordo.surfaces.cli.input import changes, json_object, read_records, typed_or_none
from ricordo.surfaces.cli.invocation import Call, command, group
from ricordo.surfaces.cli.times import moment

if TYPE_CHECKING:
    from ricordo.memory import Memory

app = group(
    "episodes",
    "What was said, turn by turn.",
    example="ricordo episodes list --session standup-12",
)

EpisodeId = Annotated[str, typer.Argument(metavar="EPISODE", help="Its id.")]
User = Annotated[
    str | None, typer.Option("--user", metavar="TEXT", help="What the user said; '-' reads stdin.")
]
Assistant = Annotated[
    str | None, typer.Option("--assistant", metavar="TEXT", help="What the assistant said; '-' reads stdin.")
]
Speaker = Annotated[
    str | None, typer.Option("--speaker", metavar="NAME", help="Who spoke, where it is not just the user.")
]
At = Annotated[
    str | None, typer.Option("--at", metavar="TIME", help=f"When it was said ({shared_options.TIME}).")
]
UserTokens = Annotated[
    int | None, typer.Option("--user-tokens", metavar="N", help="Tokens of the user's message.")
]
AssistantTokens = Annotated[
    int | None, typer.Option("--assistant-tokens", metavar="N", help="Tokens of the assistant's message.")
]


@command(
    app,
    "add",
    example="ricordo episodes add standup-12 'I will fix the login today.' --speaker Ada\n"
    "ricordo episodes add chat-7 --user 'Which port?' --assistant '8765.' --at 2025-03-01T10:00\n"
    'echo \'{"user_message": "Ciao!"}\' | ricordo episodes add chat-7 --data -',
)
def add_episode(
    call: Call,
    session: Annotated[
        str, typer.Argument(metavar="SESSION", help="Its id or external id; a new external id makes one.")
    ],
    text: Annotated[
        str | None, typer.Argument(metavar="TEXT", help="What was said, as --user; '-' reads stdin.")
    ] = None,
    user: User = None,
    assistant: Assistant = None,
    speaker: Speaker = None,
    at: At = None,
    external_id: Annotated[
        str | None,
        typer.Option("--external-id", metavar="ID", help="Your own id; added again, it changes nothing."),
    ] = None,
    metadata: shared_options.Metadata = None,
    user_tokens: UserTokens = None,
    assistant_tokens: AssistantTokens = None,
    data: shared_options.Data = None,
    defer: shared_options.Defer = False,
) -> None:
    """Add what was said at the end of a session.

    One turn or exchange; with --data one or many, all or none.
    """
    if text is not None and user is not None:
        raise InvalidInput("TEXT and --user are the same: give one.", field="--user")
    fields = {
        "user_message": typed_or_none(text if user is None else user),
        "assistant_message": typed_or_none(assistant),
        "speaker": speaker,
        "occurred_at": moment("--at", at),
        "external_id": external_id,
        "metadata": json_object("--metadata", metadata),
        "user_tokens": user_tokens,
        "assistant_tokens": assistant_tokens,
    }
    given = {name: value for name, value in fields.items() if value is not None}
    read = None if data is None else read_records(data)
    if read is not None and given:
        raise InvalidInput("With --data, everything about an episode stands in the data.", field="--data")
    with call.memory(writes=True) as memory:
        _add(call, memory, session, given if read is None else read, defer=defer)


def _add(call: Call, memory: Memory, session: str, episodes: Any, *, defer: bool) -> None:
    from ricordo.surfaces.cli.drain import answer_many
    from ricordo.surfaces.cli.rendering.records import show_receipt

    if isinstance(episodes, list):
        request = {"session": session, "episodes": episodes, "defer": defer}
        answer_many(
            call.screen, memory, lambda: call.ask(memory, "add_episodes", **request).receipts, defer=defer
        )
    else:
        receipt = call.ask(memory, "add_episode", **{**episodes, "session": session, "defer": defer})
        call.screen.answer(receipt, show_receipt)


@command(app, "list", example="ricordo episodes list --session standup-12 --speaker Ada --since 2025-03-01")
def list_episodes(
    call: Call,
    session: shared_options.Session = None,
    project: shared_options.Project = None,
    speaker: shared_options.Speaker = None,
    since: shared_options.Since = None,
    until: shared_options.Until = None,
    limit: shared_options.Limit = 50,
    cursor: shared_options.Cursor = None,
) -> None:
    """List episodes in the order in which they were added."""
    period = {"since": moment("--since", since), "until": moment("--until", until)}
    filters = {"session": session, "project": project, "speaker": speaker, **period}
    with call.memory() as memory:
        page = call.ask(memory, "list_episodes", limit=limit, cursor=cursor, **filters)
    from ricordo.surfaces.cli.rendering.records import show_episodes

    call.screen.answer(page, show_episodes)


@command(app, "show", example="ricordo episodes show episode-0195d2b0-4c1e-7a52-9d0f-3b8a6c2e1f47")
def show_episode(call: Call, episode_id: EpisodeId) -> None:
    """Show one episode."""
    with call.memory() as memory:
        found = call.ask(memory, "get_episode", episode_id=episode_id)
    from ricordo.surfaces.cli.rendering.records import show_record

    call.screen.answer(found, show_record)


@command(
    app,
    "update",
    example="ricordo episodes update episode-0195d2b0-4c1e-7a52-9d0f-3b8a6c2e1f47 --user 'Port 8766.'"
    " --revision 1 --reason 'misheard'",
)
def update_episode(
    call: Call,
    episode_id: EpisodeId,
    user: User = None,
    assistant: Assistant = None,
    speaker: Speaker = None,
    at: At = None,
    metadata: shared_options.Metadata = None,
    user_tokens: UserTokens = None,
    assistant_tokens: AssistantTokens = None,
    clear: shared_options.Clear = None,
    data: shared_options.Changes = None,
    revision: shared_options.Revision = None,
    reason: shared_options.Reason = None,
) -> None:
    """Change named fields of an episode; the others stay."""
    given = {
        "user_message": typed_or_none(user),
        "assistant_message": typed_or_none(assistant),
        "speaker": speaker,
        "occurred_at": moment("--at", at),
        "metadata": json_object("--metadata", metadata),
        "user_tokens": user_tokens,
        "assistant_tokens": assistant_tokens,
    }
    named = changes(given, clear=clear, data=data)
    with call.memory() as memory:
        receipt = call.ask(
            memory, "update_episode", episode_id=episode_id, changes=named, revision=revision, reason=reason
        )
    from ricordo.surfaces.cli.rendering.records import show_receipt

    call.screen.answer(receipt, show_receipt)


@command(app, "delete", example="ricordo episodes delete episode-0195d2b0-4c1e-7a52-9d0f-3b8a6c2e1f47 --yes")
def delete_episode(call: Call, episode_id: EpisodeId, yes: shared_options.Yes = False) -> None:
    """Delete an episode."""
    with call.memory() as memory:
        found = call.ask(memory, "get_episode", episode_id=episode_id)
        call.screen.confirm(f"Delete the episode '{found.text[:80]}'?", yes=yes)
        removal = call.ask(memory, "delete_episode", episode_id=episode_id)
    from ricordo.surfaces.cli.rendering.records import show_removal

    call.screen.answer(removal, show_removal)


@command(app, "history", example="ricordo episodes history episode-0195d2b0-4c1e-7a52-9d0f-3b8a6c2e1f47")
def episode_history(
    call: Call, episode_id: EpisodeId, limit: shared_options.Limit = 50, cursor: shared_options.Cursor = None
) -> None:
    """Show the revisions of an episode, newest first.

    Also those of a deleted one.
    """
    with call.memory() as memory:
        page = call.ask(memory, "episode_history", episode_id=episode_id, limit=limit, cursor=cursor)
    from ricordo.surfaces.cli.rendering.records import show_history

    call.screen.answer(page, show_history)
