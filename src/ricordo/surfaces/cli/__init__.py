"""The command line: parses, calls `Memory`, renders.

Answers go to stdout (JSON for machines, tables for people), everything else to
stderr. Nothing heavy is imported before a command runs: `--version` is answered
without the command-line library, `--help` without the engine.
"""

from __future__ import annotations

import sys
from typing import NoReturn


def main() -> NoReturn:
    """Run the command that the process's arguments name, and exit with its code."""
    from ricordo.surfaces.cli.output import delivered

    sys.exit(delivered(_run))


def _run() -> int:
    if sys.argv[1:] in (["--version"], ["-V"]):
        from ricordo.version import __version__

        sys.stdout.write(f"ricordo {__version__}\n")
        return 0
    from ricordo.surfaces.cli.app import run

    return run(sys.argv[1:])
