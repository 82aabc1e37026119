"""Finding cards by what they are used for. Finding is never approving."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ricordo.engine.engine import Bound
from ricordo.engine.recalling import Recalling
from ricordo.engine.validation import value_of
from ricordo.errors import InvalidInput
from ricordo.records.base import Kind
from ricordo.records.card import CardFamily
from ricordo.records.filters import FILTERS_OF, CardRestrictions, Filters
from ricordo.records.recall import Recall

CLARIFYING = (CardFamily.DOMAIN_CLARIFICATION,)
"""Families that help to understand a question."""

BUILDING = (CardFamily.SQL_RULE, CardFamily.EXPLAINED_ERROR)
"""Families that help to build its SQL."""

EXAMPLES = (CardFamily.SOLVED_QUESTION,)
"""Families to consult as an example; never applied by themselves."""

Narrowing = Filters | CardRestrictions | Mapping[str, Any] | None


class CardFinding(Bound):
    """Recall of cards: by both voices and by links."""

    def search(self, question: str, *, top: int = 10, filters: Narrowing = None) -> Recall:
        """The cards that a question finds, with the links that led to them.

        Args:
            question: Any text; nothing in it is query syntax.
            top: Most results, 1..100.
            filters: As `Filters`: family, scope, concepts, database, schema, table, column, since,
                until. They cannot leave the database and schema that the settings bind.
        """
        return self._find(question, (), top=top, filters=filters)

    def clarifications(
        self, question: str, *, top: int = 10, filters: Narrowing = None, decided: Iterable[str] = ()
    ) -> Recall:
        """Domain clarifications for a question, without those that were decided on already.

        Args:
            question: Any text.
            top: Most results, 1..100.
            filters: As in `search`; the family is set.
            decided: Ids of cards that the session has decided on.
        """
        return self._find(question, CLARIFYING, top=top, filters=filters, without=decided)

    def rules(self, question: str, *, top: int = 10, filters: Narrowing = None) -> Recall:
        """Rules and explained errors for building the SQL of a question."""
        return self._find(question, BUILDING, top=top, filters=filters)

    def solved(self, question: str, *, top: int = 10, filters: Narrowing = None) -> Recall:
        """Solved questions like this one, as examples to consult."""
        return self._find(question, EXAMPLES, top=top, filters=filters)

    def _find(
        self,
        question: str,
        families: tuple[CardFamily, ...],
        *,
        top: int,
        filters: Narrowing,
        without: Iterable[str] = (),
    ) -> Recall:
        narrowed = filters if isinstance(filters, Filters) else _as_filters(filters or {})
        strange = sorted(narrowed.given() - FILTERS_OF[Kind.CARD])
        if strange:
            raise InvalidInput(
                f"'{strange[0]}': this filter does not apply to cards.",
                cure=f"Use: {', '.join(sorted(FILTERS_OF[Kind.CARD]))}.",
                field=strange[0],
            )
        if families and narrowed.family and not set(narrowed.family) <= set(families):
            raise InvalidInput(
                f"'family': this looks among {' and '.join(families)} only.",
                cure="Leave the family out, or use a search over all cards.",
                field="family",
            )
        if families and not narrowed.family:
            narrowed = narrowed.model_copy(update={"family": families})
        recalling = Recalling(self.engine, self.workspace, self.principal)
        return recalling.recall(question, top=top, kinds=[Kind.CARD], filters=narrowed, without=without)


def _as_filters(given: CardRestrictions | Mapping[str, Any]) -> Filters:
    return Filters.model_validate(dict(value_of(CardRestrictions, given)))
