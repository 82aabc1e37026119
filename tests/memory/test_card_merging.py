"""Cards that resemble each other are shown with evidence; a merge by a person can be taken back."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ricordo.errors import Forbidden, InvalidInput, NotFound, StaleRevision
from ricordo.memory import Memory
from ricordo.records.card import Card, CardReceipt
from ricordo.records.principal import Permission, Principal

from .cards import RULE
from .opening import open_memory

ENGLISH = {
    "family": "domain_clarification",
    "title": "Net revenue",
    "content": "Net revenue is the invoiced amount without value added tax and without refunds.",
}
ENGLISH_AGAIN = {
    "family": "domain_clarification",
    "title": "Revenue, net",
    "content": "The net revenue: invoiced amounts without refunds and without value added tax.",
}
ENGLISH_OTHER = {
    "family": "sql_rule",
    "title": "Active customers",
    "content": "Count a customer as active who has placed an order during the last ninety days.",
}
ITALIAN = {
    "family": "domain_clarification",
    "title": "Fatturato netto",
    "content": "Il fatturato netto è l'importo fatturato senza IVA e senza i resi dei clienti.",
}
ITALIAN_AGAIN = {
    "family": "domain_clarification",
    "title": "Che cos'è il fatturato netto",
    "content": "Importi fatturati senza l'IVA e senza resi: questo è il fatturato netto.",
}
ITALIAN_OTHER = {
    "family": "sql_rule",
    "title": "Clienti attivi",
    "content": "Conta come attivo chi ha fatto un ordine negli ultimi novanta giorni.",
}


@pytest.fixture(params=["none", "bundled"])
def any_memory(request: pytest.FixtureRequest, path: Path) -> Iterator[Memory]:
    """With words only, and with the model that users have."""
    with open_memory(path, embedder=request.param) as memory:
        yield memory


@pytest.mark.parametrize(
    ("language", "first", "again", "other"),
    [("en", ENGLISH, ENGLISH_AGAIN, ENGLISH_OTHER), ("it", ITALIAN, ITALIAN_AGAIN, ITALIAN_OTHER)],
)
def test_near_duplicates_are_shown(
    any_memory: Memory, language: str, first: dict[str, Any], again: dict[str, Any], other: dict[str, Any]
) -> None:
    memory = any_memory.in_workspace("cards", create=True, language=language)
    place = {"database": "shop", "table": "invoices"}
    held = memory.cards.create(**first, concepts=["Revenue", "VAT"], dependencies=[place])
    assert held.look_alikes == ()
    unrelated = memory.cards.create(**other)
    assert unrelated.look_alikes == ()
    receipt = memory.cards.create(**again, concepts=["vat"], dependencies=[place, {"database": "bank"}])
    (alike,) = receipt.look_alikes
    assert (alike.id, alike.revision, alike.title) == (held.id, 1, first["title"])
    assert alike.evidence.shared_words >= 0.6
    assert len(alike.evidence.words) >= 4
    assert alike.evidence.concepts == ("VAT",)
    assert alike.evidence.dependencies == ("shop.invoices",)
    assert (alike.evidence.similarity is None) == (memory.settings.embedder == "none")
    assert memory.cards.list().total == 3  # nothing was done about them
    assert [one.id for one in memory.cards.look_alikes(held.id)] == [receipt.id]
    assert memory.cards.look_alikes(unrelated.id) == ()


FILLING = (
    "Weekend orders are shipped on Monday.", "Shipping costs belong to the order, not to the line.",
    "A refund has a negative amount.", "Use the local time zone of the store.", "Join regions by their code.",
    "Margins are stored in percent.", "Discounts apply before tax.", "Stock is counted at midnight.",
    "Cancelled orders have status 9.", "Prices are in cents.", "Ids of products are texts.",
    "Returns within 14 days are free.", "Customers without email are guests.", "Ages are in years.",
    "Use the last exchange rate of the month.", "A supplier may have several addresses.",
)  # fmt: skip


@pytest.mark.parametrize("others", [2, 16])
def test_meaning_alone_can_show_one(path: Path, others: int) -> None:
    """In other words; before and after the workspace is large enough for its vectors to be centred."""
    with open_memory(path, embedder="bundled") as memory:
        for text in FILLING[:others]:
            memory.cards.create(**{**RULE, "title": text, "content": text}, defer=True)
        memory.upkeep.drain()
        held = memory.cards.create(**ENGLISH)
        assert held.look_alikes == ()
        assert memory.cards.create(**ENGLISH_OTHER).look_alikes == ()
        (alike,) = memory.cards.create(**ENGLISH_AGAIN).look_alikes
        assert alike.id == held.id
        assert alike.evidence.similarity is not None
        assert alike.evidence.similarity > 0.9


def test_an_edit_shows_them_too(memory: Memory) -> None:
    held = memory.cards.create(**ENGLISH)
    made = memory.cards.create(**ENGLISH_OTHER)
    changes = {"title": ENGLISH_AGAIN["title"], "content": ENGLISH_AGAIN["content"]}
    receipt = memory.cards.update(made.id, changes, revision=1)
    assert [one.id for one in receipt.look_alikes] == [held.id]
    assert memory.cards.update(made.id, {"scope": "x"}, revision=2, defer=True).look_alikes == ()
    memory.cards.delete(held.id)
    assert memory.cards.look_alikes(made.id) == ()


def test_one_among_thousands_is_shown(memory: Memory) -> None:
    held = memory.cards.create(**ENGLISH, scope="elsewhere")
    for number in range(60):
        memory.cards.create(**{**RULE, "content": f"other rule {number} of revenue {number}"}, defer=True)
    assert held.id in [one.id for one in memory.cards.create(**ENGLISH_AGAIN).look_alikes]


# Merging


class Linked:
    """Two cards to be merged, and cards that link to and from them."""

    def __init__(self, memory: Memory) -> None:
        self.memory = memory
        self.outer = self._made("outer")
        self.kept = self._made("kept", concepts=["A", "b"], dependencies=[{"database": "d"}])
        place = [{"database": "d"}, {"database": "e"}]
        self.merged = self._made("merged", self.outer, self.kept, concepts=["a", "c"], dependencies=place)
        self.to_merged = self._made("to merged", self.merged)
        self.to_both = self._made("to both", self.merged, self.kept)
        links = [
            {"target": self.merged, "meaning": "refines"},
            {"target": self.outer, "meaning": "own words"},
        ]
        memory.cards.update(self.kept, {"links": links}, revision=1)

    def _made(self, title: str, *targets: str, **fields: Any) -> str:
        links = [{"target": target} for target in targets]
        return self.memory.cards.create(**{**RULE, "title": title, "links": links, **fields}).id

    def merge(self, **given: Any) -> Any:
        return self.memory.cards.merge(
            self.kept, self.merged, **{"kept_revision": 2, "merged_revision": 1, **given}
        )

    def everything(self) -> dict[str, Any]:
        """What a person wrote into each card, by its title."""
        cards = self.memory.cards.list().items
        return {card.id: card.model_dump(exclude={"revision", "updated_at", "updated_by"}) for card in cards}

    def links(self, name: str) -> list[tuple[str, str]]:
        return [(link.target, link.meaning) for link in self.memory.cards.get(name).links]


@pytest.fixture
def linked(memory: Memory) -> Linked:
    return Linked(memory)


def test_a_merge_unites_and_moves_links(linked: Linked) -> None:
    memory = linked.memory
    answer = linked.merge(changes={"content": "Both of it."}, reason="the same")
    assert answer.receipt.revision == 3
    card: Card = memory.cards.get(linked.kept)
    assert (card.title, card.content) == ("kept", "Both of it.")
    assert card.concepts == ("A", "b", "c")
    assert [place.database for place in card.dependencies] == ["d", "e"]
    assert sorted(linked.links(linked.kept)) == sorted(
        [(linked.outer, "own words"), (linked.outer, "see_also")]
    )
    assert linked.links(linked.to_merged) == linked.links(linked.to_both) == [(linked.kept, "see_also")]
    with pytest.raises(NotFound):
        memory.cards.get(linked.merged)
    assert linked.merged not in [hit.id for hit in memory.cards.search("merged").hits]
    assert memory.cards.history(linked.kept).items[0].reason == "the same"
    (merge,) = memory.cards.merges().items
    assert (merge.kept, merge.merged, merge.undone_at) == (linked.kept, linked.merged, None)
    assert memory.upkeep.verify().clean


@pytest.mark.parametrize("changes", [{}, {"title": "both", "links": [], "concepts": []}])
def test_undoing_restores_both_exactly(linked: Linked, changes: dict[str, Any]) -> None:
    memory = linked.memory
    before = linked.everything()
    answer = linked.merge(changes=changes)
    receipts: tuple[CardReceipt, ...] = memory.cards.undo_merge(answer.merge.id)
    assert linked.everything() == before
    assert [(one.id, one.revision) for one in receipts] == [(linked.kept, 4), (linked.merged, 2)]
    assert memory.cards.merges().items[0].undone_at is not None
    for title, name in (("kept", linked.kept), ("merged", linked.merged)):
        assert name in [hit.id for hit in memory.cards.search(title).hits]
    assert memory.upkeep.verify().clean
    with pytest.raises(InvalidInput, match="undone already"):
        memory.cards.undo_merge(answer.merge.id)
    assert linked.everything() == before
    again = linked.merge(kept_revision=4, merged_revision=2)
    memory.cards.undo_merge(again.merge.id)
    assert linked.everything() == before


def test_what_was_unlinked_meanwhile_stays_so(linked: Linked) -> None:
    memory = linked.memory
    answer = linked.merge()
    memory.cards.delete(linked.to_merged)
    memory.cards.delete(linked.outer)
    memory.cards.undo_merge(answer.merge.id)
    assert linked.links(linked.merged) == [(linked.kept, "see_also")]
    assert linked.links(linked.kept) == [(linked.merged, "refines")]
    assert len(linked.links(linked.to_both)) == 2


def test_a_merge_is_refused(linked: Linked) -> None:
    memory = linked.memory
    before = linked.everything()
    for kept, merged, revisions, error in (
        (linked.kept, linked.kept, (2, 2), InvalidInput),
        (linked.kept, "mem-nobody", (2, 1), NotFound),
        ("mem-nobody", linked.kept, (1, 2), NotFound),
        (linked.kept, linked.merged, (1, 1), StaleRevision),
        (linked.kept, linked.merged, (2, 2), StaleRevision),
    ):
        with pytest.raises(error):
            memory.cards.merge(kept, merged, kept_revision=revisions[0], merged_revision=revisions[1])
    for changes in (
        {"content": ""},
        {"links": [{"target": linked.merged}]},
        {"sql": "select 1"},
        {"id": "x"},
    ):
        with pytest.raises(InvalidInput):
            linked.merge(changes=changes)
    assert linked.everything() == before
    assert memory.cards.merges().total == 0


def test_an_undoing_is_refused(linked: Linked) -> None:
    memory = linked.memory
    with pytest.raises(NotFound):
        memory.cards.undo_merge("merge-nobody")
    first = linked.merge()
    memory.cards.update(linked.kept, {"title": "later"}, revision=3)
    before = linked.everything()
    with pytest.raises(StaleRevision, match="Restore both by hand"):
        memory.cards.undo_merge(first.merge.id)
    assert linked.everything() == before
    memory.cards.restore(linked.merged, 1)
    with pytest.raises(InvalidInput, match="there again"):
        memory.cards.undo_merge(first.merge.id)
    second = memory.cards.merge(linked.kept, linked.merged, kept_revision=4, merged_revision=2)
    memory.cards.delete(linked.kept)
    with pytest.raises(NotFound):
        memory.cards.undo_merge(second.merge.id)


def test_only_those_who_manage_may(linked: Linked) -> None:
    reader = linked.memory.acting_as(Principal(id="reader", permissions=frozenset({Permission.READ})))
    for attempt in (
        lambda: reader.cards.create(**RULE),
        lambda: reader.cards.merge(linked.kept, linked.merged, kept_revision=2, merged_revision=1),
        lambda: reader.cards.undo_merge("merge-x"),
        lambda: reader.cards.delete(linked.kept),
        lambda: reader.cards.list(),
        lambda: reader.cards.look_alikes(linked.kept),
    ):
        with pytest.raises(Forbidden):
            attempt()
    assert reader.cards.get(linked.kept).title == "kept"
    assert reader.cards.search("kept").hits
