"""The operation `recall`: checks what is asked and hands it to the pipeline."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from ricordo.engine.engine import EMBEDDED, Bound, embedder_trouble
from ricordo.engine.validation import between, checked, value_of
from ricordo.errors import EmbedderError, InvalidInput
from ricordo.index.contract import Space
from ricordo.recall.pipeline import Ask, Parts
from ricordo.recall.pipeline import recall as run
from ricordo.recall.profiles import RECALLABLE
from ricordo.records.base import Kind, Moment, Text, Value
from ricordo.records.filters import Filters
from ricordo.records.principal import Permission
from ricordo.records.recall import Degradation, Recall

MAX_TOP = 100
MAX_NEIGHBOURS = 10
MAX_QUESTION_CHARS = 4_000
"""Signs of a question that are looked at; a longer one is cut, since its words beyond add only time."""


class _Question(Value):
    question: Text
    as_of: Moment | None = None


class Recalling(Bound):
    """Recall in one workspace."""

    def recall(
        self,
        question: str,
        *,
        top: int = 10,
        kinds: Iterable[str] | None = None,
        filters: Filters | Mapping[str, Any] | None = None,
        as_of: datetime | str | None = None,
        neighbours: int = 0,
        without: Iterable[str] = (),
    ) -> Recall:
        """Answer a question; see `Memory.recall`. `without` holds ids of cards that are not wanted."""
        self.principal.require(Permission.READ)
        between(top, "top", 1, MAX_TOP)
        between(neighbours, "neighbours", 0, MAX_NEIGHBOURS)
        asked = checked(_Question, {"question": question, "as_of": as_of})
        ask = Ask(
            question=asked.question[:MAX_QUESTION_CHARS],
            profile=self.engine.profiles(_kinds(kinds)),
            filters=value_of(Filters, filters or {}),
            top=top,
            as_of=asked.as_of,
            neighbours=neighbours,
            bound=self.engine.settings.bound_place,
            without=_ids(without),
        )
        engine = self.engine
        degraded: list[Degradation] = []
        space = self._space(degraded)
        parts = Parts(engine.archive, engine.index, engine.embedder, space, degraded)
        return run(parts, self.workspace, ask, engine.clock())

    def warm(self) -> None:
        """Load the model and the vectors; what fails now will be said by the first recall."""
        self.principal.require(Permission.READ)
        if self.engine.embedder is None:
            return
        try:
            self.engine.embedder.load()
            space = self.engine.find_space(self.workspace)
        except EmbedderError:
            return
        if space is not None:
            with self.engine.archive.read(self.workspace) as reader:
                for kind in EMBEDDED:
                    self.engine.index.warm(reader, space, kind)

    def _space(self, degraded: list[Degradation]) -> Space | None:
        if self.engine.embedder is None:
            message = "No embedding model is set: records are found by keyword only."
            degraded.append(Degradation(code="no_embedder", message=message))
            return None
        try:
            space = self.engine.known_space(self.workspace)
        except EmbedderError as error:
            degraded.append(Degradation(code="embedder_failed", message=embedder_trouble(error)))
            return None
        if space is None:
            with self.engine.archive.read(self.workspace) as reader:
                count = sum(reader.count(kind) for kind in EMBEDDED)
            if count:
                message = f"{count} records have no vectors of this model yet. Run: ricordo index"
                degraded.append(Degradation(code="vectors_missing", message=message))
        return space


def _ids(names: Iterable[str]) -> tuple[str, ...]:
    try:
        found = tuple(names)
    except TypeError as error:
        raise InvalidInput("'without': give ids of cards.", field="without") from error
    if isinstance(names, str) or not all(isinstance(name, str) for name in found):
        raise InvalidInput("'without': give ids of cards.", field="without")
    return found


def _kinds(names: Iterable[str] | None) -> list[Kind]:
    if names is None:
        return []
    if isinstance(names, str):
        names = [names]
    if not isinstance(names, Iterable):
        raise InvalidInput("'kinds': must be a list of kinds.", field="kinds")
    found = []
    for name in names:
        if not isinstance(name, str) or name not in {str(kind) for kind in RECALLABLE}:  # type: ignore[redundant-expr]
            known = ", ".join(sorted(RECALLABLE))
            shown = name if isinstance(name, str) else type(name).__name__  # type: ignore[redundant-expr]
            raise InvalidInput(f"'kinds': '{shown}' is not recalled.", cure=f"Use: {known}.", field="kinds")
        found.append(Kind(name))
    return found
