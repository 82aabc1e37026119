from __future__ import annotations

import gzip
import json
from datetime import UTC, datetime

import pytest

from .samples import garden, talk, turn


@pytest.mark.parametrize("shape", ["list", "conversation", "bare"])
def test_every_shape_gives_the_same_turns(shape, take, turns):
    sample = garden()
    value = {"list": [sample], "conversation": sample, "bare": sample["conversation"]}[shape]
    report = take("garden.json", json.dumps(value))
    assert (report.format, report.sessions, report.episodes_added) == ("locomo", 2, 3)
    assert [(found.external_id, found.speaker) for found in turns()] == [
        ("D1:1", "Nora"),
        ("D1:2", "Piero"),
        ("D2:1", "Piero"),
    ]


def test_sessions_carry_the_conversations_name_and_project(take, memory):
    take("chats.json", json.dumps([garden("one"), garden("two")]))
    found = {item.external_id: item.project for item in memory.sessions.list().items}
    assert found == {
        "one/session_1": "one",
        "one/session_2": "one",
        "two/session_1": "two",
        "two/session_2": "two",
    }


def test_turns_follow_each_other_by_a_second_from_the_sessions_time(take, turns):
    take("garden.json", json.dumps([garden()]), timezone="Europe/Rome")
    assert [found.occurred_at for found in turns()] == [
        datetime(2023, 5, 8, 11, 56, 0, tzinfo=UTC),
        datetime(2023, 5, 8, 11, 56, 1, tzinfo=UTC),
        datetime(2023, 6, 20, 22, 5, 0, tzinfo=UTC),
    ]


def test_a_caption_stands_in_brackets_and_in_the_metadata(take, turns):
    shown = turn(1, "Nora", "Look!", blip_caption="a lemon on a plate", query="lemon", img_url=["x"])
    wordless = turn(2, "Nora", "", blip_caption="a shed")
    take("one.json", json.dumps(talk(session_1=[shown, wordless])))
    first, second = turns()
    assert first.text == "Look! [a lemon on a plate]"
    assert first.metadata == {"caption": "a lemon on a plate", "query": "lemon"}
    assert second.text == "[a shed]"


def test_project_and_session_of_the_caller_win(take, memory):
    take("garden.json", json.dumps(garden()), project="home", session="chat")
    found = memory.sessions.get("chat/session_1")
    assert found.project == "home"


def test_odd_turns_cost_only_themselves(take, turns):
    odd = [turn(1, "Nora", "One."), "no turn", None, turn(4, "Nora", None), {"text": "Nobody."}, {"a": [1]}]
    report = take("odd.json", json.dumps(talk(session_1=odd, session_2=None, session_3=[])))
    assert [(found.text, found.speaker) for found in turns()] == [("One.", "Nora"), ("Nobody.", None)]
    assert [item.place for item in report.skipped] == [
        f"odd/session_1, turn {place}" for place in (2, 3, 4, 6)
    ]


def test_a_time_that_cannot_be_read_costs_nothing(take, turns):
    report = take(
        "odd.json", json.dumps(talk(session_1_date_time="some day", session_1=[turn(1, "A", "Hm.")]))
    )
    assert (report.episodes_added, report.skipped_count) == (1, 0)


def test_a_broken_end_costs_only_what_is_behind_it(take, turns):
    sample = garden()
    ordered = {"sample_id": "garden", "conversation": sample["conversation"]}
    whole = json.dumps([ordered])
    report = take("cut.json", whole[: whole.index("The frost")])
    assert [found.external_id for found in turns()] == ["D1:1", "D1:2"]
    assert report.skipped_count == 1
    assert "breaks off" in report.skipped[0].reason
    again = take("whole.json", whole)
    assert (again.episodes_known, again.episodes_added) == (2, 1)


def test_a_conversation_whose_name_is_cut_off_is_left_out(take, turns):
    whole = json.dumps([garden("one"), garden("two")])
    report = take("cut.json", whole[: whole.rindex("sample_id")])
    assert {found.external_id for found in turns()} == {"D1:1", "D1:2", "D2:1"}
    assert "lasting name" in report.skipped[-1].reason
    assert take("whole.json", whole).episodes_added == 3


def test_gzip_is_read_as_it_is(take):
    assert take("garden.json.gz", gzip.compress(json.dumps([garden()]).encode())).episodes_added == 3


def test_two_turns_with_one_id_are_both_kept(take, turns):
    double = talk(
        session_1=[turn(1, "Nora", "First."), turn(1, "Nora", "Second."), turn(1, "Nora", "First.")]
    )
    report = take("double.json", json.dumps(double))
    assert [found.text for found in turns()] == ["First.", "Second."]
    assert (report.episodes_added, report.episodes_known) == (2, 1)
    assert take("double.json", json.dumps(double)).episodes_added == 0


def test_escapes_of_every_kind(take, turns):
    texts = ["NUL \\u0000 here", "half \\ud83d pair", 'quote \\" and \\\\', "smile \\ud83d\\ude00"]
    body = ", ".join(f'{{"speaker": "A", "text": "{text}"}}' for text in texts)
    report = take("odd.json", f'{{"session_1": [{body}]}}')
    assert report.episodes_added == 4
    found = [item.text for item in turns()]
    assert found[0].startswith("NUL")
    assert found[2:] == ['quote " and \\', "smile 😀"]


def test_numbers_of_any_size_and_place(take, turns):
    odd = '{"n": 123456789012345678901234567890, "f": 1e999, "session_1": [%s]}'
    take("odd.json", odd % '{"speaker": 7, "dia_id": 12, "text": 1.5, "query": [1.5]}')
    assert [(found.external_id, found.speaker, found.text) for found in turns()] == [("12", "7", "1.5")]


@pytest.mark.parametrize("end", [" x", "}", ',{"session_2": NaN}'])
def test_what_stands_behind_the_end_is_reported(end, take):
    report = take("odd.json", json.dumps(garden()) + end)
    assert (report.episodes_added, report.skipped_count) == (3, 1)
    assert "\n" not in report.skipped[0].reason
