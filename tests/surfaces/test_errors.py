"""Every error there is, walked: documented, in the table, and the same on each surface."""

from __future__ import annotations

import json
import pickle
from collections.abc import Iterator
from pathlib import Path

import jsonschema
import pytest

from ricordo import errors
from ricordo.errors import RicordoError
from ricordo.memory import Memory
from ricordo.operations import BY_NAME
from ricordo.settings import Settings
from ricordo.surfaces.background_memory import BackgroundMemory
from ricordo.surfaces.errors import TABLE, Rendering, body, rendering
from ricordo.surfaces.http.error_responses import PROTOCOL, error_response
from ricordo.surfaces.http.openapi import openapi_document
from ricordo.surfaces.mcp.calls import call_tool
from ricordo.surfaces.mcp.tools import output_schema

USAGE_EXIT = 2


def walk(kind: type[RicordoError]) -> Iterator[type[RicordoError]]:
    yield kind
    for child in kind.__subclasses__():
        if child.__module__ == errors.__name__:
            yield from walk(child)


ALL = list(walk(RicordoError))
each = pytest.mark.parametrize("kind", ALL, ids=lambda kind: kind.__name__)


def test_the_walk_finds_what_the_module_has() -> None:
    defined = {
        value
        for value in vars(errors).values()
        if isinstance(value, type) and issubclass(value, RicordoError)
    }
    assert defined == set(ALL)


def test_codes_are_unique_also_beside_those_of_http() -> None:
    codes = [kind.code for kind in ALL] + list(PROTOCOL)
    assert len(codes) == len(set(codes))


@each
def test_it_is_documented_and_drawn(kind: type[RicordoError]) -> None:
    documented = (kind.__doc__ or "").strip().splitlines()[0]
    assert documented.endswith(".")
    assert kind().message == documented
    assert kind.__name__ in (errors.__doc__ or "")
    assert "code" in vars(kind)


@each
def test_it_has_its_line_in_the_table(kind: type[RicordoError]) -> None:
    found = TABLE[kind]
    assert isinstance(found, Rendering)
    assert 400 <= found.http_status < 600
    assert found.exit_code not in (0, USAGE_EXIT)
    assert found == rendering(kind())


@each
def test_it_keeps_everything_between_processes(kind: type[RicordoError]) -> None:
    error = kind("Said.", cure="Do.", field="x")
    again = pickle.loads(pickle.dumps(error))
    assert (type(again), str(again), again.details) == (kind, "Said. Do.", {"field": "x"})


@each
def test_over_http(kind: type[RicordoError]) -> None:
    error = kind("It says '\ud83d'.", cure="Do this.", field="x", when=Path("odd"))
    answer = error_response(error)
    assert answer.status_code == TABLE[kind].http_status
    shape = json.loads(bytes(answer.body))["error"]
    assert shape == {
        "code": kind.code,
        "message": "It says '\ufffd'.",
        "retry_helps": kind.retry_helps,
        "details": {"field": "x", "when": "odd", "cure": "Do this."},
    }
    assert ("retry-after" in answer.headers) is kind.retry_helps
    described = openapi_document()["components"]["responses"][str(answer.status_code)]["description"]
    assert f"`{kind.code}`" in described


class Failing(BackgroundMemory):
    """A memory that always fails in the same way."""

    def __init__(self, error: RicordoError) -> None:
        super().__init__(Settings())
        self._error = error

    def memory(self) -> Memory:
        raise self._error


@pytest.fixture(scope="module")
def answers() -> jsonschema.Draft202012Validator:
    """What a call of `recall` may answer, failures included."""
    return jsonschema.Draft202012Validator(output_schema(BY_NAME["recall"]))


@each
def test_over_mcp(kind: type[RicordoError], answers: jsonschema.Draft202012Validator) -> None:
    error = kind("It failed.", cure="Do this.", field="x")
    result = call_tool(Failing(error), "recall", {"question": "x"})
    assert result.is_error
    assert result.content[0].model_dump()["text"] == "It failed. Do this."
    assert result.structured_content == json.loads(json.dumps(body(error)))
    answers.validate(result.structured_content)
