"""The skeleton of a query: its shape, with the names and values of one database taken away."""

from __future__ import annotations

import re

HOLE = "_"
"""Stands for a name or a value."""

_TOKEN = re.compile(
    r"(?P<comment>--[^\n]*|/\*.*?\*/)"
    r"|(?P<value>'(?:[^']|'')*'|\d+(?:\.\d+)?)"
    r"|(?P<name>(?:\w+|\"[^\"]*\"|`[^`]*`|\[[^\]]*\])(?:\s*\.\s*(?:\w+|\"[^\"]*\"|`[^`]*`|\[[^\]]*\]|\*))*)"
    r"|(?P<sign><=|>=|<>|!=|==|\|\||[^\s;])",
    re.DOTALL,
)

KEYWORDS = frozenset(
    "ALL AND AS ASC BETWEEN BY CASE CROSS CURRENT DESC DISTINCT ELSE END EXCEPT EXISTS FOLLOWING FROM FULL"
    " GROUP HAVING IN INTERSECT IS JOIN LEFT LIKE LIMIT NATURAL NOT NULL OFFSET ON OR ORDER OUTER OVER"
    " PARTITION PRECEDING RIGHT ROW ROWS SELECT THEN UNBOUNDED UNION USING WHEN WHERE WITH".split()
)
"""Words of SQL that make a shape. INNER and ASC are left out: they say what holds without them."""

_SILENT = frozenset({"INNER", "ASC"})
_SAME = {"!=": "<>", "==": "="}


def skeleton(sql: str) -> str:
    """The skeleton of a query.

    1. Comments, semicolons, INNER and ASC are dropped; `!=` is `<>` and `==` is `=`.
    2. Keywords and the names of functions (a word before an opening bracket) stay, in capitals.
    3. Every string, number, table, column and alias is `_`, however it is quoted or qualified.
    4. A name given with AS is dropped, and so is the type in a CAST; of two `_` side by side, where
       the second is an alias, one stays.
    5. A list of `_` is one `_`: how many columns or values there are is no part of the shape.
    """
    tokens = [match for match in _TOKEN.finditer(sql) if match.lastgroup != "comment"]
    words: list[str] = []
    given = False
    for place, match in enumerate(tokens):
        following = tokens[place + 1].group() if place + 1 < len(tokens) else ""
        word = _word(match, following)
        if word in _SILENT or (given and word == HOLE):
            given = False
            continue
        given = word == "AS" and following != "("
        if given or (word == HOLE and words[-1:] == [HOLE]):
            continue
        if word == HOLE and words[-2:] == [HOLE, ","]:
            words.pop()
            continue
        words.append(_SAME.get(word, word))
    return " ".join(words)


def _word(match: re.Match[str], following: str) -> str:
    text = match.group()
    if match.lastgroup == "sign":
        return text
    if match.lastgroup == "value" or not text.isidentifier():
        return HOLE
    upper = text.upper()
    return upper if upper in KEYWORDS or upper in _SILENT or following == "(" else HOLE
