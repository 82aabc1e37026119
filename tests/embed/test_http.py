from __future__ import annotations

import logging
import os
import sys
import traceback
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from email.utils import formatdate
from typing import Any

import numpy as np
import pytest

from processes import python, run_text
from ricordo.embed.contract import Embedder
from ricordo.embed.http import MAX_TEXT_CHARS, HttpEmbedder
from ricordo.errors import EmbedderMismatch, EmbedderMissing, EmbedderUnavailable, InvalidSettings
from ricordo.testing.embedder import EmbedderConformance

from .server import (
    DIMENSION,
    Behaviour,
    EmbeddingServer,
    cut_off,
    dripping,
    hang_up,
    never,
    running,
    sends,
    shuffled,
    vector,
    vectors,
    well,
    without_index,
)

KEY = "sk-secret-4711"


@pytest.fixture
def server() -> Iterator[EmbeddingServer]:
    with running() as started:
        yield started


@pytest.fixture
def waits() -> list[float]:
    """What the embedders of a test have waited, in seconds."""
    return []


@pytest.fixture
def embedder(server: EmbeddingServer, waits: list[float]) -> Iterator[HttpEmbedder]:
    with_defaults = make(server, waits)
    yield with_defaults
    with_defaults.close()


def make(server: EmbeddingServer, waits: list[float], **settings: Any) -> HttpEmbedder:
    """An embedder that does not really wait, and whose jitter is at its highest."""
    return HttpEmbedder(server.url, "test", sleep=waits.append, jitter=lambda: 1.0, **settings)


def expected(*texts: str) -> np.ndarray[Any, Any]:
    rows = np.array([vector(text) for text in texts])
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


class TestHttp(EmbedderConformance):
    @pytest.fixture(autouse=True)
    def _server(self, server: EmbeddingServer) -> None:
        self.server = server

    def make_embedder(self) -> Embedder:
        return HttpEmbedder(self.server.url, "test", batch_size=4, api_key=KEY)


class TestHttpWithPrefixes(EmbedderConformance):
    @pytest.fixture(autouse=True)
    def _server(self, server: EmbeddingServer) -> None:
        self.server = server

    def make_embedder(self) -> Embedder:
        return HttpEmbedder(
            f"{self.server.url}/v1",
            "test",
            dimension=DIMENSION,
            passage_prefix="passage: ",
            question_prefix="query: ",
        )


# What is sent


@pytest.mark.parametrize(
    ("given", "asked"),
    [
        ("", "/v1/embeddings"),
        ("/", "/v1/embeddings"),
        ("/v1", "/v1/embeddings"),
        ("/v1/", "/v1/embeddings"),
        ("/v1/embeddings", "/v1/embeddings"),
        ("/proxy/v1", "/proxy/v1/embeddings"),
        ("/deployments/e5/embeddings?api-version=1", "/deployments/e5/embeddings?api-version=1"),
    ],
)
def test_the_address_may_be_short(server: EmbeddingServer, given: str, asked: str) -> None:
    embedder = HttpEmbedder(server.url + given, "test")
    embedder.load()
    embedder.close()
    assert server.requests[0].path == asked


def test_a_request_names_the_model_and_the_key(server: EmbeddingServer, waits: list[float]) -> None:
    embedder = make(server, waits, api_key=KEY)
    embedder.embed_passages(["bees", "lids"])
    embedder.close()
    [request] = server.requests
    assert request.body == {"model": "test", "input": ["bees", "lids"]}
    assert request.headers["authorization"] == f"Bearer {KEY}"


def test_without_a_key_none_is_sent(server: EmbeddingServer, embedder: HttpEmbedder) -> None:
    embedder.load()
    assert "authorization" not in server.requests[0].headers


def test_texts_go_in_batches(server: EmbeddingServer, waits: list[float]) -> None:
    embedder = make(server, waits, batch_size=3)
    texts = [f"box {number}" for number in range(7)]
    assert np.allclose(embedder.embed_passages(texts), expected(*texts), atol=1e-6)
    embedder.close()
    assert [len(request.texts) for request in server.requests] == [3, 3, 1]


def test_prefixes_go_before_the_texts(server: EmbeddingServer, waits: list[float]) -> None:
    embedder = make(server, waits, passage_prefix="passage: ", question_prefix="query: ")
    embedder.embed_passages(["bees"])
    embedder.embed_question("bees")
    embedder.close()
    assert [request.texts for request in server.requests] == [["passage: bees"], ["query: bees"]]
    assert embedder.model == "test|passage: "
    assert server.requests[0].body["model"] == "test"


def test_texts_are_cleaned(server: EmbeddingServer, embedder: HttpEmbedder) -> None:
    embedder.embed_passages(["a\x00b", "c\udfffd", "", "\x00 ", "e" * (MAX_TEXT_CHARS + 1)])
    assert server.requests[0].texts == ["a b", "c?d", ".", ".", "e" * MAX_TEXT_CHARS]


def test_making_one_reaches_nothing(server: EmbeddingServer, embedder: HttpEmbedder) -> None:
    assert repr(embedder) == f"HttpEmbedder('{server.url}/v1/embeddings', 'test', dimension=None)"
    assert embedder.batch_size == 64
    assert server.requests == []


def test_the_dimension_is_learned_once(server: EmbeddingServer, embedder: HttpEmbedder) -> None:
    assert embedder.dimension == DIMENSION
    assert embedder.dimension == DIMENSION
    assert len(server.requests) == 1


def test_a_given_dimension_is_not_asked_for(server: EmbeddingServer, waits: list[float]) -> None:
    embedder = make(server, waits, dimension=DIMENSION)
    assert embedder.dimension == DIMENSION
    assert embedder.embed_passages([]).shape == (0, DIMENSION)
    assert server.requests == []


@pytest.mark.parametrize(
    "url",
    [
        "",
        "localhost:11434",
        "ftp://localhost",
        "http://",
        "http://[::1",
        "http://host:99999",
        "http://user:secret@host",
    ],
)
def test_an_address_that_cannot_be_used_is_refused(url: str) -> None:
    with pytest.raises(InvalidSettings) as raised:
        HttpEmbedder(url, "test")
    assert "secret" not in str(raised.value)


@pytest.mark.parametrize(
    "settings",
    [
        {"model": ""},
        {"timeout_s": 0},
        {"batch_size": 0},
        {"retries": -1},
        {"dimension": -1},
        {"dimension": 0},
        {"api_key": "se\ncret"},
        {"api_key": "sé"},
    ],
)
def test_settings_that_cannot_be_used_are_refused(settings: dict[str, Any]) -> None:
    with pytest.raises(InvalidSettings) as raised:
        HttpEmbedder("http://localhost", **({"model": "test"} | settings))
    assert str(settings.get("api_key", "none")) not in str(raised.value)


# What may pass is tried again


PASSING: dict[str, Behaviour] = {
    "cut off": cut_off,
    "hung up": hang_up,
    "408": sends(b"", 408),
    "409": sends(b"", 409),
    "429": sends({"error": {"message": "slow down"}}, 429),
    "500": sends(b"oops", 500),
    "503": sends(b"", 503),
}


@pytest.mark.parametrize("behaviour", PASSING.values(), ids=PASSING.keys())
def test_what_may_pass_is_tried_again(
    server: EmbeddingServer, embedder: HttpEmbedder, waits: list[float], behaviour: Behaviour
) -> None:
    server.plan(behaviour, behaviour)
    assert np.allclose(embedder.embed_passages(["bees"]), expected("bees"), atol=1e-6)
    assert waits == [0.5, 1.0]
    assert len(server.requests) == 3


@pytest.mark.parametrize("behaviour", [never, dripping])
def test_a_slow_server_is_not_waited_for(
    server: EmbeddingServer, waits: list[float], behaviour: Behaviour
) -> None:
    server.plan(behaviour, behaviour)
    embedder = make(server, waits, timeout_s=0.3, retries=1)
    with pytest.raises(EmbedderUnavailable, match=r"within 0.3 s \(2 attempts\)"):
        embedder.embed_passages(["bees"])
    embedder.close()
    assert waits == [0.5]


def test_attempts_end(server: EmbeddingServer, embedder: HttpEmbedder, waits: list[float]) -> None:
    server.plan(*[sends({"error": {"message": "model is\nloading"}}, 503)] * 9)
    with pytest.raises(EmbedderUnavailable, match=r"status 503: model is loading \(4 attempts\)") as raised:
        embedder.embed_passages(["bees"])
    assert waits == [0.5, 1.0, 2.0]
    assert len(server.requests) == 4
    assert server.url in str(raised.value)
    assert raised.value.cure


def test_a_question_is_tried_once_more_at_most(
    server: EmbeddingServer, embedder: HttpEmbedder, waits: list[float]
) -> None:
    server.plan(*[sends(b"", 503)] * 9)
    with pytest.raises(EmbedderUnavailable, match="2 attempts"):
        embedder.embed_question("Where are the bees?")
    assert waits == [0.5]


def test_no_retries_means_one_attempt(server: EmbeddingServer, waits: list[float]) -> None:
    server.plan(sends(b"", 503))
    embedder = make(server, waits, retries=0)
    with pytest.raises(EmbedderUnavailable, match=r"status 503\."):
        embedder.embed_passages(["bees"])
    embedder.close()
    assert (waits, len(server.requests)) == ([], 1)


def test_jitter_shortens_a_wait_by_up_to_half(server: EmbeddingServer) -> None:
    waits: list[float] = []
    server.plan(*[sends(b"", 503)] * 2)
    embedder = HttpEmbedder(server.url, "test", sleep=waits.append, jitter=lambda: 0.0)
    embedder.embed_passages(["bees"])
    embedder.close()
    assert waits == [0.25, 0.5]


def test_nobody_listens(waits: list[float]) -> None:
    with running() as gone:
        pass
    embedder = make(gone, waits)
    with pytest.raises(EmbedderUnavailable, match=r"cannot be reached: .+ \(4 attempts\)"):
        embedder.embed_passages(["bees"])
    embedder.close()
    assert len(waits) == 3


@pytest.mark.parametrize(
    ("headers", "waited"),
    [
        ({"retry_after": "7"}, 7.0),
        ({"retry_after": "0"}, 0.0),
        ({"retry_after": "soon"}, 0.5),
        ({"retry_after": "-3"}, 0.5),
        ({"retry_after": "Tue, 99 Foo 2026 00:00:00 GMT"}, 0.5),
        ({"retry_after": formatdate(0, usegmt=True)}, 0.0),
    ],
)
def test_retry_after_is_honoured(
    server: EmbeddingServer,
    embedder: HttpEmbedder,
    waits: list[float],
    headers: dict[str, str],
    waited: float,
) -> None:
    server.plan(sends(b"", 429, **headers))
    embedder.embed_passages(["bees"])
    assert waits == [waited]


@pytest.mark.parametrize("asked", ["31", "999999999999", formatdate(4_000_000_000, usegmt=True)])
def test_a_server_that_asks_for_too_long_a_wait_is_left(
    server: EmbeddingServer, embedder: HttpEmbedder, waits: list[float], asked: str
) -> None:
    server.plan(sends(b"", 429, retry_after=asked))
    with pytest.raises(EmbedderUnavailable, match="429") as raised:
        embedder.embed_passages(["bees"])
    assert raised.value.details["retry_after_s"] > 30
    assert (waits, len(server.requests)) == ([], 1)


def test_a_question_does_not_wait_for_long(
    server: EmbeddingServer, embedder: HttpEmbedder, waits: list[float]
) -> None:
    server.plan(sends(b"", 429, retry_after="2"))
    with pytest.raises(EmbedderUnavailable):
        embedder.embed_question("Where are the bees?")
    assert waits == []


# What will not pass is not


@pytest.mark.parametrize(
    ("status", "cure"),
    [
        (400, "Check"),
        (401, "API key"),
        (403, "API key"),
        (404, "model's name"),
        (413, "batch"),
        (422, "Check"),
    ],
)
def test_a_refusal_is_not_tried_again(
    server: EmbeddingServer, embedder: HttpEmbedder, waits: list[float], status: int, cure: str
) -> None:
    server.plan(sends({"error": {"message": "no such thing"}}, status))
    with pytest.raises(EmbedderUnavailable, match=f"status {status}") as raised:
        embedder.embed_passages(["bees"])
    assert cure in raised.value.cure
    assert ("no such thing" in str(raised.value)) is (status not in {401, 403})
    assert (waits, len(server.requests)) == ([], 1)


def test_a_redirect_is_refused(server: EmbeddingServer, embedder: HttpEmbedder) -> None:
    with running() as elsewhere:
        server.plan(sends(b"", 307, location=f"{elsewhere.url}/v1/embeddings"))
        with pytest.raises(EmbedderUnavailable, match="redirect") as raised:
            embedder.embed_passages(["bees"])
        assert elsewhere.requests == []
    assert "not followed" in raised.value.cure


GOOD = [1.0] * DIMENSION
UNUSABLE: dict[str, Behaviour] = {
    "not JSON": sends(b"<html>Log in</html>"),
    "not UTF-8": sends(b"\xff\xfe{"),
    "nothing": sends(b""),
    "a list": sends([GOOD, GOOD]),
    "null": sends(None),
    "deep": sends(b"[" * 100_000),
    "no data": sends({"error": "model not found"}),
    "data is null": sends({"data": None}),
    "items are numbers": sends({"data": [1, 2]}),
    "no embedding": sends({"data": [{"index": 0}, {"index": 1}]}),
    "too few": vectors(GOOD),
    "too many": vectors(GOOD, GOOD, GOOD),
    "the same index twice": sends({"data": [{"index": 0, "embedding": GOOD}] * 2}),
    "index from one": sends({"data": [{"index": place, "embedding": GOOD} for place in (1, 2)]}),
    "index is text": sends({"data": [{"index": place, "embedding": GOOD} for place in "01"]}),
    "one index missing": sends({"data": [{"index": 0, "embedding": GOOD}, {"embedding": GOOD}]}),
    "base64": vectors("AACAPw==", "AACAPw=="),
    "text": vectors(["1.0"] * DIMENSION, GOOD),
    "booleans": vectors([True] * DIMENSION, GOOD),
    "null among numbers": vectors([None, 1.0], GOOD),
    "empty vector": vectors([], []),
    "nested": vectors([GOOD], [GOOD]),
    "ragged": vectors([[1.0], [1.0, 2.0]], GOOD),
    "a number": vectors(1.0, 1.0),
    "zero": vectors(GOOD, [0.0] * DIMENSION),
    "not a number": sends(b'{"data": [{"index": 0, "embedding": [NaN]}, {"index": 1, "embedding": [1]}]}'),
    "infinite": sends(b'{"data": [{"index": 0, "embedding": [1e999]}, {"index": 1, "embedding": [1]}]}'),
    "too long a number": sends(b'{"data": [{"index": 0, "embedding": [' + b"9" * 5_000 + b"]}]}"),
    "big": vectors([10**40], [1]),
}


@pytest.mark.parametrize("behaviour", UNUSABLE.values(), ids=UNUSABLE.keys())
def test_an_answer_that_cannot_be_used_is_refused(
    server: EmbeddingServer, embedder: HttpEmbedder, waits: list[float], behaviour: Behaviour
) -> None:
    server.plan(behaviour)
    with pytest.raises(EmbedderUnavailable):
        embedder.embed_passages(["bees", "lids"])
    assert (waits, len(server.requests)) == ([], 1)
    assert np.allclose(embedder.embed_passages(["bees"]), expected("bees"), atol=1e-6)


@pytest.mark.parametrize("behaviour", [shuffled, without_index])
def test_vectors_come_in_the_order_of_the_texts(
    server: EmbeddingServer, embedder: HttpEmbedder, behaviour: Behaviour
) -> None:
    server.plan(behaviour)
    assert np.allclose(
        embedder.embed_passages(["bees", "lids", "jars"]), expected("bees", "lids", "jars"), atol=1e-6
    )


@pytest.mark.parametrize("size", [1e-200, 1e200])
def test_very_small_and_very_large_numbers_are_no_problem(
    server: EmbeddingServer, embedder: HttpEmbedder, size: float
) -> None:
    server.plan(vectors([3 * size, -4 * size]))
    assert np.allclose(embedder.embed_question("bees"), [0.6, -0.8], atol=1e-6)


def test_whole_numbers_are_numbers(server: EmbeddingServer, embedder: HttpEmbedder) -> None:
    server.plan(vectors([3, -4]))
    assert np.allclose(embedder.embed_question("bees"), [0.6, -0.8], atol=1e-6)


def test_a_long_answer_is_not_read_to_its_end(server: EmbeddingServer, waits: list[float]) -> None:
    server.plan(sends(b" " * 200_000))
    embedder = make(server, waits, max_answer_bytes=100_000)
    with pytest.raises(EmbedderUnavailable, match="more than 100000 bytes"):
        embedder.embed_passages(["bees"])
    embedder.close()
    assert waits == []


def test_another_size_than_given_is_a_mismatch(server: EmbeddingServer, waits: list[float]) -> None:
    embedder = make(server, waits, dimension=3)
    with pytest.raises(EmbedderMismatch, match=f"{DIMENSION} numbers where 3 were expected") as raised:
        embedder.embed_passages(["bees"])
    embedder.close()
    assert "ricordo index" in raised.value.cure
    assert raised.value.details == {"expected": 3, "got": DIMENSION}
    assert embedder.dimension == 3


def test_another_size_than_learned_is_a_mismatch(server: EmbeddingServer, embedder: HttpEmbedder) -> None:
    embedder.load()
    server.plan(vectors([1.0, 2.0]))
    with pytest.raises(EmbedderMismatch, match=f"2 numbers where {DIMENSION} were expected"):
        embedder.embed_question("bees")
    assert embedder.dimension == 2  # what is asked from now on is compared with that
    with pytest.raises(EmbedderMismatch, match=f"{DIMENSION} numbers where 2 were expected"):
        embedder.embed_question("bees")
    assert embedder.dimension == DIMENSION


def test_two_sizes_in_one_answer_are_a_mismatch(server: EmbeddingServer, embedder: HttpEmbedder) -> None:
    server.plan(vectors([1.0, 2.0], [1.0, 2.0, 3.0]))
    with pytest.raises(EmbedderMismatch, match="3 numbers where 2 were expected"):
        embedder.embed_passages(["bees", "lids"])
    assert embedder.dimension == DIMENSION


def test_a_bad_batch_among_good_ones_gives_no_vectors(server: EmbeddingServer, waits: list[float]) -> None:
    server.plan(well, sends(b"", 400))
    embedder = make(server, waits, batch_size=1)
    with pytest.raises(EmbedderUnavailable):
        embedder.embed_passages(["bees", "lids", "jars"])
    embedder.close()
    assert len(server.requests) == 2


# The key, threads, forks, closing


@pytest.mark.parametrize(
    "behaviour",
    [
        sends({"error": {"message": f"wrong key {KEY}"}}, 401),
        sends({"error": {"message": f"bad request by {KEY}"}}, 400),
        sends(f"failed for {KEY}".encode(), 500),
        sends({"detail": [KEY]}, 422),
        hang_up,
        vectors([1.0, 2.0]),
    ],
)
def test_the_key_is_never_told(
    server: EmbeddingServer,
    waits: list[float],
    behaviour: Behaviour,
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.DEBUG)
    server.plan(behaviour, behaviour)
    embedder = make(server, waits, api_key=KEY, retries=1, dimension=3)
    with pytest.raises((EmbedderUnavailable, EmbedderMismatch)) as raised:
        embedder.embed_passages(["bees"])
    embedder.close()
    told = "".join(traceback.format_exception(raised.value)) + repr(raised.value.details)
    assert KEY not in told + repr(embedder) + caplog.text


def test_the_query_of_the_address_is_not_told(server: EmbeddingServer) -> None:
    server.plan(sends(b"", 400))
    embedder = HttpEmbedder(f"{server.url}/v1?key={KEY}", "test")
    with pytest.raises(EmbedderUnavailable) as raised:
        embedder.load()
    embedder.close()
    assert server.requests[0].path == f"/v1/embeddings?key={KEY}"
    assert KEY not in str(raised.value) + repr(embedder)


def test_many_threads_share_one(server: EmbeddingServer, waits: list[float]) -> None:
    server.plan(*[sends(b"", 503)] * 3)
    embedder = make(server, waits, batch_size=2, retries=5)
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda number: embedder.embed_passages([f"box {number}", "a", "b"]), range(40)))
    embedder.close()
    for number, passages in enumerate(found):
        assert np.allclose(passages, expected(f"box {number}", "a", "b"), atol=1e-6)


def test_after_closing_new_connections_are_opened(embedder: HttpEmbedder) -> None:
    embedder.load()
    embedder.close()
    assert embedder.embed_question("bees").shape == (DIMENSION,)


FORKED = """
import os, signal, sys
import numpy as np
from ricordo.embed.http import HttpEmbedder

embedder = HttpEmbedder(sys.argv[1], "test")
expected = embedder.embed_passages(["bees"])
children = []
for _ in range(3):
    child = os.fork()
    if child == 0:
        signal.alarm(60)
        good = all(np.array_equal(embedder.embed_passages(["bees"]), expected) for _ in range(20))
        embedder.close()
        os._exit(0 if good else 1)
    children.append(child)
good = all(np.array_equal(embedder.embed_passages(["bees"]), expected) for _ in range(20))
ended = [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children]
good = good and np.array_equal(embedder.embed_passages(["bees"]), expected)
embedder.close()
sys.exit(0 if good and ended == [0, 0, 0] else 1)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
def test_forked_children_open_their_own_connections(server: EmbeddingServer) -> None:
    done = run_text(python(FORKED, server.url))
    assert done.returncode == 0, done.stderr


def test_a_missing_package_names_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "httpx", None)
    with pytest.raises(EmbedderMissing, match=r"pip install 'ricordo\[http\]'"):
        HttpEmbedder("http://localhost:11434", "test").load()
