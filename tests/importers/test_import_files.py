from __future__ import annotations

import gzip
import os
from pathlib import Path

import pytest

from ricordo.errors import InvalidInput, UnreadableFile
from ricordo.importers.chat import import_chat

from .samples import lines, said

TALK = "Nora: Perché la città è più bella?\nPiero: Così, «dell’utente» – 10 €.\n"


@pytest.mark.parametrize(
    ("codec", "said_as"),
    [
        ("utf-8", "utf-8"),
        ("utf-8-sig", "utf-8"),
        ("utf-16", "utf-16"),
        ("cp1252", "cp1252"),
    ],
)
def test_encodings_are_found_out(codec, said_as, take, turns):
    report = take("chat.txt", TALK.encode(codec))
    assert report.encoding == said_as
    assert [found.text for found in turns()] == [line.partition(": ")[2] for line in TALK.splitlines()]


@pytest.mark.parametrize("order", ["utf-16-le", "utf-16-be"])
def test_utf16_with_a_mark_in_either_order(order, take, turns):
    report = take("chat.jsonl", ("\ufeff" + lines(said("user", "città"))).encode(order))
    assert (report.encoding, turns()[0].text) == ("utf-16", "città")


def test_damaged_utf8_is_not_taken_for_cp1252(take, turns):
    good = "Nora: perché così più là\n".encode()
    report = take("chat.txt", good + b"Piero: broken \xff sign\n")
    assert report.encoding == "utf-8"
    assert [found.text for found in turns()] == ["perché così più là", "broken \ufffd sign"]
    assert "1 damaged" in report.skipped[0].reason


@pytest.mark.parametrize(
    ("text", "damaged", "encoding"),
    [
        ("\ufeffNora: perché ".encode() + b"caff\xe8\n", 1, "utf-8"),
        ("\ufeffNora: perché \ufffd\n".encode(), 0, "utf-8"),
        ("\ufeffNora: ".encode("utf-16-le") + b"\x00\xd8" + "x\n".encode("utf-16-le"), 1, "utf-16"),
    ],
)
def test_damage_is_noted_behind_a_mark_too(text, damaged, encoding, take):
    report = take("chat.txt", text)
    assert report.encoding == encoding
    noted = [f"{damaged} damaged" in skip.reason for skip in report.skipped]
    assert noted == [True] * damaged


def test_a_text_cut_within_a_sign_is_still_utf8(take):
    assert take("chat.txt", "Nora: perché".encode()[:-1]).encoding == "utf-8"


def test_nul_is_kept_visible(take, turns):
    take("chat.txt", b"Nora: before\x00after\n")
    assert turns()[0].text == "before\u2400after"


def test_gzip_that_breaks_off_gives_what_there_is(take, turns):
    rows = [said("user", f"turn {number} {os.urandom(300).hex()}") for number in range(200)]
    packed = gzip.compress(lines(*rows).encode())
    report = take("chat.jsonl.gz", packed[: len(packed) // 2])
    assert 0 < report.episodes_added < 200
    assert "breaks off" in report.skipped[-1].reason
    assert report.episodes_added == len(turns())


@pytest.mark.parametrize("packed", [False, True])
def test_the_format_is_found_without_a_telling_name(packed, memory, write):
    for name, text in (
        ("a", lines(said("user", "x"))),
        ("b", '{"session_1": [{"speaker": "Nora", "text": "hi"}]}'),
        ("c", "Nora: hi\n"),
    ):
        raw = text.encode()
        file = write(name, gzip.compress(raw) if packed else raw)
        found = import_chat(memory, file).format
        assert found == {"a": "openai", "b": "locomo", "c": "text"}[name]


def test_files_that_cannot_be_read(memory, tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "missing.txt", tmp_path, tmp_path / "pipe", Path("nul\x00l")):
        with pytest.raises(UnreadableFile) as caught:
            import_chat(memory, path)
        assert caught.value.cure


def test_a_file_that_may_not_be_read(memory, write):
    file = write("chat.txt", "Nora: hi\n")
    file.chmod(0)
    user = os.geteuid()
    if user == 0:
        os.seteuid(65534)  # root may read everything; nobody may not
    try:
        with pytest.raises(UnreadableFile):
            import_chat(memory, file)
    finally:
        os.seteuid(user)


@pytest.mark.parametrize(
    "content", ["", "  \n\n", "just words\nand more\n", '{"a": 1}', "[1, 2]", "\x00\x01\x02"]
)
def test_no_known_format_names_the_formats(content, take):
    with pytest.raises(UnreadableFile) as caught:
        take("thing.json", content)
    assert not content.strip() or all(name in str(caught.value) for name in ("locomo", "openai", "text"))


def test_an_unknown_format_or_time_zone(take):
    with pytest.raises(InvalidInput, match="locomo"):
        take("chat.txt", TALK, format="whatsapp")
    for zone in ("Mars/Olympus", "", "../etc/passwd", "Europe"):
        with pytest.raises(InvalidInput, match="time zone"):
            take("chat.txt", TALK, timezone=zone)


def test_a_named_format_is_not_questioned(take):
    report = take("chat.txt", "no speaker here\n", format="text")
    assert (report.episodes_read, report.skipped_count) == (0, 1)


def test_skipped_places_are_counted_beyond_those_that_are_named(take):
    report = take("chat.jsonl", lines(said("user", "x")) + "{\n" * 250)
    assert (len(report.skipped), report.skipped_count) == (100, 250)
