"""Cards: reviewed knowledge. Agents find and read them; people write and manage them."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from ricordo.memory import Memory
from ricordo.operations.operation import Operation, Paging, changed, given
from ricordo.records.base import MAX_BATCH, MAX_REVISION, Name, Reason, Text, Value
from ricordo.records.card import (
    Card,
    CardChanges,
    CardDraft,
    CardFilters,
    CardReceipt,
    CardSort,
    Comparison,
    LookAlike,
    Merge,
    MergeReceipt,
)
from ricordo.records.filters import CardRestrictions
from ricordo.records.page import Page
from ricordo.records.principal import Permission
from ricordo.records.recall import Recall
from ricordo.records.receipt import HistoryEntry, Receipt, Removal
from ricordo.records.work import PendingItem

Revision = Annotated[int, Field(ge=1, le=MAX_REVISION)]
"""Number of a revision."""


class CreateCardRequest(CardDraft):
    """A card to be made."""

    defer: bool = Field(default=False, description="Leave the vector to the background.")


class CardRequest(Value):
    """One card."""

    card_id: Name


class ListCardsRequest(CardFilters, Paging):
    """Which cards, in which order."""

    sort: CardSort = Field(default=CardSort.CREATED, description="Equal ones are sorted by id.")
    descending: bool = False


class UpdateCardRequest(CardRequest):
    """A change of a card."""

    changes: CardChanges
    revision: Revision = Field(description="The revision that the change was made from.")
    reason: Reason | None = None
    defer: bool = Field(default=False, description="Leave the vector to the background.")


class DeleteCardRequest(CardRequest):
    """A card to be deleted."""

    revision: Revision | None = Field(default=None, description="The revision that was seen; checked.")


class CardHistoryRequest(CardRequest, Paging):
    """Whose history."""


class CompareCardRequest(CardRequest):
    """Two revisions of a card."""

    before: Revision
    after: Revision


class RestoreCardRequest(CardRequest):
    """An earlier revision that is to be the newest one."""

    revision: Revision = Field(description="The revision to go back to.")
    seen: Revision | None = Field(default=None, description="The newest revision that was seen; checked.")
    reason: Reason | None = None


class SimilarCardsRequest(CardRequest):
    """A card, and how many that resemble it."""

    top: int = Field(default=5, ge=1, le=100, description="Most results.")


class SimilarCards(Value):
    """Cards that resemble one, best first; nothing was done about them."""

    items: tuple[LookAlike, ...]


class MergeCardsRequest(Value):
    """Two cards of which a person makes one."""

    kept: Name = Field(description="Id of the card that stays.")
    merged: Name = Field(description="Id of the card that goes into it.")
    kept_revision: Revision
    merged_revision: Revision
    changes: CardChanges | None = Field(default=None, description="New texts of the kept card.")
    reason: Reason | None = None


class MergeRequest(Value):
    """One merge."""

    merge_id: Name


class UndoneMerge(Value):
    """The receipts of the kept card and of the one that is there again."""

    receipts: tuple[CardReceipt, ...]


class FindCardsRequest(Value):
    """A question that cards may help with."""

    question: Text = Field(description="Any text; nothing in it is query syntax.")
    top: int = Field(default=10, ge=1, le=100, description="Most results.")
    filters: CardRestrictions = Field(
        default_factory=CardRestrictions, description="Restrictions; all must hold."
    )


class FindClarificationsRequest(FindCardsRequest):
    """A question that may need clarifying."""

    decided: tuple[Name, ...] = Field(
        default=(), max_length=MAX_BATCH, description="Ids of cards that were decided on already."
    )


def _list(memory: Memory, request: ListCardsRequest) -> Page[Card]:
    values = given(request)
    filters = {name: values.pop(name) for name in CardFilters.model_fields if name in values}
    return memory.cards.list(filters, **values)


def _update(memory: Memory, request: UpdateCardRequest) -> CardReceipt:
    return memory.cards.update(
        request.card_id,
        changed(request),
        revision=request.revision,
        reason=request.reason,
        defer=request.defer,
    )


def _merge(memory: Memory, request: MergeCardsRequest) -> MergeReceipt:
    changes = given(request.changes) if request.changes is not None else {}
    return memory.cards.merge(**{**given(request), "changes": changes})


CARDS: tuple[Operation, ...] = (
    Operation(
        "search_cards",
        "Find cards, which people have reviewed, for a question, also along the links between them.",
        FindCardsRequest,
        Recall,
        Permission.READ,
        lambda memory, request: memory.cards.search(**given(request)),
        read_only=True,
        idempotent=True,
    ),
    Operation(
        "find_clarifications",
        "Find what the words of a question mean here, without what was decided on already.",
        FindClarificationsRequest,
        Recall,
        Permission.READ,
        lambda memory, request: memory.cards.clarifications(**given(request)),
        read_only=True,
        idempotent=True,
    ),
    Operation(
        "find_rules",
        "Find rules and explained errors for building the SQL of a question.",
        FindCardsRequest,
        Recall,
        Permission.READ,
        lambda memory, request: memory.cards.rules(**given(request)),
        read_only=True,
        idempotent=True,
    ),
    Operation(
        "find_solved_questions",
        "Find solved questions like this one: examples to consult, never applied by themselves.",
        FindCardsRequest,
        Recall,
        Permission.READ,
        lambda memory, request: memory.cards.solved(**given(request)),
        read_only=True,
        idempotent=True,
    ),
    Operation(
        "get_card",
        "Read one card.",
        CardRequest,
        Card,
        Permission.READ,
        lambda memory, request: memory.cards.get(request.card_id),
        read_only=True,
        idempotent=True,
    ),
    Operation(
        "list_cards",
        "List cards, filtered and sorted.",
        ListCardsRequest,
        Page[Card],
        Permission.MANAGE,
        _list,
        read_only=True,
        idempotent=True,
    ),
    Operation(
        "create_card",
        "Make a card; the receipt shows existing ones that resemble it.",
        CreateCardRequest,
        CardReceipt,
        Permission.MANAGE,
        lambda memory, request: memory.cards.create(**given(request)),
    ),
    Operation(
        "update_card",
        "Change named fields of a card.",
        UpdateCardRequest,
        CardReceipt,
        Permission.MANAGE,
        _update,
        destructive=True,
    ),
    Operation(
        "delete_card",
        "Delete a card with its links in both directions.",
        DeleteCardRequest,
        Removal,
        Permission.MANAGE,
        lambda memory, request: memory.cards.delete(**given(request)),
        destructive=True,
    ),
    Operation(
        "card_history",
        "Show the revisions of a card, newest first.",
        CardHistoryRequest,
        Page[HistoryEntry],
        Permission.MANAGE,
        lambda memory, request: memory.cards.history(**given(request)),
        read_only=True,
        idempotent=True,
    ),
    Operation(
        "compare_card",
        "Show the fields that differ between two revisions of a card.",
        CompareCardRequest,
        Comparison,
        Permission.MANAGE,
        lambda memory, request: memory.cards.compare(**given(request)),
        read_only=True,
        idempotent=True,
    ),
    Operation(
        "restore_card",
        "Make an earlier revision of a card the newest one; a deleted card comes back.",
        RestoreCardRequest,
        CardReceipt,
        Permission.MANAGE,
        lambda memory, request: memory.cards.restore(**given(request)),
        destructive=True,
    ),
    Operation(
        "list_similar_cards",
        "Show the cards that resemble a card most, with the evidence.",
        SimilarCardsRequest,
        SimilarCards,
        Permission.MANAGE,
        lambda memory, request: SimilarCards(items=memory.cards.look_alikes(**given(request))),
        read_only=True,
        idempotent=True,
    ),
    Operation(
        "merge_cards",
        "Put one card into another, by a person's decision.",
        MergeCardsRequest,
        MergeReceipt,
        Permission.MANAGE,
        _merge,
        destructive=True,
    ),
    Operation(
        "undo_merge",
        "Take a merge back: both cards are as they were, as new revisions.",
        MergeRequest,
        UndoneMerge,
        Permission.MANAGE,
        lambda memory, request: UndoneMerge(receipts=memory.cards.undo_merge(request.merge_id)),
        destructive=True,
    ),
    Operation(
        "list_merges",
        "List merges of cards, newest first, also those that were undone.",
        Paging,
        Page[Merge],
        Permission.MANAGE,
        lambda memory, request: memory.cards.merges(**given(request)),
        read_only=True,
        idempotent=True,
    ),
    Operation(
        "list_pending_cards",
        "Show index work of cards that is not done yet.",
        Paging,
        Page[PendingItem],
        Permission.MANAGE,
        lambda memory, request: memory.cards.pending(**given(request)),
        read_only=True,
        idempotent=True,
    ),
    Operation(
        "retry_card",
        "Do the pending index work of one card now, also of a deleted one.",
        CardRequest,
        Receipt,
        Permission.MANAGE,
        lambda memory, request: memory.cards.retry(request.card_id),
        idempotent=True,
    ),
)
