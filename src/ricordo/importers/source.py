"""A file as a stream of text: compression and encoding are found out, memory is bounded."""

from __future__ import annotations

import codecs
import gzip
import io
import stat
import zlib
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO, NamedTuple, Self

from ricordo.errors import UnreadableFile

CHUNK_BYTES = 1 << 20

MAX_LINE_CHARS = 32 * 1024 * 1024
"""Longest line that is held; a longer one is left out."""

_BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig", "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16", "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16", "utf-16"),
)


class Line(NamedTuple):
    """A line without its end; `text` is None where the line is too long to be held."""

    number: int
    text: str | None


class Source:
    """A text file, plain or gzip, that can be read from its beginning any number of times.

    Attributes:
        path: The file.
        size_bytes: Its size as it lies on the disk.
        encoding: Name of its encoding: UTF-8 or UTF-16 where a mark says so, else UTF-8 where
            it is valid or nearly, else cp1252.
        damaged: Signs that are not valid in the encoding and are read as U+FFFD.
        cut: A reading has found that the compressed data breaks off.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.cut = False
        self._file = _opened(path)
        self.size_bytes = path.stat().st_size
        try:
            self._packed = self._file.read(2) == b"\x1f\x8b"
            self._codec, self.encoding, self.damaged = self._decide()
        except BaseException:  # closes the file, then lets it pass
            self._file.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()

    @property
    def done_bytes(self) -> int:
        """How far the file has been read."""
        return min(self._file.tell(), self.size_bytes)

    @property
    def stem(self) -> str:
        """The file's name without its endings."""
        name = self.path.name
        for ending in (".gz", ".jsonl", ".ndjson", ".json", ".txt", ".md", ".log"):
            name = name.removesuffix(ending)
        return name or self.path.name

    def _bytes(self) -> BinaryIO:
        """The file's content from its beginning."""
        self._file.seek(0)
        plain: Any = gzip.GzipFile(fileobj=self._file) if self._packed else self._file
        return io.BufferedReader(_Forgiving(self, plain), CHUNK_BYTES)

    def _decide(self) -> tuple[str, str, int]:
        """Codec, its name for people, and how much of the file is not valid in it."""
        data = self._bytes()
        head = data.peek(4)  # type: ignore[attr-defined]
        marked = next((found for found in _BOMS if head.startswith(found[0])), None)
        if marked is not None:
            _, codec, name = marked
            return codec, name, _damage(data, codec)
        decoder = codecs.getincrementaldecoder("utf-8")("replace")
        good = bad = 0
        while chunk := data.read(CHUNK_BYTES):
            if chunk.isascii() and not decoder.getstate()[0]:
                continue
            text = decoder.decode(chunk)
            wrong = text.count("\ufffd")
            good += len(text) - len(text.encode("ascii", "ignore")) - wrong
            bad += max(0, wrong - chunk.count(b"\xef\xbf\xbd"))
        # A few wrong bytes among many valid signs are damage; else it is no UTF-8 at all.
        return ("cp1252", "cp1252", 0) if bad > good else ("utf-8", "utf-8", bad)

    def text(self) -> io.TextIOWrapper:
        """The whole text from its beginning."""
        return io.TextIOWrapper(self._bytes(), encoding=self._codec, errors="replace")

    def head(self, chars: int) -> str:
        """The first signs of the text."""
        return self.text().read(chars)

    def lines(self) -> Iterator[Line]:
        """The lines, numbered from 1; ended by LF, CR LF or CR."""
        text = self.text()
        number = 0
        while line := text.readline(MAX_LINE_CHARS):
            number += 1
            whole = line.endswith("\n") or len(line) < MAX_LINE_CHARS
            while not whole and line:
                line = text.readline(CHUNK_BYTES)
                if line.endswith("\n"):
                    break
            yield Line(number, line.rstrip("\n") if whole else None)

    def utf8(self) -> Utf8:
        """The whole text from its beginning, as UTF-8 bytes for a parser."""
        return Utf8(self.text())


def _damage(data: BinaryIO, codec: str) -> int:
    """How many signs of a text are not valid in the encoding that its mark says."""
    replacing = codecs.getincrementaldecoder(codec)("replace")
    ignoring = codecs.getincrementaldecoder(codec)("ignore")
    wrong = 0
    while chunk := data.read(CHUNK_BYTES):
        wrong += _replaced(replacing, ignoring, chunk, final=False)
    return wrong + _replaced(replacing, ignoring, b"", final=True)


def _replaced(
    replacing: codecs.IncrementalDecoder, ignoring: codecs.IncrementalDecoder, chunk: bytes, *, final: bool
) -> int:
    return len(replacing.decode(chunk, final)) - len(ignoring.decode(chunk, final))


class Utf8:
    """A text read as UTF-8 bytes; NUL, which no parser takes, as its visible symbol."""

    def __init__(self, text: io.TextIOWrapper) -> None:
        self._text = text

    def read(self, count: int = -1) -> bytes:
        """The next bytes; empty at the end."""
        return self._text.read(count).replace("\x00", "\u2400").encode("utf-8")


class _Forgiving(io.RawIOBase):
    """Ends where compressed data breaks off, instead of failing."""

    def __init__(self, source: Source, inner: BinaryIO) -> None:
        self._source = source
        self._inner = inner

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        try:
            data = self._inner.read1(len(buffer))  # type: ignore[attr-defined]
        except (EOFError, zlib.error, gzip.BadGzipFile):
            self._source.cut = True
            return 0
        except OSError as error:
            raise _unreadable(self._source.path, error) from error
        buffer[: len(data)] = data
        return len(data)


def _opened(path: Path) -> BinaryIO:
    try:
        mode = path.stat().st_mode
        if not stat.S_ISREG(mode):
            raise UnreadableFile(f"{path} is not a file.", cure="Name one file, not a folder or a pipe.")
        return path.open("rb")
    except OSError as error:
        raise _unreadable(path, error) from error
    except ValueError as error:
        raise UnreadableFile("The path is not valid.", cure="Name a file.") from error


def _unreadable(path: Path, error: OSError) -> UnreadableFile:
    return UnreadableFile(
        f"The file {path} cannot be read ({error.strerror or error}).",
        cure="Check its name and that you may read it.",
    )
