"""Inputs that break other systems, over HTTP: no error, and a literal word is found."""

from __future__ import annotations

import json
from pathlib import Path

import httpx
import pytest

CASES = json.loads((Path(__file__).parent / "hostile.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def stored(client: httpx.Client) -> str:
    """Address of a workspace that holds all texts."""
    client.post("/api/workspaces", json={"name": "hostile"})
    address = "/api/workspaces/hostile"
    episodes = [{"user_message": text} for text, _, _ in CASES if text]
    client.post(f"{address}/sessions/all/episodes", json={"episodes": episodes}).raise_for_status()
    client.post(f"{address}/index/rebuild").raise_for_status()
    return address


@pytest.mark.parametrize(("text", "question", "word"), CASES)
def test_literal_word_is_found(
    client: httpx.Client, stored: str, text: str, question: str, word: str
) -> None:
    answer = client.post(f"{stored}/recall", json={"question": question, "top": 100})
    assert answer.status_code == 200
    if word:
        expected = text.replace("\x00", "\u2400")
        voices = {
            hit["text"]: {voice["voice"] for voice in hit["retrieval"]["voices"]}
            for hit in answer.json()["hits"]
        }
        assert "lexical" in voices[expected]


def test_very_long_question(client: httpx.Client, stored: str) -> None:
    question = "hypervisor pve-01 " + "word " * 50_000
    answer = client.post(f"{stored}/recall", json={"question": question})
    assert "The hypervisor is called pve-01" in [hit["text"] for hit in answer.json()["hits"]]


def test_lone_surrogate_is_kept_as_a_mark(client: httpx.Client, stored: str) -> None:
    body = b'{"content": "Half \\ud83d a sign", "tags": ["\\udc00"]}'
    made = client.post(f"{stored}/facts", content=body, headers={"Content-Type": "application/json"})
    read = client.get(f"{stored}/facts/{made.json()['id']}").json()
    assert (read["content"], read["tags"]) == ("Half \ufffd a sign", ["\ufffd"])


def test_unknown_field_with_half_a_sign_is_still_answered(client: httpx.Client, stored: str) -> None:
    body = b'{"question": "x", "\\ud83d": 1}'
    answer = client.post(f"{stored}/recall", content=body, headers={"Content-Type": "application/json"})
    assert (answer.status_code, answer.json()["error"]["code"]) == (422, "invalid_input")


@pytest.mark.parametrize(
    "body",
    [
        {"content": "x", "valid_from": "0001-01-01T00:00:00+14:00"},
        {"content": "x", "valid_until": "9999-12-31T23:59:59-14:00"},
        {"content": "x", "confidence": 1e400},
        {"content": "x", "confidence": "nan"},
        {"content": "x", "valid_from": 1e300},
    ],
)
def test_values_at_the_edge_are_refused(client: httpx.Client, stored: str, body: dict[str, object]) -> None:
    text = json.dumps(body).replace("Infinity", "1e400")
    answer = client.post(f"{stored}/facts", content=text, headers={"Content-Type": "application/json"})
    assert (answer.status_code, answer.json()["error"]["code"]) == (422, "invalid_input")


def test_numbers_beyond_the_archive_are_refused(client: httpx.Client, stored: str) -> None:
    huge = 10**30
    episode = {"session": "big", "user_message": "x", "user_tokens": huge}
    assert client.post(f"{stored}/episodes", json=episode).status_code == 422
    assert client.post(f"{stored}/pending/retry", json={"item": huge}).status_code in (404, 422)
    deep: object = "x"
    for _ in range(150):
        deep = [deep]
    meta = {"session": "deep", "user_message": "x", "metadata": {"deep": deep, "big": huge}}
    made = client.post(f"{stored}/episodes", json=meta)
    assert made.status_code == 201
    assert client.get(f"{stored}/episodes/{made.json()['id']}").json()["metadata"]["deep"] == deep


@pytest.mark.parametrize("reason", ['"half \\ud800 a sign"', "5", "[]", '" "', '"' + "x" * 2_001 + '"'])
def test_a_reason_that_is_none_is_named(api: httpx.Client, reason: str) -> None:
    made = api.post("/episodes", json={"session": "s", "user_message": "x"}).json()
    content = f'{{"changes": {{"user_message": "y"}}, "reason": {reason}}}'
    answer = api.patch(
        f"/episodes/{made['id']}",
        content=content,
        headers={"If-Match": '"1"', "content-type": "application/json"},
    )
    assert answer.status_code in {413, 422}
    assert answer.json()["error"]["details"]["field"] == "reason"
