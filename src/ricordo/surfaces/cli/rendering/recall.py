"""An answer to a question, with its sources and, on request, its reasons."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import Console
from rich.text import Text

from ricordo.records.base import Kind
from ricordo.records.episode import Episode
from ricordo.records.recall import Abstention, Hit, Recall, Source
from ricordo.surfaces.cli.output import visible_line
from ricordo.surfaces.cli.rendering.text import SEPARATOR, show_block
from ricordo.surfaces.cli.times import local

_WHY = {
    Abstention.EMPTY_ARCHIVE: "nothing is stored here yet",
    Abstention.NO_CANDIDATES: "no record shares a word or a meaning with it",
    Abstention.WEAK_EVIDENCE: "nothing that is stored is near enough to it",
}

CARD_DIGITS = 5
"""Scores of cards are reciprocal ranks, which lie close together."""


def show_recall(console: Console, recall: Recall) -> None:
    """Write results with their source."""
    _show(console, recall, explain=False)


def show_explained(console: Console, recall: Recall) -> None:
    """Write results with their source, their rank in each voice, and what was left out."""
    _show(console, recall, explain=True)


def _show(console: Console, recall: Recall, *, explain: bool) -> None:
    if recall.abstention is not None:
        console.print(Text(unknown_line(recall.abstention, nearest=bool(recall.hits)), style="yellow"))
    for hit in recall.hits:
        show_hit(console, hit, explain=explain)
    if explain:
        for line in _reasons(recall):
            console.print(Text(line, style="dim"))


def unknown_line(reason: Abstention, *, nearest: bool) -> str:
    """That nothing is known, and why."""
    return f"Nothing is known about this: {_WHY[reason]}.{' The nearest there is:' if nearest else ''}"


def show_hit(console: Console, hit: Hit, *, explain: bool) -> None:
    """Write one result."""
    lines = [(f"| {_turn(turn)}", "dim") for turn in hit.before]
    lines.append((hit.text, ""))
    lines += [(f"| {_turn(turn)}", "dim") for turn in hit.after]
    lines.append((source_line(hit), "cyan"))
    if explain:
        lines.append((voices_line(hit), "dim"))
        if len(hit.retrieval.path) > 1:
            lines.append((f"path {' > '.join(hit.retrieval.path)}", "dim"))
    show_block(console, f"{hit.rank}.", lines)


def _turn(turn: Episode) -> str:
    return visible_line(f"{turn.speaker}: {turn.text}" if turn.speaker else turn.text)


def source_line(hit: Hit) -> str:
    """Where a result comes from."""
    return visible_line(SEPARATOR.join((str(hit.kind), *_source(hit.source), hit.id)))


def _source(source: Source) -> Iterator[str]:
    if source.session is not None:
        yield f"{source.session} #{source.position}"
    if source.project is not None:
        yield source.project
    if source.domain is not None:
        yield f"{source.domain} / {source.topic}"
    if source.family is not None:
        yield f"{source.family} / {source.scope} by {source.author}"
    if source.veracity is not None:
        yield f"{source.veracity} by {source.author}"
    if source.speaker is not None:
        yield source.speaker
    if source.occurred_at is not None:
        yield local(source.occurred_at)


def voices_line(hit: Hit) -> str:
    """A result's rank in each voice, and its score."""
    heard = [f"{item.voice} rank {item.rank} ({item.score:.3g})" for item in hit.retrieval.voices]
    digits = CARD_DIGITS if hit.kind is Kind.CARD else 3
    parts = [f"{name} {amount:+.{digits}f}" for name, amount in hit.retrieval.parts.items() if amount]
    whole = f"score {hit.retrieval.score:.{digits}f}"
    return SEPARATOR.join((*heard, f"{whole} = {' '.join(parts)}" if parts else whole))


def left_out_line(recall: Recall) -> str:
    """What was considered and not returned."""
    if not recall.trace.left_out:
        return "left out: nothing"
    found = (f"{item.count} {item.kind}s ({item.reason.replace('_', ' ')})" for item in recall.trace.left_out)
    return f"left out: {', '.join(found)}"


def _reasons(recall: Recall) -> Iterator[str]:
    trace = recall.trace
    yield f"words: {visible_line(', '.join(trace.terms)) or 'none'}"
    heard = ", ".join(f"{count} by {voice}" for voice, count in trace.candidates.items())
    yield f"candidates: {heard or 'none'}; profile {trace.profile}; as of {local(recall.as_of)}"
    yield left_out_line(recall)
    for degradation in recall.degraded:
        yield visible_line(f"without: {degradation.code}: {degradation.message}")
    yield "ms: " + ", ".join(f"{name} {spent:.1f}" for name, spent in trace.timings_ms.items())
