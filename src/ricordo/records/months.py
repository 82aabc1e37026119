"""Names of the months, in lower case, January first."""

from __future__ import annotations

ENGLISH_MONTHS = tuple(
    "january february march april may june july august september october november december".split()
)
ITALIAN_MONTHS = tuple(
    "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre".split()
)
