"""One tree of errors, drawn, documented, and known to every surface."""

from __future__ import annotations

import copy
import pickle
import re

import pytest

from ricordo import errors
from ricordo.errors import RicordoError
from ricordo.surfaces.errors import TABLE, body, rendering


def _tree(kind: type[RicordoError] = RicordoError) -> list[type[RicordoError]]:
    found = [kind]
    for child in kind.__subclasses__():
        if child.__module__ == errors.__name__:
            found += _tree(child)
    return found


EVERY = _tree()


def _drawn() -> dict[str, str]:
    """Parent of each error, as the drawing at the top of the module has it."""
    parents: dict[str, str] = {}
    path: list[tuple[int, str]] = []
    for line in (errors.__doc__ or "").splitlines():
        named = re.match(r"^([\s│├└─]*)([A-Z]\w+)( \.+ .*)?$", line)
        if named is None or not line.startswith("    "):
            continue
        depth = len(named.group(1))
        while path and path[-1][0] >= depth:
            path.pop()
        if path:
            parents[named.group(2)] = path[-1][1]
        path.append((depth, named.group(2)))
    return parents


def test_the_drawing_is_the_tree() -> None:
    assert _drawn() == {kind.__name__: kind.__base__.__name__ for kind in EVERY if kind is not RicordoError}
    assert len(EVERY) > 25


@pytest.mark.parametrize("kind", EVERY, ids=lambda kind: kind.__name__)
def test_each_error(kind: type[RicordoError]) -> None:
    assert (kind.__doc__ or "").strip().endswith(".") or kind is RicordoError
    assert re.fullmatch(r"[a-z]+(_[a-z]+)*", kind.code)
    assert isinstance(kind.retry_helps, bool)
    bare = kind()
    assert bare.message == (kind.__doc__ or "").strip().splitlines()[0]
    full = kind("It broke.", cure="Mend it.", field="x", revision=3)
    assert str(full) == "It broke. Mend it."
    for twin in (pickle.loads(pickle.dumps(full)), copy.copy(full)):
        assert type(twin) is kind
        assert (twin.message, twin.cure, twin.details) == (full.message, full.cure, full.details)


def test_codes_are_unique() -> None:
    codes = [kind.code for kind in EVERY]
    assert sorted(codes) == sorted(set(codes))
    assert all("code" in vars(kind) for kind in EVERY)


@pytest.mark.parametrize("kind", EVERY, ids=lambda kind: kind.__name__)
def test_surfaces_know_each_error(kind: type[RicordoError]) -> None:
    assert kind in TABLE
    shown = rendering(kind("x"))
    assert 400 <= shown.http_status < 600
    assert shown.exit_code not in {0, 2}
    answer = body(kind("It broke.", cure="Mend it.", field="x"))["error"]
    assert answer["code"] == kind.code
    assert answer["message"] == "It broke."
    assert "cure" in answer["details"]


def test_the_table_knows_no_others() -> None:
    assert set(TABLE) == set(EVERY)


def test_an_error_from_outside_is_shown_as_its_parent() -> None:
    class Special(errors.NotFound):
        """Something special is not there."""

        code = "special"

    assert rendering(Special()) == TABLE[errors.NotFound]


def test_an_error_without_a_docstring_speaks_as_its_parent() -> None:
    class Undocumented(errors.NotFound):
        pass

    class Blank(Undocumented):
        """ """

    for kind in (Undocumented, Blank):
        assert str(kind()) == errors.NotFound().message
        assert kind("It is gone.").message == "It is gone."
