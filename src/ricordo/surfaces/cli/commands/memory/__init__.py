"""`ricordo memory`: cards, from the command line."""

from __future__ import annotations

from ricordo.surfaces.cli.commands.memory.app import app

# The order of these is the order of the help.
# isort: off
from ricordo.surfaces.cli.commands.memory import editing
from ricordo.surfaces.cli.commands.memory import revisions
from ricordo.surfaces.cli.commands.memory import finding
from ricordo.surfaces.cli.commands.memory import merging
from ricordo.surfaces.cli.commands.memory import upkeep
from ricordo.surfaces.cli.commands.memory import copies
# isort: on

__all__ = ["app", "copies", "editing", "finding", "merging", "revisions", "upkeep"]
