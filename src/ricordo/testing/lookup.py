"""What an archive guarantees of looking records up; part of `ricordo.testing.archive.ArchiveConformance`."""

from __future__ import annotations

from ricordo.archive.contract import Archive, Stored
from ricordo.records.base import Kind
from ricordo.records.moment import to_micros
from ricordo.records.work import Work
from ricordo.records.workspace import Workspace
from ricordo.testing.opened import OpenedArchive
from ricordo.testing.samples import a_fact, a_session, an_episode, at


class LookupConformance(OpenedArchive):
    """What an archive guarantees of looking records up."""

    def test_what_is_not_there(self, archive: Archive, workspace: Workspace) -> None:
        """What is not there is None or empty, never an error."""
        with archive.read(workspace) as reader:
            for kind in Kind:
                assert reader.get(kind, "nothing") is None
                assert reader.fetch(kind, [1, 2**40]) == {}
                assert reader.get_many(kind, ["nothing"]) == {}
                assert not reader.has_any(kind)
                assert list(reader.scan(kind)) == []
                assert reader.count(kind) == 0
                assert reader.history(kind, "nothing", limit=5, cursor=None).total == 0
            assert reader.find_session("nothing") is None
            assert reader.find_episodes(1, ["nothing"]) == {}
            assert not reader.last_turns(1, 5)
            assert not reader.turns_after(1, 0, 5)
            assert not reader.turns([1], openings=True)
            assert not reader.adjacent([1], 2)
            assert list(reader.speakers(5)) == []

    def test_many_numbers_in_one_call(self, archive: Archive, workspace: Workspace) -> None:
        """33,000 numbers can be asked for at once; those that are there come back."""
        with archive.write(workspace) as writer:
            nums = list(writer.add(Kind.FACT, [a_fact(str(number)) for number in range(1200)]))
        wanted = range(nums[0], nums[0] + 33_000)
        with archive.read(workspace) as reader:
            assert sorted(reader.fetch(Kind.FACT, wanted)) == nums
            ids = [f"fact-{number}" for number in range(33_000)]
            assert sorted(stored.num for stored in reader.get_many(Kind.FACT, ids).values()) == nums
            assert reader.has_any(Kind.FACT)
            assert not reader.turns(wanted, openings=True)
            assert not reader.adjacent(wanted, 1)
        with archive.write(workspace) as writer:
            writer.enqueue(Work.EMBED, Kind.FACT, nums, at(0))
            assert writer.clear_work(Work.EMBED, Kind.FACT, list(wanted)) == len(nums)
            stored = [Stored(num, record) for num, record in writer.fetch(Kind.FACT, wanted).items()]
            writer.remove(Kind.FACT, stored, actor="tester", at=at(1))
            assert writer.count(Kind.FACT) == 0

    def test_a_scan_sees_all_in_order(self, archive: Archive, workspace: Workspace) -> None:
        """A scan in parts gives every record once, by number."""
        with archive.write(workspace) as writer:
            nums = list(writer.add(Kind.FACT, [a_fact(str(number)) for number in range(7)]))
        seen: list[int] = []
        with archive.read(workspace) as reader:
            while part := reader.scan(Kind.FACT, after=seen[-1] if seen else 0, limit=3):
                assert len(part) <= 3
                seen += [stored.num for stored in part]
        assert seen == nums

    def test_sessions_by_either_name(self, archive: Archive, workspace: Workspace) -> None:
        """A session is found by id and by external id; an id wins over another's external id."""
        one, two = a_session("one", external_id="mine"), a_session("two", external_id="session-one")
        with archive.write(workspace) as writer:
            first, second = writer.add(Kind.SESSION, [one, two])
        with archive.read(workspace) as reader:
            found = [reader.find_session(name) for name in ("mine", "session-one", "session-two", "MINE")]
        assert [item and item.num for item in found] == [first, first, second, None]

    def test_turns_of_a_session(self, archive: Archive, workspace: Workspace) -> None:
        """Turns come in the order of their places, near one, after one, or the last; of no other session."""
        one, two = a_session("one"), a_session("two")
        with archive.write(workspace) as writer:
            head, _ = writer.add(Kind.SESSION, [one, two])
            writer.add(Kind.EPISODE, [an_episode(two, place) for place in range(1, 9)])
            writer.add(Kind.EPISODE, [an_episode(one, place) for place in (5, 1, 3, 2, 8)])
        with archive.read(workspace) as reader:
            looks = {
                "last": reader.last_turns(head, 2),
                "all": reader.last_turns(head, 99),
                "around": reader.turns_around(head, 3, 1, 1),
                "edge": reader.turns_around(head, 1, 2, 2),
                "gap": reader.turns_around(head, 4, 0, 0),
                "after": reader.turns_after(head, 2, 2),
                "end": reader.turns_after(head, 8, 2),
            }
        places = {
            name: [int(getattr(turn.record, "position", 0)) for turn in turns]
            for name, turns in looks.items()
        }
        assert places == {
            "last": [5, 8], "all": [1, 2, 3, 5, 8], "around": [2, 3, 5], "edge": [1, 2, 3],
            "gap": [3], "after": [3, 5], "end": [],
        }  # fmt: skip
        assert {getattr(turn.record, "session_id", "") for turns in looks.values() for turn in turns} == {
            one.id
        }

    def test_places_of_turns(self, archive: Archive, workspace: Workspace) -> None:
        """A turn's place holds what recall asks for: who, when, how it opens, whether it asks."""
        head = a_session("one")
        said = [
            an_episode(head, 1, 7, user_message="x" * 5000, speaker="Zoë  Neri"),
            an_episode(head, 2, 8, user_message="Dove sei? ", assistant_message=None),
            an_episode(head, 3, 9, user_message="Dove sei?", assistant_message="A casa."),
            an_episode(head, 4, 9, user_message=None, assistant_message="Where?"),
        ]
        with archive.write(workspace) as writer:
            (session_num,) = writer.add(Kind.SESSION, [head])
            nums = writer.add(Kind.EPISODE, said)
        with archive.read(workspace) as reader:
            turns = {turn.position: turn for turn in reader.turns(nums, openings=True)}
            closed = reader.turns(nums, openings=False)
        assert {turn.session_num for turn in turns.values()} == {session_num}
        assert [turns[place].num for place in (1, 2, 3, 4)] == list(nums)
        assert turns[1].opening == "x" * 2000
        assert (turns[1].speaker, turns[2].speaker) == ("zoe neri", None)
        assert (turns[1].at, turns[3].at) == (to_micros(at(7)), to_micros(at(9)))
        assert [bool(turns[place].asks) for place in (1, 2, 3, 4)] == [False, True, False, True]
        assert turns[4].opening == "Where?"
        assert [turns[place].by_user for place in (1, 2, 3, 4)] == [False, True, True, False]
        assert sorted(closed) == [turn._replace(opening="") for turn in sorted(turns.values())]

    def test_neighbours_of_turns(self, archive: Archive, workspace: Workspace) -> None:
        """Neighbours are turns of the same session within reach, with their distance."""
        one, two = a_session("one"), a_session("two")
        with archive.write(workspace) as writer:
            writer.add(Kind.SESSION, [one, two])
            a1, a2, a4 = writer.add(Kind.EPISODE, [an_episode(one, place) for place in (1, 2, 4)])
            b1, b2 = writer.add(Kind.EPISODE, [an_episode(two, place) for place in (1, 2)])
        with archive.read(workspace) as reader:
            assert sorted(reader.adjacent([a2, b1], 1)) == sorted([(a2, a1, 1), (b1, b2, 1)])
            assert sorted(reader.adjacent([a2], 2)) == sorted([(a2, a1, 1), (a2, a4, 2)])

    def test_speakers(self, archive: Archive, workspace: Workspace) -> None:
        """Speakers come folded, once each, in alphabetical order, as many as are asked for."""
        head = a_session("one")
        names = ["Zoë", "zoe", "Bruno", None, "ALICE", "alice", "ciro"]
        with archive.write(workspace) as writer:
            writer.add(Kind.SESSION, [head])
            writer.add(
                Kind.EPISODE, [an_episode(head, place, speaker=name) for place, name in enumerate(names, 1)]
            )
        with archive.read(workspace) as reader:
            assert list(reader.speakers(99)) == ["alice", "bruno", "ciro", "zoe"]
            assert list(reader.speakers(2)) == ["alice", "bruno"]

    def test_find_episodes(self, archive: Archive, workspace: Workspace) -> None:
        """Episodes are found by external id in their own session only, thousands in one call."""
        one, two = a_session("one"), a_session("two")
        with archive.write(workspace) as writer:
            first, second = writer.add(Kind.SESSION, [one, two])
            turns = [an_episode(one, 1, external_id="a"), an_episode(two, 1, external_id="b")]
            nums = writer.add(Kind.EPISODE, turns)
            asked = ["a", "b", *(f"name {number}" for number in range(2000))]
            assert writer.find_episodes(first, asked) == {"a": Stored(nums[0], turns[0])}
            assert writer.find_episodes(second, asked) == {"b": Stored(nums[1], turns[1])}
            assert writer.find_episodes(first, []) == {}
