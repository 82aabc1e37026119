"""Any server that speaks OpenAI's `/v1/embeddings`: Ollama, vLLM, LM Studio, OpenAI itself.

What may pass (no connection, no answer in time, 408, 409, 429, 5xx) is tried
again after a doubling wait with jitter, or after what `Retry-After` says. What
will not pass (any other 4xx, a redirect, an answer of another shape) is not.
A question is tried once more at most, and soon: whoever asks is waiting and can
be answered by words alone.

The API key is in no error, `repr` or log.
"""

from __future__ import annotations

import copy
import json
import os
import random
import time
from collections.abc import Callable, Sequence
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any, Self
from urllib.parse import urlsplit

import numpy as np

from ricordo.errors import EmbedderMismatch, EmbedderMissing, EmbedderUnavailable, InvalidSettings
from ricordo.index.contract import Vectors

if TYPE_CHECKING:
    import httpx

MAX_TEXT_CHARS = 8_192
"""Longest text sent; records come in far shorter pieces, and servers refuse what is too long."""

MAX_ANSWER_BYTES = 64 * 2**20
FIRST_WAIT_S = 0.5
MAX_WAIT_S = 30.0
"""Longest wait before another attempt; a server that asks for more is not waited for."""

MAX_QUESTION_WAIT_S = 1.0

_PASSING = frozenset({408, 409, 429, *range(500, 600)})
_CURES = {
    401: "Check the API key.",
    403: "Check the API key.",
    404: "Check the address and the model's name.",
    413: "Lower the batch size.",
}


class HttpEmbedder:
    """A model behind an OpenAI-compatible server. Safe to use from any thread and after a fork.

    Args:
        url: `http://host:port`, the same with `/v1`, or the whole address of the endpoint.
        model: The name by which the server knows the model.
        dimension: Length of a vector, which the server is held to. If omitted, it is learned from the
            first answer, and anew from an answer of another length, which is refused itself.
        api_key: Sent as a bearer token.
        timeout_s: Seconds for one attempt.
        batch_size: Texts of one request.
        retries: Further attempts after a failure that may pass.
        passage_prefix: Put before each passage; part of the model's name here, since
            vectors made with another prefix are other vectors.
        question_prefix: Put before each question.
        max_answer_bytes: Longest answer that is read.
        sleep: Waits so many seconds.
        jitter: Answers a number in 0..1.

    Raises:
        InvalidSettings: The address or another argument cannot be used.
        EmbedderMissing: At first use, where `httpx` is not installed.
        EmbedderUnavailable: The server cannot be reached or answers with no vectors.
        EmbedderMismatch: Its vectors are of another size than expected.
    """

    def __init__(
        self,
        url: str,
        model: str,
        *,
        dimension: int | None = None,
        api_key: str | None = None,
        timeout_s: float = 30.0,
        batch_size: int = 64,
        retries: int = 3,
        passage_prefix: str = "",
        question_prefix: str = "",
        max_answer_bytes: int = MAX_ANSWER_BYTES,
        sleep: Callable[[float], object] = time.sleep,
        jitter: Callable[[], float] = random.random,
    ) -> None:
        self._url, self._where, self._is_local = _endpoint(url)
        too_small = (
            timeout_s <= 0 or batch_size < 1 or retries < 0 or (dimension is not None and dimension < 1)
        )
        if not model or too_small:
            raise InvalidSettings("The embedding server needs a model, and numbers above zero.")
        if api_key is not None and not (api_key.isascii() and api_key.isprintable()):
            raise InvalidSettings("The embedding server's API key holds characters that no key has.")
        self.model = f"{model}|{passage_prefix}" if passage_prefix else model
        self.batch_size = batch_size
        self._asked_model, self._api_key = model, api_key
        self._timeout_s, self._retries, self._max_bytes = timeout_s, retries, max_answer_bytes
        self._prefixes = (passage_prefix, question_prefix)
        self._sleep, self._jitter = sleep, jitter
        # Dictionaries, since their `setdefault` and `pop` are atomic: no lock that a fork could leave held.
        self._known = {} if dimension is None else {"dimension": dimension}
        self._is_fixed = dimension is not None
        self._until: float | None = None
        self._clients: dict[int, httpx.Client] = {}

    def __repr__(self) -> str:
        return f"HttpEmbedder({self._where!r}, {self.model!r}, dimension={self._known.get('dimension')})"

    @property
    def dimension(self) -> int:
        """See the contract; asks the server where it is not known yet."""
        if "dimension" not in self._known:
            self.load()
        return self._known["dimension"]

    def load(self) -> None:
        """Ask the server for one vector, so that what is wrong shows now."""
        self.embed_question("dimension")

    def hurried(self, seconds: float) -> Self:
        """See the contract."""
        self._client()  # loading httpx is not the server's time
        twin = copy.copy(self)  # with the same connections, and what it learns is learned for both
        twin._retries, twin._until = 0, time.monotonic() + seconds
        return twin

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """See the contract."""
        if not texts:
            return np.zeros((0, self.dimension), dtype=np.float32)
        sent = [_clean(self._prefixes[0] + text) for text in texts]
        batches = [sent[start : start + self.batch_size] for start in range(0, len(sent), self.batch_size)]
        return np.concatenate([self._embed(batch, self._retries, MAX_WAIT_S) for batch in batches])

    def embed_question(self, text: str) -> Vectors:
        """See the contract."""
        sent = [_clean(self._prefixes[1] + text)]
        return self._embed(sent, min(self._retries, 1), MAX_QUESTION_WAIT_S).reshape(-1)

    def close(self) -> None:
        """Close this process's connections; the next use opens new ones."""
        client = self._clients.pop(os.getpid(), None)
        if client is not None:
            client.close()

    def _embed(self, texts: list[str], retries: int, longest_wait_s: float) -> Vectors:
        answer = self._ask(texts, retries, longest_wait_s)
        rows = _rows(answer, len(texts))
        if rows is None:
            raise self._unavailable(f"did not answer with one vector for each of {len(texts)} texts")
        expected = self._known.get("dimension", rows[0].size)
        sizes = {row.size for row in rows}
        if sizes != {expected}:
            if len(sizes) == 1 and not self._is_fixed:  # the server has another model now
                self._known["dimension"] = rows[0].size
            raise self._mismatch(expected, next(row.size for row in rows if row.size != expected))
        vectors = _unit(np.stack(rows))
        if vectors is None:
            raise self._unavailable("answered with a vector that is zero or not finite")
        learned = self._known.setdefault("dimension", expected)
        if learned != expected:  # another thread was answered with another size meanwhile
            raise self._mismatch(learned, expected)
        return vectors

    def _ask(self, texts: list[str], retries: int, longest_wait_s: float) -> bytes:
        for attempt in range(retries + 1):
            try:
                return self._attempt(texts)
            except _Passing as failure:
                wait_s = min(longest_wait_s, FIRST_WAIT_S * 2**attempt) * (0.5 + self._jitter() / 2)
                wait_s = wait_s if failure.wait_s is None else failure.wait_s
                if attempt == retries or wait_s > longest_wait_s:
                    tried = f"{failure} ({attempt + 1} attempts)" if attempt else str(failure)
                    raise self._unavailable(tried, retry_after_s=failure.wait_s) from failure
            self._sleep(wait_s)
        raise AssertionError("unreachable")

    def _attempt(self, texts: list[str]) -> bytes:
        httpx = _httpx()
        body = {"model": self._asked_model, "input": texts}
        try:
            left_s = self._left_s()
            with self._client().stream("POST", self._url, json=body, timeout=left_s) as response:
                answer = self._read(response, left_s)
        except httpx.TimeoutException as error:
            raise _Passing(f"did not answer within {left_s:.2g} s") from error
        except httpx.TransportError as error:
            raise _Passing(f"cannot be reached: {error or type(error).__name__}") from error
        except (httpx.HTTPError, httpx.InvalidURL, OSError, RuntimeError) as error:
            raise self._unavailable(f"cannot be used: {error}") from error
        if response.status_code == 200:
            return answer
        raise self._refusal(response, answer)

    def _left_s(self) -> float:
        """Seconds that one attempt may take."""
        if self._until is None:
            return self._timeout_s
        left_s = min(self._timeout_s, self._until - time.monotonic())
        if left_s <= 0:
            raise _Passing("did not answer in the time that a save waits")
        return left_s

    def _read(self, response: httpx.Response, left_s: float) -> bytes:
        # A read timeout alone lets a server drip for ever.
        until = time.monotonic() + left_s if self._until is None else self._until
        parts: list[bytes] = []
        length = 0
        for part in response.iter_bytes():
            parts.append(part)
            length += len(part)
            if length > self._max_bytes:
                raise self._unavailable(f"sent more than {self._max_bytes} bytes")
            if time.monotonic() > until:
                raise _Passing(f"did not finish its answer within {left_s:.2g} s")
        return b"".join(parts)

    def _refusal(self, response: httpx.Response, answer: bytes) -> Exception:
        status = response.status_code
        if status in _PASSING:
            return _Passing(f"answered with status {status}{self._said(answer)}", _retry_after_s(response))
        if 300 <= status < 400:
            cure = "Give the address that it redirects to: redirects are not followed."
            return self._unavailable(f"answered with a redirect (status {status})", cure)
        said = "" if status in {401, 403} else self._said(answer)  # servers repeat parts of a wrong key
        return self._unavailable(f"refused the request with status {status}{said}", _CURES.get(status))

    def _said(self, answer: bytes) -> str:
        """What the server says about the failure, without the key, on one line."""
        try:
            told = json.loads(answer)
            told = told.get("error", told.get("message", told)) if isinstance(told, dict) else told
            told = told.get("message", told) if isinstance(told, dict) else told
        except (ValueError, RecursionError):
            told = answer.decode("utf-8", "replace")
        text = " ".join(str(told).split())
        text = text.replace(self._api_key, "***") if self._api_key else text
        return f": {text[:200]}" if text else ""

    def _unavailable(self, what: str, cure: str | None = None, **details: Any) -> EmbedderUnavailable:
        cure = cure or "Check that it runs, its address and the model's name."
        return EmbedderUnavailable(f"The embedding server at {self._where} {what}.", cure=cure, **details)

    def _mismatch(self, expected: int, got: int) -> EmbedderMismatch:
        return EmbedderMismatch(
            f"The embedding server at {self._where} answered with vectors of {got} numbers "
            f"where {expected} were expected.",
            cure="If the model was changed on purpose, run: ricordo index"
            + (" (with its dimension in embedder_dimension)" if self._is_fixed else ""),
            expected=expected,
            got=got,
        )

    def _client(self) -> httpx.Client:
        held = self._clients.get(os.getpid())  # a child must not write to its parent's connections
        if held is not None:
            return held
        headers = {"authorization": f"Bearer {self._api_key}"} if self._api_key else {}
        # On this machine, without TLS: no proxy, and no certificates to read (.1 s).
        made = _httpx().Client(
            headers=headers, timeout=self._timeout_s, trust_env=not self._is_local, verify=not self._is_local
        )
        held = self._clients.setdefault(os.getpid(), made)
        if held is not made:
            made.close()
        return held


class _Passing(Exception):
    """A failure that may pass, and how long the server asks to wait."""

    def __init__(self, reason: str, wait_s: float | None = None) -> None:
        super().__init__(reason)
        self.wait_s = wait_s


def _httpx() -> Any:
    try:
        import httpx
    except ModuleNotFoundError as error:
        raise EmbedderMissing(
            "An embedding server needs the package httpx.", cure="Install it: pip install 'ricordo[http]'"
        ) from error
    return httpx


def _endpoint(url: str) -> tuple[str, str, bool]:
    """Address of the endpoint, the same for messages, and whether it is here and without TLS."""
    try:
        parts = urlsplit(url.strip())
        host, _ = parts.hostname, parts.port
    except ValueError:
        host = None
    if not host or parts.scheme not in {"http", "https"} or parts.username or parts.password:
        raise InvalidSettings(
            "The embedding server's address is not an http or https address without a user name.",
            cure="Example: http://localhost:11434",
        )
    path = parts.path.rstrip("/")
    if not path.endswith("/embeddings"):
        path += "/embeddings" if path.endswith("/v1") else "/v1/embeddings"
    whole = parts._replace(path=path, fragment="")
    is_local = parts.scheme == "http" and host in {"localhost", "127.0.0.1", "::1"}
    return whole.geturl(), whole._replace(query="").geturl(), is_local


def _clean(text: str) -> str:
    text = text[:MAX_TEXT_CHARS].replace("\x00", " ")
    text = text.encode("utf-8", "replace").decode("utf-8")  # lone surrogates become "?"
    return text if text.strip() else "."  # servers refuse, or have no vector for, an empty text


def _retry_after_s(response: httpx.Response) -> float | None:
    """Seconds that the server asks to wait, given as a number or as a time by its own clock."""
    given = response.headers.get("retry-after", "").strip()
    if given.isascii() and given.isdigit():
        return float(given[:9])
    try:
        until = parsedate_to_datetime(given)
        return max(0.0, (until - parsedate_to_datetime(response.headers["date"])).total_seconds())
    except (ValueError, KeyError, TypeError):
        return None


def _rows(answer: bytes, count: int) -> list[np.ndarray[Any, np.dtype[Any]]] | None:
    """The vectors of an answer in the order of their texts; None where it is anything else."""
    try:
        items = json.loads(answer)["data"]
        places = [item.get("index") for item in items]
        rows = [np.asarray(item["embedding"]) for item in items]
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None
    if all(place is None for place in places):
        places = list(range(len(rows)))
    if len(rows) != count or any(type(place) is not int for place in places):
        return None
    if sorted(places) != list(range(count)):
        return None
    if any(row.ndim != 1 or row.dtype.kind not in "iuf" or not row.size for row in rows):
        return None
    return [row for _, row in sorted(zip(places, rows, strict=True), key=lambda pair: pair[0])]


def _unit(rows: np.ndarray[Any, np.dtype[Any]]) -> Vectors | None:
    """Rows brought to unit length; None where one has no direction."""
    wide = rows.astype(np.float64)
    peaks = np.abs(wide).max(axis=1, keepdims=True)
    if not np.all(np.isfinite(peaks) & (peaks > 0)):
        return None
    wide /= peaks  # so that squares neither overflow nor vanish
    vectors: Vectors = (wide / np.linalg.norm(wide, axis=1, keepdims=True)).astype(np.float32)
    return vectors
