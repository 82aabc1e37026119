"""What stands in FTS5, and how it is asked for: tokens, keys, and conditions as parts of a statement.

The tokens are made by `ricordo.index.analysis`. FTS5's `ascii` tokenizer only
cuts them apart again: it takes every sign beyond ASCII as part of a token, and
signs within ASCII are stored as their full-width twins, which folding removes
from texts, so no token can be cut in two or be taken for syntax.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from ricordo.index.contract import Entry, Projection, Where
from ricordo.records.base import Kind

_FULLWIDTH = {code: chr(code + 0xFEE0) for code in range(0x21, 0x7F) if not chr(code).isalnum()}


def stored(token: str) -> str:
    """A token as FTS5 holds it."""
    return token if token.isalnum() and token.isascii() else token.translate(_FULLWIDTH)


def _joined(tokens: Iterable[str]) -> str:
    joined = " ".join(tokens)
    return joined.translate(_FULLWIDTH) if not joined.replace(" ", "").isalnum() else joined


@lru_cache(maxsize=16_384)
def _key(token: str) -> str:
    return stored(token)


@lru_cache(maxsize=16_384)
def _plain_key(word: str) -> str:
    return stored(f"={word}")


def quoted(token: str) -> str:
    """A token as a match asks for it."""
    return f'"{stored(token)}"'


def table_name(workspace_num: int, kind: Kind) -> str:
    """Name of the FTS5 table; made of a number and a member of a closed list."""
    return f"lexical_{int(workspace_num)}_{Kind(kind)}"


def _keys_text(projection: Projection) -> str:
    """The `keys` column of a projection."""
    return " ".join([*map(_key, projection.keys), *map(_plain_key, projection.plain)])


def entry_of(projection: Projection) -> Entry:
    """The row that a projection makes."""
    stamp = projection.stamp
    return Entry(
        num=stamp.num,
        revision=stamp.revision,
        format=projection.format,
        own=_joined(projection.own),
        context=_joined(projection.context),
        keys=_keys_text(projection),
        at=stamp.at,
        holds_from=stamp.holds_from,
        holds_until=stamp.holds_until,
    )


def key_terms(where: Where) -> list[str]:
    """Conditions on keys, as parts of a match."""
    groups = ["(" + " OR ".join(f"keys : {quoted(key)}" for key in group) + ")" for group in where.one_of]
    return [*(f"keys : {quoted(key)}" for key in where.keys), *groups]


def fulfils(entry: Entry, where: Where) -> bool:
    """Whether an entry that was read fulfils the conditions."""
    held = set(entry.keys.split())
    return (
        all(stored(key) in held for key in where.keys)
        and all(any(stored(key) in held for key in group) for group in where.one_of)
        and entry.num not in where.without
        and (where.since is None or entry.at >= where.since)
        and (where.until is None or entry.at < where.until)
        and (where.as_of is None or entry.holds_from <= where.as_of < entry.holds_until)
    )


def bounds_of(where: Where) -> tuple[str, list[int]]:
    """Conditions on times and numbers, to follow a match, with their values."""
    parts: list[str] = []
    values: list[int] = []
    for condition, value in (("at >= ?", where.since), ("at < ?", where.until)):
        if value is not None:
            parts.append(condition)
            values.append(value)
    if where.as_of is not None:
        parts.append("holds_from <= ? AND holds_until > ?")
        values += [where.as_of, where.as_of]
    if where.without:
        parts.append(f"rowid NOT IN ({','.join(str(int(num)) for num in where.without)})")
    return "".join(f" AND {part}" for part in parts), values
