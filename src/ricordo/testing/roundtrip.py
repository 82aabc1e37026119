"""What an archive guarantees of the content of records; part of `ricordo.testing.archive`."""

from __future__ import annotations

from ricordo.archive.contract import Archive
from ricordo.records.base import Kind
from ricordo.records.filters import Filters
from ricordo.records.workspace import Workspace
from ricordo.testing.opened import OpenedArchive, must_get
from ricordo.testing.samples import HOSTILE, a_fact, a_session, an_episode, at


class RoundtripConformance(OpenedArchive):
    """What is kept comes back as it was."""

    def test_a_text_comes_back_as_it_was(self, archive: Archive, workspace: Workspace) -> None:
        """Any text in any field is stored and found again as it is."""
        for number, text in enumerate(HOSTILE):
            head = a_session(f"{number}", external_id=text, name=text, project=text, metadata={text: [text]})
            turn = an_episode(
                head, 1, user_message=text, assistant_message=text, speaker=text, external_id=text,
                metadata={"nested": {text: text}}, user_tokens=0, assistant_tokens=12,
            )  # fmt: skip
            fact = a_fact(
                f"{number}", content=text, domain=text, topic=text, tags=(text, "b"), sources=(text,)
            )
            with archive.write(workspace) as writer:
                (session_num,) = writer.add(Kind.SESSION, [head])
                writer.add(Kind.EPISODE, [turn])
                writer.add(Kind.FACT, [fact])
            with archive.read(workspace) as reader:
                counted = head.model_copy(update={"episode_count": 1})
                assert must_get(reader, Kind.SESSION, head.id).record == counted
                assert must_get(reader, Kind.EPISODE, turn.id).record == turn
                assert must_get(reader, Kind.FACT, fact.id).record == fact
                found = reader.find_session(text)
                turn_found = reader.find_episodes(session_num, [text]).get(text)
                assert (found and found.num) == session_num
                assert (turn_found and turn_found.record) == turn
                listed = reader.page(Kind.FACT, Filters(domain=text, tags=(text,)), limit=9, cursor=None)
                assert [item.id for item in listed.items] == [fact.id]

    def test_every_field_comes_back(self, archive: Archive, workspace: Workspace) -> None:
        """Times keep their microseconds, optional fields their absence."""
        moment = at(0).replace(microsecond=123_457)
        fact = a_fact(
            "all", agent="a", role="r", valid_from=moment, valid_until=at(5), superseded_by="fact-x",
            superseded_at=moment, last_recalled_at=moment, recall_count=3, mention_count=7, confidence=1 / 3,
        )  # fmt: skip
        with archive.write(workspace) as writer:
            writer.add(Kind.FACT, [fact, a_fact("bare")])
        with archive.read(workspace) as reader:
            assert must_get(reader, Kind.FACT, fact.id).record == fact
            assert must_get(reader, Kind.FACT, "fact-bare").record == a_fact("bare")
