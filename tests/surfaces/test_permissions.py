"""The permission that the table names is the one that the engine asks for."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from ricordo.errors import Forbidden, RicordoError
from ricordo.memory import Memory
from ricordo.operations import OPERATIONS, Operation
from ricordo.records.principal import Permission, Principal

GIVEN: dict[str, dict[str, Any]] = {
    "add_episode": {"session": "s", "user_message": "x"},
    "add_episodes": {"session": "s", "episodes": [{"user_message": "x"}]},
    "add_fact": {"content": "x", "domain": "d", "topic": "t"},
    "remember": {"content": "x"},
    "recall": {"question": "x"},
    "create_workspace": {"name": "new"},
    "create_card": {"family": "sql_rule", "title": "x", "content": "x"},
    "search_cards": {"question": "x"},
    "find_clarifications": {"question": "x"},
    "find_rules": {"question": "x"},
    "find_solved_questions": {"question": "x"},
    "compare_card": {"before": 1, "after": 1},
    "restore_card": {"revision": 1},
    "update_card": {"revision": 1},
    "merge_cards": {"kept": "mem-a", "merged": "mem-b", "kept_revision": 1, "merged_revision": 1},
    "undo_merge": {"merge_id": "merge-none"},
}


@pytest.fixture(scope="module")
def memory(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Memory]:
    with Memory.open(tmp_path_factory.mktemp("permissions") / "memory.db", embedder="none") as opened:
        yield opened


def request_of(operation: Operation) -> Any:
    """A request that is well formed; ids in it lead nowhere."""
    fields = operation.request.model_fields
    ids = {name: "none" for name in ("session", "episode_id", "fact_id", "card_id") if name in fields}
    needed = {name: {} for name in ("changes",) if name in fields and fields[name].is_required()}
    return operation.request.model_validate({**ids, **needed, **GIVEN.get(operation.name, {})})


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda operation: operation.name)
def test_the_permission_is_needed_and_enough(memory: Memory, operation: Operation) -> None:
    request = request_of(operation)
    others = frozenset(Permission) - {operation.permission}
    with pytest.raises(Forbidden) as refused:
        operation.run(memory.acting_as(Principal(id="other", permissions=others)), request)
    assert refused.value.details["permission"] == operation.permission
    mine = memory.acting_as(Principal(id="mine", permissions=frozenset({operation.permission})))
    try:
        operation.run(mine, request)
    except Forbidden as error:
        raise AssertionError(f"{operation.permission} is not enough: {error}") from error
    except RicordoError:
        pass  # there is no such record, which only who may look is told
