"""The options that make a fact, for `remember` and `facts`."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from ricordo.surfaces.cli.shared_options import TIME
from ricordo.surfaces.cli.times import moment


def memory_types() -> list[str]:
    """Names for completion."""
    from ricordo.records.fact import MemoryType

    return [str(name) for name in MemoryType]


def veracities() -> list[str]:
    """Names for completion."""
    from ricordo.records.fact import Veracity

    return [str(name) for name in Veracity]


Domain = Annotated[
    str | None, typer.Option("--domain", metavar="NAME", help="What it belongs to, e.g. billing.")
]
Topic = Annotated[str | None, typer.Option("--topic", metavar="NAME", help="What it is about in there.")]
Type = Annotated[
    str | None,
    typer.Option(
        "--type",
        metavar="NAME",
        help="fact, preference, decision, commitment, goal, event, instruction, ...",
        autocompletion=memory_types,
    ),
]
Confidence = Annotated[
    float | None,
    typer.Option("--confidence", metavar="0..1", help="How sure it is; capped by the veracity's weight."),
]
Veracity = Annotated[
    str | None,
    typer.Option(
        "--veracity",
        metavar="NAME",
        help="stated, unknown, inferred, imported or tool.",
        autocompletion=veracities,
    ),
]
Tags = Annotated[list[str] | None, typer.Option("--tag", metavar="NAME", help="May be repeated.")]
Sources = Annotated[
    list[str] | None,
    typer.Option(
        "--source", metavar="ID", help="Record or observation it was learned from; may be repeated."
    ),
]
Agent = Annotated[str | None, typer.Option("--agent", metavar="NAME", help="Its author.")]
Role = Annotated[str | None, typer.Option("--role", metavar="NAME", help="The author's role.")]
ValidFrom = Annotated[
    str | None, typer.Option("--valid-from", metavar="TIME", help=f"It holds from here on ({TIME}).")
]
ValidUntil = Annotated[
    str | None, typer.Option("--valid-until", metavar="TIME", help="It holds until here, exclusive.")
]

_NAMES = {"type": "memory_type", "tag": "tags", "source": "sources"}


def fact_fields(**options: Any) -> dict[str, Any]:
    """The fields of a fact that the options name; those that were not given are left out.

    Raises:
        InvalidInput: A time is none.
    """
    for name in ("valid_from", "valid_until"):
        options[name] = moment(f"--{name.replace('_', '-')}", options.get(name))
    return {_NAMES.get(name, name): value for name, value in options.items() if value is not None}
