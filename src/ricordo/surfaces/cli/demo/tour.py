"""What the demonstration shows, for people."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from rich.console import Console
from rich.rule import Rule
from rich.text import Text

from ricordo.records.recall import Recall
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
        import shlex

        return shlex.join(["ricordo", *self.options, "serve"])

    @property
    def mcp(self) -> dict[str, Any]:
        """The MCP configuration of an agent."""
        return {"mcpServers": {"ricordo": {"command": self.program, "args": [*self.options, "mcp"]}}}


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
