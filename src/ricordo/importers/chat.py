"""Importing conversations from a file."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from ricordo.engine.stopping import Stop, never
from ricordo.errors import InvalidInput, UnreadableFile
from ricordo.importers.locomo import looks_like_locomo, read_locomo
from ricordo.importers.moments import zone_named
from ricordo.importers.openai import looks_like_openai, read_openai
from ricordo.importers.plain import looks_like_text, read_text
from ricordo.importers.report import ImportReport
from ricordo.importers.source import Source
from ricordo.importers.turns import Item, Skip, Wanted, safe_id
from ricordo.importers.writing import Batches, Tally, Trying, Writing
from ricordo.memory import Memory
from ricordo.records.principal import Permission

HEAD_CHARS = 4096

Progress = Callable[[int, int], None]
"""Called with the bytes of the file that are done and all there are."""


class Format(NamedTuple):
    """A kind of file.

    Attributes:
        name: As `format` names it.
        what: For people.
        fits: Whether a file is of this kind.
        read: Its turns.
    """

    name: str
    what: str
    fits: Callable[[Source], bool]
    read: Callable[[Source, Wanted], Iterator[Item]]


FORMATS: tuple[Format, ...] = (
    Format("openai", "OpenAI-style JSON lines", looks_like_openai, read_openai),
    Format("locomo", "LoCoMo-style JSON", looks_like_locomo, read_locomo),
    Format("text", "plain `speaker: text`", looks_like_text, read_text),
)


def import_chat(
    memory: Memory,
    path: Path,
    *,
    format: str | None = None,
    project: str | None = None,
    session: str | None = None,
    timezone: str = "UTC",
    dry_run: bool = False,
    progress: Progress | None = None,
    stop: Stop = never,
) -> ImportReport:
    """Import a file of conversations; importing it again adds only what is new.

    Args:
        memory: Where the turns go.
        path: The file, plain or gzip.
        format: `locomo`, `openai` or `text`; found out if omitted.
        project: Project of the sessions that are made; by default what the file says.
        session: External id of the session; by default what the file says, else its name.
        timezone: Where times without an offset were written down.
        dry_run: Say what would be done and change nothing.
        progress: For a progress bar.
        stop: Asked at each turn; true ends the import after writing what was read.

    Returns:
        What was found, added and left out. What is broken in the file costs no more than
        the line or turn that it stands in.

    Raises:
        UnreadableFile: The file cannot be read, or is of no known format.
        InvalidInput: The format or the time zone does not exist.
        ArchiveError: The archive failed; what was written before stays.
    """
    memory.principal.require(Permission.READ if dry_run else Permission.WRITE)
    wanted = Wanted(
        session=None if session is None else safe_id(session) or None,
        project=project,
        zone=zone_named(timezone),
    )
    chosen = None if format is None else _named(format)
    with Source(Path(path)) as source:
        chosen = chosen or _found(source)
        tally = Tally()
        batches = Batches(Trying(memory) if dry_run else Writing(memory), tally)
        stopped = _run(chosen.read(source, wanted), source, batches, tally, progress=progress, stop=stop)
        _note_damage(source, tally, stopped=stopped)
        return ImportReport(
            format=chosen.name,
            sessions=len(tally.sessions),
            episodes_read=tally.read,
            episodes_added=tally.added,
            episodes_known=tally.known,
            skipped=tuple(tally.skipped),
            skipped_count=tally.skipped_count,
            encoding=source.encoding,
            dry_run=dry_run,
            stopped=stopped,
        )


def _run(
    items: Iterator[Item],
    source: Source,
    batches: Batches,
    tally: Tally,
    *,
    progress: Progress | None,
    stop: Stop,
) -> bool:
    """Import every item; answers whether it was ended early."""
    stopped = False
    for item in items:
        if stop():
            stopped = True
            break
        if isinstance(item, Skip):
            tally.skip(item)
        elif batches.add(item) and progress is not None:
            progress(source.done_bytes, source.size_bytes)
    batches.flush()
    if progress is not None:
        progress(source.done_bytes if stopped else source.size_bytes, source.size_bytes)
    return stopped


def _note_damage(source: Source, tally: Tally, *, stopped: bool) -> None:
    if source.cut and not stopped:
        tally.skip(Skip("the end", "the compressed data breaks off or is damaged; the rest is missing"))
    if source.damaged:
        tally.skip(Skip("the text", f"{source.damaged} damaged signs were replaced by U+FFFD"))


def _known() -> str:
    return ", ".join(f"{item.name} ({item.what})" for item in FORMATS)


def _named(name: str) -> Format:
    for item in FORMATS:
        if item.name == name:
            return item
    raise InvalidInput(f"There is no format '{name}'.", cure=f"Use one of: {_known()}.", field="format")


def _found(source: Source) -> Format:
    """The format of a file, by its beginning.

    Raises:
        UnreadableFile: It is of none that is known.
    """
    head = source.head(HEAD_CHARS).strip()
    if not head:
        raise UnreadableFile(f"The file {source.path} is empty.", cure="Name another file.")
    for item in FORMATS:
        if item.name == "text" and head[0] in "[{" and _is_json(source.path):
            continue
        if item.fits(source):
            return item
    raise UnreadableFile(
        f"The file {source.path} is of no known format.",
        cure=f"Known formats: {_known()}. If it is one of them, name it with `format`.",
    )


def _is_json(path: Path) -> bool:
    """Whether the file's name says that it is JSON."""
    return path.name.lower().removesuffix(".gz").endswith((".json", ".jsonl", ".ndjson"))
