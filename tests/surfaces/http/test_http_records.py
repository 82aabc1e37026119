"""Every operation over HTTP, on a real server."""

from __future__ import annotations

from urllib.parse import quote

import httpx
import pytest

TURNS = [
    {"user_message": "Where is the key of the archive?", "speaker": "Ada"},
    {"assistant_message": "Under the blue flowerpot."},
    {"user_message": "Dov'è il gatto?", "speaker": "Bruno", "external_id": "turn-3"},
]


def error_of(answer: httpx.Response) -> tuple[int, str]:
    return answer.status_code, answer.json()["error"]["code"]


def test_life_of_a_session_and_its_episodes(api: httpx.Client) -> None:
    made = api.post("/sessions", json={"external_id": "chat-1", "name": "First", "project": "home"})
    assert made.status_code == 201
    session_id = made.json()["id"]
    assert error_of(api.post("/sessions", json={"external_id": "chat-1"})) == (409, "already_exists")

    batch = api.post("/sessions/chat-1/episodes", json={"episodes": TURNS})
    assert batch.status_code == 201
    assert [item["created"] for item in batch.json()["receipts"]] == [True, True, True]
    single = api.post(f"/sessions/{session_id}/episodes", json={"user_message": "And the dog?"})
    assert single.status_code == 201
    assert single.json()["kind"] == "episode"
    again = api.post("/sessions/chat-1/episodes", json=TURNS[2])
    assert (again.status_code, again.json()["created"]) == (200, False)

    listed = api.get("/sessions/chat-1/episodes").json()
    assert [item["position"] for item in listed["items"]] == [1, 2, 3, 4]
    assert api.get("/episodes", params={"speaker": "ada"}).json()["total"] == 1
    assert api.get("/sessions/chat-1").json()["episode_count"] == 4
    assert api.get("/sessions", params={"project": "home"}).json()["total"] == 1

    removed = api.delete("/sessions/chat-1").json()["removed"]
    assert removed == {"session": 1, "episode": 4}
    assert error_of(api.get(f"/sessions/{session_id}")) == (404, "not_found")
    assert api.get(f"/sessions/{session_id}/history").json()["items"][0]["action"] == "deleted"


def test_episode_is_read_changed_and_deleted(api: httpx.Client) -> None:
    made = api.post("/episodes", json={"session": "s", "user_message": "The meeting is on Monday"})
    address = f"/episodes/{made.json()['id']}"
    read = api.get(address)
    assert (read.headers["etag"], read.json()["revision"]) == ('"1"', 1)
    changed = api.patch(
        address,
        json={"changes": {"user_message": "The meeting is on Tuesday"}, "reason": "moved"},
        headers={"If-Match": read.headers["etag"]},
    )
    assert (changed.status_code, changed.headers["etag"]) == (200, '"2"')
    assert [item["revision"] for item in api.get(f"{address}/history").json()["items"]] == [2, 1]
    hits = api.post("/episodes/search", json={"question": "When is the meeting?"}).json()["hits"]
    assert [hit["text"] for hit in hits] == ["The meeting is on Tuesday"]
    assert api.delete(address).json()["removed"] == {"episode": 1}
    assert error_of(api.get(address)) == (404, "not_found")
    assert api.post("/episodes/search", json={"question": "meeting"}).json()["nothing_known"] is True


def test_life_of_a_fact(api: httpx.Client) -> None:
    made = api.post("/facts", json={"content": "Rome is in Italy", "domain": "places", "tags": ["a", "b"]})
    assert made.status_code == 201
    address = f"/facts/{made.json()['id']}"
    assert api.get(address).json()["content"] == "Rome is in Italy"
    assert api.get("/facts", params=[("tags", "a"), ("tags", "b")]).json()["total"] == 1
    assert api.get("/facts", params=[("tags", "a"), ("tags", "c")]).json()["total"] == 0
    changed = api.patch(address, json={"changes": {"content": "Rome is Italy's capital"}, "revision": 1})
    assert changed.json()["revision"] == 2
    assert api.get(f"{address}/history").json()["total"] == 2
    assert api.delete(address).status_code == 200
    assert error_of(api.get(address)) == (404, "not_found")
    assert api.get(f"{address}/history").json()["items"][0]["action"] == "deleted"


def test_if_match_is_held_to(api: httpx.Client) -> None:
    address = f"/facts/{api.post('/remember', json={'content': 'The sky is blue'}).json()['id']}"
    change = {"changes": {"content": "The sky is grey"}}
    for given, expected in [
        ('"7"', (412, "stale_revision")),
        ("7", (422, "invalid_input")),
        ('W/"1"', (422, "invalid_input")),
        ('"1", "2"', (422, "invalid_input")),
    ]:
        assert error_of(api.patch(address, json=change, headers={"If-Match": given})) == expected
    both = api.patch(address, json={**change, "revision": 2}, headers={"If-Match": '"1"'})
    assert error_of(both) == (422, "invalid_input")
    assert error_of(api.delete(address, headers={"If-Match": '"1"'})) == (422, "invalid_input")
    assert api.get(address).json()["revision"] == 1
    assert api.patch(address, json=change, headers={"If-Match": "*"}).json()["revision"] == 2
    assert error_of(api.patch(address, json=change, headers={"If-Match": '"1"'})) == (412, "stale_revision")


def test_recall_with_everything_that_can_be_asked(api: httpx.Client) -> None:
    api.post("/sessions/a/episodes", json={"episodes": TURNS})
    api.post("/remember", json={"content": "The key of the cellar hangs in the kitchen", "domain": "house"})
    answer = api.post("/recall", json={"question": "Where is the key?", "top": 5, "neighbours": 1}).json()
    assert {hit["kind"] for hit in answer["hits"]} == {"episode", "fact"}
    assert answer["hits"][0]["source"]
    assert answer["trace"]["timings_ms"]["total"] > 0
    facts = api.post("/recall", json={"question": "key", "kinds": ["fact"]}).json()["hits"]
    assert [hit["kind"] for hit in facts] == ["fact"]
    mine = api.post("/recall", json={"question": "key", "filters": {"session": "a"}}).json()["hits"]
    assert {hit["kind"] for hit in mine} == {"episode"}
    missing = api.post("/recall", json={"question": "key", "filters": {"session": "none"}})
    assert error_of(missing) == (404, "not_found")
    past = api.post("/episodes/search", json={"question": "key", "as_of": "2001-01-01T00:00:00Z"}).json()
    assert past["nothing_known"] is True


def test_listings_are_paged(api: httpx.Client) -> None:
    for number in range(7):
        api.post("/facts", json={"content": f"Fact number {number}", "defer": True})
    seen: list[str] = []
    cursor = None
    while True:
        params = {"limit": "3"} | ({"cursor": cursor} if cursor else {})
        page = api.get("/facts", params=params).json()
        assert page["total"] == 7
        seen += [item["content"] for item in page["items"]]
        cursor = page["next_cursor"]
        if cursor is None:
            break
    assert seen == [f"Fact number {number}" for number in range(7)]
    assert error_of(api.get("/facts", params={"cursor": "bm9wZQ"})) == (422, "invalid_cursor")
    assert error_of(api.get("/facts", params={"limit": "1001"})) == (422, "invalid_input")


@pytest.mark.parametrize(
    "name", ["notes/2026", "50%", "a%2Fb", "..", "caffè ☕", "x?y#z", "by-external", "' OR 1=1"]
)
def test_sessions_by_external_id_whatever_it_is(api: httpx.Client, name: str) -> None:
    segment = quote(name, safe="").replace(".", "%2E")
    address = httpx.URL(str(api.base_url) + "sessions/").copy_with(
        raw_path=httpx.URL(str(api.base_url)).raw_path + f"sessions/{segment}/episodes".encode()
    )
    assert api.post(address, json={"user_message": "hello"}).status_code == 201
    base = httpx.URL(str(api.base_url)).raw_path
    for path in (f"sessions/by-external/{segment}", f"sessions/{segment}"):
        found = api.get(httpx.URL(str(api.base_url)).copy_with(raw_path=base + path.encode()))
        assert found.json()["external_id"] == name
    session_id = found.json()["id"]
    assert error_of(api.get(f"/sessions/by-external/{session_id}")) == (404, "not_found")


def test_upkeep(api: httpx.Client) -> None:
    made = api.post("/facts", json={"content": "Deferred", "defer": True}).json()
    assert made["outcome"] == "saved_index_pending"
    assert set(api.get("/pending").json()) == {"report", "page"}
    assert api.post("/pending/retry").status_code == 200
    assert error_of(api.post("/pending/retry", json={"item": 10**9})) == (404, "not_found")
    assert api.post("/index/rebuild", json={"full": True}).json()["pending"] == 0
    assert api.post("/index/verify").json()["missing"] == 0
    assert api.get("/status").json()["records"]["fact"] == 1
    assert api.get("/doctor").json()["healthy"] is True


def test_workspaces_are_listed_and_made(client: httpx.Client) -> None:
    made = client.post("/api/workspaces", json={"name": "casa", "language": "it"})
    assert made.json()["language"] == "it"
    assert client.post("/api/workspaces", json={"name": "casa"}).json()["language"] == "it"
    assert "casa" in [item["name"] for item in client.get("/api/workspaces").json()["items"]]
    assert error_of(client.get("/api/workspaces/nowhere/facts")) == (404, "workspace_not_found")
    assert error_of(client.post("/api/workspaces", json={"name": "x", "language": "xx"})) == (
        422,
        "invalid_input",
    )


def test_workspaces_do_not_see_each_other(client: httpx.Client) -> None:
    for name in ("left", "right"):
        client.post("/api/workspaces", json={"name": name})
    left, right = "/api/workspaces/left", "/api/workspaces/right"
    secret = {"content": "The password of the left side is tangerine"}
    fact = client.post(f"{left}/remember", json=secret).json()["id"]
    turn = client.post(f"{left}/sessions/s/episodes", json={"user_message": "tangerine"}).json()["id"]
    session = client.get(f"{left}/sessions/s").json()["id"]
    for path in (f"facts/{fact}", f"episodes/{turn}", f"sessions/{session}", "sessions/s"):
        assert error_of(client.get(f"{right}/{path}")) == (404, "not_found")
        assert error_of(client.get(f"{right}/{path}/history")) == (404, "not_found")
        assert error_of(client.delete(f"{right}/{path}")) == (404, "not_found")
        changed = client.patch(f"{right}/{path}", json={"changes": {}})
        assert error_of(changed) == (404, "not_found")
    assert client.post(f"{right}/recall", json={"question": "tangerine"}).json()["hits"] == []
    assert client.get(f"{right}/facts").json()["total"] == 0
    assert client.get(f"{left}/facts/{fact}").status_code == 200


def test_injections_are_names_like_others(api: httpx.Client) -> None:
    for text in ('") or true or ("', "'; DELETE FROM facts; --", "Alice')) OR true--", "../../etc/passwd"):
        made = api.post("/facts", json={"content": f"Says {text}", "domain": text, "tags": [text]}).json()
        found = api.get("/facts", params={"domain": text, "tags": text}).json()
        assert [item["id"] for item in found["items"]] == [made["id"]]
        hits = api.post("/recall", json={"question": text, "filters": {"domain": text}}).json()["hits"]
        assert [hit["id"] for hit in hits] == [made["id"]]
