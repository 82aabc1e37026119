"""Dates and questions about time, in English and Italian, found without a model."""

from __future__ import annotations

import calendar
import math
import re
from collections.abc import Iterable
from datetime import date
from typing import NamedTuple

from ricordo.index.analysis import fold
from ricordo.records.months import ENGLISH_MONTHS, ITALIAN_MONTHS

_MONTHS = {name: place % 12 + 1 for place, name in enumerate(ENGLISH_MONTHS + ITALIAN_MONTHS)}
_ALSO_WORDS = frozenset({"may", "march"})
_BEFORE_MONTH = frozenset({"in", "during", "since", "by", "early", "late", "mid", "last", "of", "until"})
_ORDINAL = frozenset({"st", "nd", "rd", "th"})

GRACE_DAYS = 3
"""What happened in a named period is often told a few days later."""

FADE_DAYS = 15.0
"""Days after which a record later than the period counts 1/e."""

_ISO = re.compile(r"\b((?:19|20)\d\d)-(\d\d?)(?:-(\d\d?))?\b")
_WORD = re.compile(r"[^\W\d_]+|\d+")

_ASKS_WHEN = re.compile(
    r"^\W*(when|how long|since when|which (month|year|day|date)|what (month|year|day|date|time)"
    r"|(in|on) (which|what) (month|year|day|date)|how many (days|weeks|months|years)"
    r"|quando|da quanto|in (che|quale) (mese|anno|giorno)|quanti (giorni|mesi|anni)|quante settimane)\b"
)
_MONTH_WORDS = "|".join(sorted(_MONTHS.keys() - _ALSO_WORDS))
_TELLS_TIME = re.compile(
    r"\b(yesterday|today|tonight|tomorrow|ago|since|recently|this past"
    r"|(last|next|this) (night|week|weekend|month|year|summer|spring|fall|autumn|winter|morning|\w+day)"
    r"|(mon|tues|wednes|thurs|fri|satur|sun)day|(19|20)\d\d|for (a|two|three|\d+|few|over) \w+"
    r"|(a few|few|two|three|four|five|\d+) (days|weeks|months|years|weekends)"
    r"|ieri|oggi|domani|stasera|(scors|prossim)[oaie]|fa|da (due|tre|\d+) \w+"
    rf"|(lune|marte|mercole|giove|vener)di|sabato|domenica|{_MONTH_WORDS})\b"
)


class Period(NamedTuple):
    """A year, a month of it, or a day; what is None was not said."""

    year: int | None
    month: int | None
    day: int | None


def asks_when(question: str) -> bool:
    """Whether a question asks for a time."""
    return _ASKS_WHEN.search(fold(question)) is not None


def tells_time(text: str) -> bool:
    """Whether a text holds an expression of time."""
    return _TELLS_TIME.search(fold(text)) is not None


def periods(question: str) -> tuple[Period, ...]:
    """The dates that a question names: ISO ones, else months with day and year, else years."""
    folded = fold(question)
    iso = [
        Period(int(found[1]), int(found[2]), int(found[3]) if found[3] else None)
        for found in _ISO.finditer(folded)
        if 1 <= int(found[2]) <= 12
    ]
    if iso:
        return tuple(iso)
    words = _WORD.findall(folded)
    named = [_month_at(words, place) for place, word in enumerate(words) if word in _MONTHS]
    months = [period for period in named if period is not None]
    return tuple(months) or tuple(Period(int(word), None, None) for word in words if _is_year(word))


def _is_year(word: str) -> bool:
    return len(word) == 4 and word.isdecimal() and word[:2] in {"19", "20"}


def _is_day(word: str) -> bool:
    return word.isdecimal() and len(word) <= 2 and 1 <= int(word) <= 31


def _month_at(words: list[str], place: int) -> Period | None:
    """The date around a month's name, or None where the word is likely no month."""
    before = words[place - 1] if place else ""
    day = _day_before(words, place)
    after = place + 1
    if day is None and after < len(words) and _is_day(words[after]):
        day = int(words[after])
        after += 1
        if after < len(words) and words[after] in _ORDINAL:
            after += 1
    if after < len(words) and words[after] in {"of", "del"}:
        after += 1
    year = int(words[after]) if after < len(words) and _is_year(words[after]) else None
    if words[place] in _ALSO_WORDS and day is None and year is None and before not in _BEFORE_MONTH:
        return None
    return Period(year, _MONTHS[words[place]], day)


def _day_before(words: list[str], place: int) -> int | None:
    """The day in `7 May`, `7th May`, `7th of May`."""
    back = place - 1
    for skipped in (frozenset({"of"}), _ORDINAL):
        if back >= 0 and words[back] in skipped:
            back -= 1
    return int(words[back]) if back >= 0 and _is_day(words[back]) else None


def nearness(day: date, named: Iterable[Period], years: Iterable[int]) -> float:
    """How well a day fits the named periods, 0..1.

    One inside a period and for three days after it, fading later, nothing before.

    Args:
        day: When the record occurred.
        named: Periods of the question.
        years: Years that a period without one may mean.
    """
    best = 0.0
    for period in named:
        for year in [period.year] if period.year is not None else sorted(set(years)):
            span = _span(year, period.month, period.day)
            if span is not None:
                late = (day - span[1]).days - GRACE_DAYS
                if day >= span[0]:
                    best = max(best, 1.0 if late <= 0 else math.exp(-late / FADE_DAYS))
    return best


def _span(year: int, month: int | None, day: int | None) -> tuple[date, date] | None:
    try:
        if month is None:
            return date(year, 1, 1), date(year, 12, 31)
        if day is None:
            return date(year, month, 1), date(year, month, calendar.monthrange(year, month)[1])
        return date(year, month, day), date(year, month, day)
    except ValueError:
        return None
