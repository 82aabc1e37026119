"""The options that make a card, and the filters that narrow a search of cards."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from typing import Annotated, Any

import typer

from ricordo.errors import InvalidInput, UnknownField
from ricordo.surfaces.cli.input import json_object, typed_or_none
from ricordo.surfaces.cli.times import moment


def families() -> list[str]:
    """Names for completion."""
    from ricordo.records.card import CardFamily

    return [str(name) for name in CardFamily]


CardId = Annotated[str, typer.Argument(metavar="CARD", help="Its id.")]
Family = Annotated[
    str | None,
    typer.Option(
        "--family",
        metavar="NAME",
        help="domain_clarification, sql_rule, solved_question or explained_error.",
        autocompletion=families,
    ),
]
Title = Annotated[str | None, typer.Option("--title", metavar="TEXT", help="One line.")]
Scope = Annotated[
    str | None, typer.Option("--scope", metavar="NAME", help="Where it holds; compared exactly.")
]
Content = Annotated[
    str | None,
    typer.Option("--content", metavar="TEXT", help="Definition, guidance or correction; '-' reads stdin."),
]
Question = Annotated[
    str | None, typer.Option("--question", metavar="TEXT", help="Of a solved question; '-' reads stdin.")
]
Sql = Annotated[
    str | None, typer.Option("--sql", metavar="SQL", help="Of a solved question; '-' reads stdin.")
]
Context = Annotated[
    str | None, typer.Option("--context", metavar="TEXT", help="The question that it arose from.")
]
Rationale = Annotated[str | None, typer.Option("--rationale", metavar="TEXT", help="Why it is so.")]
Concepts = Annotated[list[str] | None, typer.Option("--concept", metavar="WORD", help="May be repeated.")]
Depends = Annotated[
    list[str] | None,
    typer.Option(
        "--depends",
        metavar="PLACE",
        help="database=shop,table=orders,column=id, or a JSON object; may be repeated.",
    ),
]
Links = Annotated[
    list[str] | None,
    typer.Option(
        "--link", metavar="CARD[=MEANING]", help="refines, contradicts, example_of, ...; may be repeated."
    ),
]
Filters = Annotated[
    str | None,
    typer.Option("--filters", metavar="JSON", help="A JSON object of restrictions; '-' reads stdin."),
]
Top = Annotated[int, typer.Option("--top", "-n", metavar="N", help="Most results, 1 to 100.")]
Seen = Annotated[int, typer.Option("--revision", metavar="N", help="The revision that you have seen.")]

_TEXTS = ("content", "question", "sql", "context", "rationale")


def card_fields(**options: Any) -> dict[str, Any]:
    """The fields of a card that the options name; those that were not given are left out.

    Raises:
        InvalidInput: A place in a database cannot be understood.
    """
    concept, depends, link = (options.pop(name) for name in ("concept", "depends", "link"))
    if sum(options.get(name) == "-" for name in _TEXTS) > 1:
        raise InvalidInput("Only one text can be read from stdin.", cure="Use --data for several.")
    fields = {name: typed_or_none(value) if name in _TEXTS else value for name, value in options.items()}
    fields["concepts"] = tuple(concept) if concept else None
    fields["dependencies"] = [_place(text) for text in depends] if depends else None
    fields["links"] = [_link(text) for text in link] if link else None
    return {name: value for name, value in fields.items() if value is not None}


def _place(text: str) -> dict[str, Any]:
    from ricordo.records.physical import LEVELS

    if text.lstrip().startswith("{"):
        return json_object("--depends", text) or {}
    found: dict[str, Any] = {}
    for part in text.split(","):
        level, separator, name = part.partition("=")
        level = level.strip()
        if not separator or not name.strip() or level not in LEVELS or level in found:
            raise InvalidInput(
                f"'--depends': '{part.strip()}' is no part of a place.",
                cure="Write it as database=shop,schema=main,table=orders,column=id; "
                "leave out from the right what is not meant.",
                field="--depends",
            )
        found[level] = name.strip()
    return found


def _link(text: str) -> dict[str, str]:
    target, separator, meaning = text.partition("=")
    return {"target": target, "meaning": meaning} if separator else {"target": target}


TIMES = ("since", "until", "updated_from", "updated_until")
"""Filters that are times; without a zone they are taken in the local one, as everywhere here."""


def listing_filters(text: str | None) -> dict[str, Any]:
    """Filters of a listing of cards, from a JSON object.

    Raises:
        InvalidInput, UnknownField: As in `_filters`.
    """
    from ricordo.records.card import CardFilters

    return _filters(text, list(CardFilters.model_fields))


def finding_filters(text: str | None) -> dict[str, Any]:
    """Filters of a search that say something about cards, from a JSON object.

    Raises:
        InvalidInput, UnknownField: As in `_filters`.
    """
    from ricordo.records.base import Kind
    from ricordo.records.filters import FILTERS_OF

    return _filters(text, sorted(FILTERS_OF[Kind.CARD]))


def _filters(text: str | None, known: Sequence[str]) -> dict[str, Any]:
    """Filters from a JSON object.

    Args:
        text: As it was typed.
        known: Names that filters have here.

    Raises:
        InvalidInput: It is no JSON object.
        UnknownField: A filter does not exist; the nearest is named.
    """
    given = json_object("--filters", text) or {}
    for name in given:
        if name not in known:
            near = difflib.get_close_matches(name, known, n=1)
            raise UnknownField(
                f"'--filters': there is no filter '{name}' here.",
                cure=f"Did you mean '{near[0]}'?" if near else f"There are: {', '.join(known)}.",
                field=name,
            )
    return {
        name: moment(f"--filters {name}", value) if _is_time(name, value) else value
        for name, value in given.items()
    }


def _is_time(name: str, value: Any) -> bool:
    return name in TIMES and isinstance(value, str)
