"""What an archive guarantees of links and merges of cards; part of `ricordo.testing.archive`."""

from __future__ import annotations

from ricordo.archive.contract import Archive, CardLink, StoredMerge
from ricordo.records.base import Kind
from ricordo.records.card import Card, Dependency, Link, Merge
from ricordo.records.work import Work
from ricordo.records.workspace import Language, Workspace
from ricordo.testing.opened import OpenedArchive, must_get
from ricordo.testing.samples import HOSTILE, START, a_card, a_fact, at, revised


def _links(*targets: str, meaning: str = "see_also") -> tuple[Link, ...]:
    return tuple(Link(target=f"mem-{target}", meaning=meaning) for target in targets)


class CardConformance(OpenedArchive):
    """Cards with what hangs on them."""

    def test_a_card_comes_back_as_it_was(self, archive: Archive, workspace: Workspace) -> None:
        """Any text in any field, sets and lists in their order, links by the targets' ids."""
        target = a_card("target")
        with archive.write(workspace) as writer:
            writer.add(Kind.CARD, [target])
            for number, text in enumerate(HOSTILE):
                card = a_card(
                    f"{number}",
                    title=text,
                    scope=text,
                    content=text,
                    question=text,
                    sql=text,
                    context=text,
                    rationale=text,
                    concepts=("z", text, "a"),
                    dependencies=(
                        Dependency(database=text, table=text),
                        Dependency(database="b", schema=text),
                    ),
                    links=_links("target", meaning=text),
                )
                writer.add(Kind.CARD, [card])
                assert must_get(writer, Kind.CARD, card.id).record == card
                assert writer.cards.links_to(writer.cards.nums(["mem-target"])["mem-target"])

    def test_links_go_with_either_end(self, archive: Archive, workspace: Workspace) -> None:
        """Deleting a card removes its links in both directions; the other cards stay as they are."""
        cards = [a_card("a", links=_links("b", "c")), a_card("b", links=_links("a", "c")), a_card("c")]
        with archive.write(workspace) as writer:
            writer.add(Kind.CARD, cards)
        with archive.write(workspace) as writer:
            writer.remove(Kind.CARD, [must_get(writer, Kind.CARD, "mem-b")], actor="tester", at=at(1))
            left = must_get(writer, Kind.CARD, "mem-a")
            assert left.record == cards[0].model_copy(update={"links": _links("c")})
            nums = writer.cards.nums(["mem-a", "mem-b", "mem-c"])
            assert set(nums) == {"mem-a", "mem-c"}
            assert writer.cards.links_to(nums["mem-c"]) == [(nums["mem-a"], "mem-a", "see_also")]
            writer.add(Kind.CARD, [revised(cards[1], 2, links=())])
            again = writer.cards.nums(["mem-b"])["mem-b"]
            assert writer.cards.links_to(again) == []
            assert writer.cards.links_from([again, *nums.values()], per_card=9) == [
                CardLink(nums["mem-a"], nums["mem-c"], "mem-c")
            ]

    def test_an_edit_replaces_outgoing_links_only(self, archive: Archive, workspace: Workspace) -> None:
        """Links to an edited card stay; its own are those of its new revision."""
        with archive.write(workspace) as writer:
            writer.add(
                Kind.CARD, [a_card("a", links=_links("b")), a_card("b", links=_links("c")), a_card("c")]
            )
            stored = must_get(writer, Kind.CARD, "mem-b")
            writer.replace(stored, revised(stored.record, 1, links=_links("a")))
            nums = writer.cards.nums(["mem-a", "mem-b", "mem-c"])
            assert [name for _, name, _ in writer.cards.links_to(nums["mem-b"])] == ["mem-a"]
            assert writer.cards.links_to(nums["mem-c"]) == []
            assert [name for _, name, _ in writer.cards.links_to(nums["mem-a"])] == ["mem-b"]

    def test_links_to_follow(self, archive: Archive, workspace: Workspace) -> None:
        """Different targets of each card by their ids, the first so many; two meanings are one target."""
        names = ["d", "b", "c", "a"]
        links = (*_links("d", "b", "c"), *_links("b", meaning="refines"))
        with archive.write(workspace) as writer:
            cards = [a_card(name, links=links if name == "a" else _links("a")) for name in names]
            writer.add(Kind.CARD, cards)
            nums = writer.cards.nums([card.id for card in cards])
            source = nums["mem-a"]
            for most in range(5):
                found = writer.cards.links_from([source], per_card=most)
                expected = ["mem-b", "mem-c", "mem-d"][:most]
                assert found == [CardLink(source, nums[name], name) for name in expected]
            assert len(writer.cards.links_from(list(nums.values()), per_card=2)) == 5
            assert writer.cards.revisions([*nums.values(), 10**9]) == {
                num: (name, 1) for name, num in nums.items()
            }

    def test_many_numbers_and_ids_in_one_call(self, archive: Archive, workspace: Workspace) -> None:
        """33,000 of them."""
        with archive.write(workspace) as writer:
            writer.add(Kind.CARD, [a_card("a", links=_links("b")), a_card("b")])
            every = list(range(33_000))
            assert set(writer.cards.nums([f"mem-{number}" for number in every] + ["mem-a"])) == {"mem-a"}
            assert len(writer.cards.revisions(every)) == 2
            assert len(writer.cards.links_from(every, per_card=20)) == 1

    def test_single_links(self, archive: Archive, workspace: Workspace) -> None:
        """One link is made once, and removed."""
        with archive.write(workspace) as writer:
            one, other = writer.add(Kind.CARD, [a_card("a"), a_card("b")])
            assert writer.cards.add_link(one, other, "refines")
            assert not writer.cards.add_link(one, other, "refines")
            assert writer.cards.add_link(one, other, "contradicts")
            writer.cards.drop_link(one, other, "refines")
            writer.cards.drop_link(one, other, "refines")
            assert writer.cards.links_to(other) == [(one, "mem-a", "contradicts")]

    def test_merges(self, archive: Archive, workspace: Workspace) -> None:
        """Kept whole, listed newest first in pages, ended once, and not seen from elsewhere."""
        moved = (("mem-c", "see_also", True), ("mem-d", "own words", False))
        common = {"kept": "mem-a", "merged": "mem-b", "actor": "me", "reason": "x"}
        kept = [
            StoredMerge(Merge(id=f"merge-{number}", at=at(number), **common), 1, 2, 3, moved)
            for number in range(5)
        ]
        with archive.write(workspace) as writer:
            for stored in kept:
                writer.cards.add_merge(stored)
            writer.cards.end_merge("merge-3", at(9))
        ended = kept[3].merge.model_copy(update={"undone_at": at(9)})
        expected = [kept[4].merge, ended, *(stored.merge for stored in reversed(kept[:3]))]
        with archive.read(workspace) as reader:
            assert reader.cards.merge("merge-1") == kept[1]
            assert reader.cards.merge("merge-9") is None
            found: list[Merge] = []
            cursor = None
            while True:
                page = reader.cards.merges(limit=2, cursor=cursor)
                assert page.total == 5
                found += page.items
                cursor = page.next_cursor
                if cursor is None:
                    break
            assert found == expected
        other = archive.ensure_workspace("other", Language.ENGLISH, START)
        with archive.write(other) as stranger:
            assert stranger.cards.merge("merge-1") is None
            assert stranger.cards.merges(limit=9, cursor=None).total == 0
            stranger.cards.end_merge("merge-1", at(9))
        with archive.read(workspace) as reader:
            assert reader.cards.merge("merge-1") == kept[1]

    def test_one_revision(self, archive: Archive, workspace: Workspace) -> None:
        """Any revision of a card that is there, or was; none that never was."""
        first = a_card("a", content="one")
        with archive.write(workspace) as writer:
            writer.add(Kind.CARD, [first])
            stored = must_get(writer, Kind.CARD, "mem-a")
            writer.replace(stored, revised(first, 1, content="two"), reason="why")

        def bodies() -> list[str | None]:
            with archive.read(workspace) as reader:
                entries = [reader.revision(Kind.CARD, "mem-a", number) for number in range(4)]
                assert reader.revision(Kind.FACT, "mem-a", 1) is None
            return [None if entry is None else Card.model_validate(entry.body).content for entry in entries]

        assert bodies() == [None, "one", "two", None]
        with archive.write(workspace) as writer:
            writer.remove(Kind.CARD, [must_get(writer, Kind.CARD, "mem-a")], actor="tester", at=at(2))
        assert bodies() == [None, "one", "two", None]

    def test_pending_work_of_one_kind(self, archive: Archive, workspace: Workspace) -> None:
        """Listed and counted alone; gone with the card."""
        with archive.write(workspace) as writer:
            facts = writer.add(Kind.FACT, [a_fact("a")])
            nums = writer.add(Kind.CARD, [a_card(name) for name in "abc"])
            writer.enqueue(Work.EMBED, Kind.FACT, facts, at(0))
            writer.enqueue(Work.EMBED, Kind.CARD, nums, at(0))
            page = writer.pending(at(1), limit=2, cursor=None, kind=Kind.CARD)
            assert [item.kind for item in page.items] == [Kind.CARD, Kind.CARD]
            assert page.total == 3
            rest = writer.pending(at(1), limit=2, cursor=page.next_cursor, kind=Kind.CARD)
            assert len(rest.items) == 1
            writer.remove(Kind.CARD, [must_get(writer, Kind.CARD, "mem-a")], actor="tester", at=at(2))
            assert writer.pending(at(1), limit=9, cursor=None, kind=Kind.CARD).total == 2
            assert writer.pending(at(1), limit=9, cursor=None).total == 3

    def test_another_workspaces_cards_are_not_known(self, archive: Archive, workspace: Workspace) -> None:
        """Not by id, and the same id may be used there."""
        other = archive.ensure_workspace("other", Language.ENGLISH, START)
        with archive.write(workspace) as writer:
            writer.add(Kind.CARD, [a_card("a")])
        with archive.write(other) as stranger:
            assert stranger.cards.nums(["mem-a"]) == {}
            assert stranger.revision(Kind.CARD, "mem-a", 1) is None
            stranger.add(Kind.CARD, [a_card("a", title="theirs")])
        with archive.read(workspace) as reader:
            assert must_get(reader, Kind.CARD, "mem-a").record == a_card("a")
