"""The assembled table: every operation, in the order in which surfaces list them."""

from __future__ import annotations

from ricordo.operations.cards import CARDS
from ricordo.operations.episodes import EPISODES
from ricordo.operations.facts import FACTS
from ricordo.operations.operation import Operation
from ricordo.operations.recall import RECALL
from ricordo.operations.sessions import SESSIONS
from ricordo.operations.upkeep import UPKEEP
from ricordo.operations.workspaces import WORKSPACES

OPERATIONS: tuple[Operation, ...] = (
    *RECALL,
    *SESSIONS,
    *EPISODES,
    *FACTS,
    *CARDS,
    *UPKEEP,
    *WORKSPACES,
)

BY_NAME: dict[str, Operation] = {operation.name: operation for operation in OPERATIONS}
