from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest

from .samples import lines, said


def test_a_message_a_line(take, turns, memory):
    text = lines(said("user", "Where is the key?", name="Nora"), said("assistant", "In the drawer."))
    report = take("chat.jsonl", text)
    assert (report.format, report.sessions, report.episodes_added) == ("openai", 1, 2)
    question, answer = turns()
    assert (question.user_message, question.speaker) == ("Where is the key?", "Nora")
    assert (answer.assistant_message, answer.user_message) == ("In the drawer.", None)
    assert memory.sessions.get("chat").episode_count == 2


def test_a_conversation_a_line(take, memory):
    messages = [said("user", "Ciao"), said("assistant", "Ciao!")]
    text = lines(
        {"id": "abc", "title": "Hello", "messages": messages},
        {"title": None, "messages": messages},
        messages,
    )
    take("chats.jsonl", text)
    found = {item.external_id: item.name for item in memory.sessions.list().items}
    assert found == {"abc": "Hello", "chats/2": None, "chats/3": None}


def test_lines_name_their_session(take, turns):
    text = lines(
        said("user", "one", session_id="a"),
        said("user", "two", conversation_id="b"),
        said("user", "three", session_id="a"),
    )
    take("mixed.jsonl", text, project="p")
    assert [found.text for found in turns("a")] == ["one", "three"]
    assert [found.text for found in turns("b")] == ["two"]


def test_a_session_whose_name_looks_like_an_id_is_made(take, turns):
    take("session-1.jsonl", lines(said("user", "hello")))
    assert [found.text for found in turns("session-1")] == ["hello"]


@pytest.mark.parametrize(
    ("given", "read"),
    [
        ({"created_at": "2024-05-01T10:00:00+02:00"}, datetime(2024, 5, 1, 8, tzinfo=UTC)),
        ({"timestamp": "2024-05-01 10:00"}, datetime(2024, 5, 1, 8, tzinfo=UTC)),
        ({"timestamp": "2024-05-01T10:00:00Z"}, datetime(2024, 5, 1, 10, tzinfo=UTC)),
        ({"created": 1714557600}, datetime(2024, 5, 1, 10, tzinfo=UTC)),
        ({"create_time": 1714557600.5}, datetime(2024, 5, 1, 10, 0, 0, 500000, tzinfo=UTC)),
        ({"timestamp": 1714557600000}, datetime(2024, 5, 1, 10, tzinfo=UTC)),
        ({"timestamp": "1714557600"}, datetime(2024, 5, 1, 10, tzinfo=UTC)),
        ({"created_at": "yesterday", "created": 1714557600}, datetime(2024, 5, 1, 10, tzinfo=UTC)),
    ],
)
def test_times(given, read, take, turns):
    take("chat.jsonl", lines(said("user", "x", **given), said("user", "y")), timezone="Europe/Rome")
    first, second = turns()
    assert first.occurred_at == read
    assert (second.occurred_at - first.occurred_at).total_seconds() == 1


@pytest.mark.parametrize("time", [True, [], "", "never", 1e30, "9999-99-99", "0001-01-01T00:00:00+23:00"])
def test_a_time_that_is_none_costs_nothing(time, take):
    assert take("chat.jsonl", lines(said("user", "x", timestamp=time))).episodes_added == 1


def test_content_in_parts(take, turns):
    parts = [{"type": "text", "text": "See"}, {"type": "image_url", "image_url": {}}, "this", None, 7]
    refusal = [{"type": "refusal", "refusal": "I would rather not."}]
    take("chat.jsonl", lines(said("user", parts), said("assistant", refusal)))
    first, second = turns()
    assert (first.text, first.metadata) == ("See\nthis", {"parts": ["image_url"]})
    assert second.text == "I would rather not."


def test_what_is_left_out_says_why(take):
    text = lines(
        said("user", "kept"),
        said("system", "Be kind."),
        said("tool", "42"),
        said("wizard", "x"),
        {"content": "x"},
        said("assistant", None, tool_calls=[{}]),
        said("user", [{"type": "input_audio"}]),
        said("user", "   "),
        {"messages": ["x"]},
        7,
        "text",
    )
    report = take("chat.jsonl", text)
    assert report.episodes_added == 1
    assert [(item.place, item.reason) for item in report.skipped] == [
        ("line 2", "role 'system' is no part of what was said"),
        ("line 3", "role 'tool' is no part of what was said"),
        ("line 4", "unknown role 'wizard'"),
        ("line 5", "it has no role"),
        ("line 6", "it has no text"),
        ("line 7", "it has no text, only input_audio"),
        ("line 8", "it has no text"),
        ("line 9, message 1", "it is no message"),
        ("line 10", "it holds no message"),
        ("line 11", "it holds no message"),
    ]


def test_broken_lines_cost_only_themselves(take, turns):
    good = json.dumps(said("user", "good"))
    deep = "[" * 100_000
    text = f'{good}\n{{"role": "user", "cont\n{deep}\n\n{json.dumps(said("user", "last"))}\n{{"role": "assis'
    report = take("chat.jsonl", text)
    assert [found.text for found in turns()] == ["good", "last"]
    assert [item.place for item in report.skipped] == ["line 2", "line 3", "line 6"]
    assert all("not valid JSON" in item.reason for item in report.skipped)


def test_a_line_ends_only_at_a_line_end(take, turns):
    take("chat.jsonl", '{"role": "user", "content": "a\u2028b\u0085c"}\r\n' + lines(said("user", "d")))
    assert [found.text for found in turns()] == ["a\u2028b\u0085c", "d"]


def test_odd_signs_are_kept_storable(take, turns):
    take("chat.jsonl", '{"role": "user", "content": "NUL \\u0000, half \\ud800, \u0001 raw"}\n')
    assert turns()[0].text == "NUL \u2400, half \ufffd, \u0001 raw"


def test_one_id_for_two_texts_keeps_both(take, turns):
    text = lines(*(said("user", text, id="same") for text in ("one", "two", "one")))
    report = take("chat.jsonl", text)
    assert [found.text for found in turns()] == ["one", "two"]
    assert report.episodes_known == 1


def test_the_same_words_twice_are_two_turns(take, turns):
    text = lines(*(said("user", "ok") for _ in range(3)))
    assert take("chat.jsonl", text).episodes_added == 3
    assert take("chat.jsonl", text).episodes_added == 0
    assert len({found.external_id for found in turns()}) == 3


def test_a_very_long_id_and_name(take, turns):
    text = lines(said("user", "x", id="i" * 5000, name="n" * 5000), said("user", "y", id="i" * 4999))
    report = take("chat.jsonl", text)
    assert report.episodes_read == 1
    assert report.skipped[0].place == "line 1"
