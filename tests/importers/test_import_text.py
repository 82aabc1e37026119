from __future__ import annotations

from datetime import UTC, datetime


def test_speakers_and_continuations(take, turns):
    text = (
        "Nora: I looked everywhere:\n"
        "in the shed,\n"
        "  Note: behind the door too.\n"
        "\n"
        "And at http://example.org/keys, at 12:30.\n"
        "Piero Bianchi: Trovata!\n"
        "Assistant: Good.\n"
        "User: Thanks.\n"
    )
    report = take("keys.txt", text)
    assert (report.format, report.episodes_added, report.skipped_count) == ("text", 4, 0)
    first, second, third, fourth = turns("keys")
    assert first.text.splitlines() == [
        "I looked everywhere:",
        "in the shed,",
        "  Note: behind the door too.",
        "",
        "And at http://example.org/keys, at 12:30.",
    ]
    assert (first.speaker, second.speaker, second.text) == ("Nora", "Piero Bianchi", "Trovata!")
    assert (third.assistant_message, fourth.user_message, fourth.speaker) == ("Good.", "Thanks.", None)


def test_stamps(take, turns):
    text = "Nora: early\n[2024-05-01 10:00] Nora: one\nPiero: two\n[2024-05-01T10:05:30+00:00] Nora: three\n"
    take("stamped.txt", text, timezone="Europe/Rome")
    assert [found.occurred_at for found in turns()][1:] == [
        datetime(2024, 5, 1, 8, 0, 0, tzinfo=UTC),
        datetime(2024, 5, 1, 8, 0, 1, tzinfo=UTC),
        datetime(2024, 5, 1, 10, 5, 30, tzinfo=UTC),
    ]


def test_a_name_alone_on_its_line_counts_once_it_has_spoken(take, turns):
    take("chat.txt", "Nora: hi\nThe list is here:\n- nails\nNora:\nand a hammer\n")
    assert [found.text for found in turns()] == ["hi\nThe list is here:\n- nails", "and a hammer"]


def test_what_stands_before_the_first_speaker_is_reported(take):
    report = take("chat.txt", "# A title\n\nNora: hi\n")
    assert [(item.place, item.reason) for item in report.skipped] == [
        ("line 1", "nobody has begun to speak yet")
    ]


def test_line_ends_of_every_kind(take, turns):
    take("chat.txt", b"Nora: one\r\nPiero: two\rNora: three\nPiero: four")
    assert [found.text for found in turns()] == ["one", "two", "three", "four"]


def test_an_impossible_date_costs_nothing(take, turns):
    assert take("chat.txt", "[2024-13-45 10:00] Nora: hi\n").episodes_added == 1
    assert turns()[0].text == "hi"


def test_names_in_any_script(take, turns):
    take("chat.txt", "Zoë O’Neil: hi\n田中: こんにちは\nАнна: привет\n")
    assert [found.speaker for found in turns()] == ["Zoë O’Neil", "田中", "Анна"]


def test_session_and_project_of_the_caller(take, memory):
    take("chat.txt", "Nora: hi\n", session="talk 1", project="home")
    assert memory.sessions.get("talk 1").project == "home"


def test_hostile_words_are_only_words(take, turns, memory):
    text = 'Nora: \'; DELETE FROM episodes; -- {0} %s ../../etc "quoted" <|endoftext|>'
    take("chat.txt", text, session="') OR true--")
    assert turns("') OR true--")[0].text == text.removeprefix("Nora: ")
    assert memory.recall("endoftext").hits
