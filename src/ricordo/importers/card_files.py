"""Cards to and from files of JSON lines."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

from ricordo.engine.stopping import Stop, never
from ricordo.errors import AlreadyExists, UnreadableFile
from ricordo.importers.source import Source
from ricordo.memory import Memory
from ricordo.records.card_copy import CardImport, LeftOutLine
from ricordo.records.principal import Permission

Progress = Callable[[int, int], None]
"""Called with what is done and what there is in all."""

TOLD = 100
"""Cards between two reports of progress."""


def import_cards(
    memory: Memory,
    path: Path,
    *,
    replace: bool = False,
    progress: Progress | None = None,
    stop: Stop = never,
) -> CardImport:
    """Bring cards in from a file; see `Cards.import_lines`.

    Args:
        memory: Where they go.
        path: The file, plain or gzip.
        replace: Settle conflicts in favour of the file.
        progress: Told the bytes of the file.
        stop: Asked at each line.

    Raises:
        UnreadableFile: The file cannot be read.
    """
    with Source(Path(path)) as source:

        def heard(_: int) -> None:
            if progress is not None:
                progress(source.done_bytes, source.size_bytes)

        lines = (line.text for line in source.lines())
        report = memory.cards.import_lines(lines, replace=replace, progress=heard, stop=stop)
        if progress is not None and not report.stopped:
            progress(source.size_bytes, source.size_bytes)
        return _with_damage(report, source)


def _with_damage(report: CardImport, source: Source) -> CardImport:
    """The report, with what was wrong with the file itself in front."""
    found = []
    if source.cut and not report.stopped:
        reason = "the compressed data breaks off or is damaged; the rest is missing"
        found.append(LeftOutLine(place="the end", reason=reason))
    if source.damaged:
        reason = f"{source.damaged} damaged signs were replaced by U+FFFD"
        found.append(LeftOutLine(place="the text", reason=reason))
    if not found:
        return report
    return report.model_copy(update={"left_out": (*found, *report.left_out)})


def export_cards(
    memory: Memory, path: Path, *, force: bool = False, progress: Progress | None = None, stop: Stop = never
) -> int:
    """Write every card to a file, a line of JSON each; answers how many.

    The file is there when it is whole; only its owner may read it.

    Args:
        memory: Whose cards.
        path: The file.
        force: Write over a file that is there.
        progress: Told the number of cards.
        stop: Asked at each card; true leaves the file as it was.

    Raises:
        AlreadyExists: It is there, and `force` was not given.
        UnreadableFile: It cannot be written.
    """
    memory.principal.require(Permission.MANAGE)
    path = Path(path)
    if path.exists() and not force:
        raise AlreadyExists(f"The file {path} is there already.", cure="Name another, or force it.")
    part = path.with_name(f"{path.name}.{os.getpid()}.part")
    try:
        with _private(part) as file:
            count = write_cards(memory, file, progress=progress, stop=stop)
            file.flush()
            os.fsync(file.fileno())
        if not stop():
            part.replace(path)
        return count
    except OSError as error:
        raise UnreadableFile(
            f"The file {path} cannot be written ({error.strerror or error}).", cure="Name another file."
        ) from error
    finally:
        with suppress(OSError):
            part.unlink(missing_ok=True)


def _private(path: Path) -> BinaryIO:
    return os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb")


def write_cards(
    memory: Memory, file: BinaryIO, *, progress: Progress | None = None, stop: Stop = never
) -> int:
    """Write every card to an open file; answers how many."""
    total = memory.cards.list(limit=1).total if progress is not None else 0
    count = 0
    for line in _until(memory.cards.export(), stop):
        file.write(line.encode("utf-8") + b"\n")
        count += 1
        if progress is not None and count % TOLD == 0:
            progress(min(count, total), total)
    if progress is not None:
        progress(count, max(count, total))
    return count


def _until(lines: Iterator[str], stop: Stop) -> Iterator[str]:
    for line in lines:
        if stop():
            return
        yield line
