"""What the demonstration shows, for people."""

from __future__ import annotations

import json
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from rich.console import Console
from rich.rule import Rule
from rich.text import Text

from ricordo.importers.report import ImportReport
from ricordo.records.recall import Recall
from ricordo.records.upkeep import Status
from ricordo.surfaces.cli.demo.sample import Question
from ricordo.surfaces.cli.rendering.recall import left_out_line, show_hit, unknown_line


class Onward(NamedTuple):
    """How to go on.

    Attributes:
        program: Absolute path of the `ricordo` command.
        archive: The demonstration's archive, where it is kept.
        address: Where `ricordo serve` listens.
    """

    program: str
    archive: Path | None
    address: str

    @property
    def options(self) -> list[str]:
        """What opens the demonstration's archive instead of one's own."""
        return [] if self.archive is None else ["--path", str(self.archive)]

    @property
    def serve(self) -> str:
        """The command that serves HTTP."""
        return shlex.join(["ricordo", *self.options, "serve"])

    @property
    def mcp(self) -> dict[str, Any]:
        """The MCP configuration of an agent."""
        return {"mcpServers": {"ricordo": {"command": self.program, "args": [*self.options, "mcp"]}}}


class Tour(NamedTuple):
    """What the demonstration has done.

    Attributes:
        report: Of the import of the conversations.
        facts_added: Facts that were not there already.
        status: Of the workspace, after.
        asked: Questions with their answers.
        onward: How to go on.
    """

    report: ImportReport
    facts_added: int
    status: Status
    asked: Sequence[tuple[Question, Recall]]
    onward: Onward

    def as_json(self) -> dict[str, Any]:
        """All of it for a program."""
        onward = self.onward
        return {
            "imported": self.report.model_dump(mode="json"),
            "facts_added": self.facts_added,
            "status": self.status.model_dump(mode="json"),
            "questions": [{"way": item.way, **found.model_dump(mode="json")} for item, found in self.asked],
            "next": {"serve": onward.serve, "address": onward.address, "mcp": onward.mcp},
        }


def show_tour(console: Console, tour: Tour) -> None:
    """Write all of it for people."""
    held = f"{tour.report.episodes_read} turns of {tour.report.sessions} conversations"
    model = tour.status.embedder or "none, keywords only"
    line = f"A memory of {held} and {tour.status.records['fact']} facts; embedding model: {model}."
    console.print(Text(line))
    show_answers(console, tour.asked)
    show_onward(console, tour.onward)


def show_answers(console: Console, asked: Sequence[tuple[Question, Recall]]) -> None:
    """Write each question with its answers, their reasons and what was left out."""
    for number, (question, recall) in enumerate(asked, start=1):
        console.print()
        console.print(Rule(Text(f"{number}. {question.way}"), align="left", style="dim"))
        console.print(Text(question.question, style="bold"))
        if recall.abstention is not None:
            console.print(Text(unknown_line(recall.abstention, nearest=bool(recall.hits)), style="yellow"))
        for hit in recall.hits:
            show_hit(console, hit, explain=True)
        console.print(Text(left_out_line(recall), style="dim"))
        for degradation in recall.degraded:
            console.print(Text(f"without: {degradation.message}", style="yellow"))


def show_onward(console: Console, onward: Onward) -> None:
    """Write how to go on."""
    console.print()
    console.print(Rule(Text("How to go on"), align="left", style="dim"))
    if onward.archive is None:
        console.print(
            "This memory is gone now; `ricordo demo --path FOLDER` keeps it. Your own is empty yet:"
        )
        console.print("   ricordo remember 'Deploys happen on Tuesday mornings.'", soft_wrap=True)
        console.print("   ricordo recall 'when do we deploy?'", soft_wrap=True)
    else:
        line = f"This memory is kept: ricordo --path {onward.archive} recall '...'"
        console.print(Text(line), soft_wrap=True)
    console.print(Text(f"In a browser or over HTTP: {onward.serve}"), soft_wrap=True)
    console.print(Text(f"   then open {onward.address}"), soft_wrap=True)
    console.print("For an agent that speaks MCP, add to its configuration:")
    console.print(Text(json.dumps(onward.mcp, indent=2, ensure_ascii=False)), soft_wrap=True)
