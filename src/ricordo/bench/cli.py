"""`ricordo bench`: numbers on data that is handed in. One JSON object, or a table."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

app = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode=None,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="Measure quality and speed on data that you hand in.",
)

DataOption = Annotated[
    Path, typer.Option("--data", help="Folder that holds the data set's folder, or that folder itself.")
]
JsonOption = Annotated[bool, typer.Option("--json", help="One JSON object on stdout.")]
EmbedderOption = Annotated[
    str | None, typer.Option("--embedder", help="auto, bundled, http, fastembed, none or hashing.")
]
CacheOption = Annotated[
    Path | None,
    typer.Option(
        "--cache",
        help="Folder in which vectors are kept for the next run; times are then without the model's.",
    ),
]
LimitOption = Annotated[
    int | None,
    typer.Option(
        "--limit", min=1, help="Only the first so many conversations, chats, articles or databases."
    ),
]


def say(text: str) -> None:
    """A line about what is being done, on stderr; the last one only, on a terminal."""
    if sys.stderr.isatty():
        typer.echo(f"\r\x1b[2K{text}", err=True, nl=False)
    else:
        typer.echo(text, err=True)


class Step(StrEnum):
    """Steps of recall that can be left out."""

    CONTEXT = "context"
    NEIGHBOUR = "neighbour"
    SPEAKER = "speaker"
    FIRST_PERSON = "first_person"
    ASKS = "asks"
    TELLS_TIME = "tells_time"
    DATED = "dated"


WithoutOption = Annotated[
    list[Step] | None,
    typer.Option("--without", help="Leave a step of recall out, to see what it contributes; repeatable."),
]


def _quality(
    name: str,
    data: Path,
    as_json: bool,
    embedder: str | None,
    limit: int | None,
    cache: Path | None,
    without: Sequence[Step] = (),
) -> None:
    from importlib import import_module

    from ricordo.bench.quality import chosen_embedder, run_suite

    suite = import_module(f"ricordo.bench.{name}").load(data, limit)
    report = run_suite(suite, chosen_embedder(embedder, cache), say, without=[str(step) for step in without])
    _show(report, as_json=as_json)


def _show(report: dict[str, Any], *, as_json: bool) -> None:
    if sys.stderr.isatty():
        typer.echo(err=True)
    if as_json:
        typer.echo(json.dumps(report, ensure_ascii=False))
        return
    from ricordo.bench.tables import show

    show(report)


@app.command("locomo")
def locomo(
    data: DataOption,
    as_json: JsonOption = False,
    embedder: EmbedderOption = None,
    limit: LimitOption = None,
    cache: CacheOption = None,
    without: WithoutOption = None,
) -> None:
    """Recall of evidence in long two-person chats (LoCoMo), turn by turn."""
    _quality("locomo", data, as_json, embedder, limit, cache, without or ())


@app.command("beam")
def beam(
    data: DataOption,
    as_json: JsonOption = False,
    embedder: EmbedderOption = None,
    limit: LimitOption = None,
    cache: CacheOption = None,
) -> None:
    """Recall of evidence in long user/assistant chats (BEAM), and new above old."""
    _quality("beam", data, as_json, embedder, limit, cache)


@app.command("squad-it")
def squad_it(
    data: DataOption,
    as_json: JsonOption = False,
    embedder: EmbedderOption = None,
    limit: LimitOption = None,
    cache: CacheOption = None,
) -> None:
    """Italian questions and the paragraphs that answer them (SQuAD-it)."""
    _quality("squad_it", data, as_json, embedder, limit, cache)


@app.command("devbench")
def devbench(
    data: DataOption,
    as_json: JsonOption = False,
    embedder: EmbedderOption = None,
    limit: LimitOption = None,
    cache: CacheOption = None,
) -> None:
    """A developer's memories: a smoke test with questions that nothing answers (DevBench)."""
    _quality("devbench", data, as_json, embedder, limit, cache)


@app.command("bird")
def bird(
    data: DataOption,
    as_json: JsonOption = False,
    embedder: EmbedderOption = None,
    limit: LimitOption = None,
    cache: CacheOption = None,
) -> None:
    """Questions and the rules that their SQL rests on, and solved ones of the same shape (BIRD)."""
    _quality("bird", data, as_json, embedder, limit, cache)


@app.command("kaggledbqa")
def kaggledbqa(
    data: DataOption,
    as_json: JsonOption = False,
    embedder: EmbedderOption = None,
    limit: LimitOption = None,
    cache: CacheOption = None,
) -> None:
    """Examples for a question: solved ones of the same database and shape (KaggleDBQA)."""
    _quality("kaggledbqa", data, as_json, embedder, limit, cache)


@app.command("speed")
def speed(
    records: Annotated[int, typer.Option("--records", min=1, help="Episodes of the archive.")] = 10_000,
    processes: Annotated[
        int, typer.Option("--processes", min=0, max=64, help="Processes of a mixed load on one file.")
    ] = 0,
    as_json: JsonOption = False,
    embedder: EmbedderOption = None,
    seconds: Annotated[
        float, typer.Option("--seconds", min=0.1, help="How long each repeated measurement goes on.")
    ] = 10.0,
) -> None:
    """Speed at a size: first answer, saves, recall in parts, memory, disk; many processes."""
    from ricordo.bench.speed import measure_speed

    report = measure_speed(records, processes=processes, embedder=embedder, seconds=seconds, say=say)
    _show(report, as_json=as_json)
