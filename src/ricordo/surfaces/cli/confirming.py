"""Asking before something is deleted."""

from __future__ import annotations

import sys

import typer

from ricordo.errors import InvalidInput
from ricordo.surfaces.cli.screen import visible_line
from ricordo.surfaces.cli.streams import is_terminal


def confirm(question: str, *, yes: bool) -> None:
    """Ask, unless the answer was given.

    Args:
        question: What is asked.
        yes: The answer that was given on the command line.

    Raises:
        InvalidInput: Nobody is there to answer.
        Abort: The answer was no.
    """
    if yes:
        return
    if not is_terminal(sys.stdin):
        raise InvalidInput("Deleting needs a yes, and nobody is here to be asked.", cure="Add --yes.")
    typer.confirm(visible_line(question), abort=True, err=True)
