"""How soon a fresh process is of use: first answer, version, MCP handshake."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from ricordo.bench.filling import WORKSPACE

RUNS = 5
"""Processes that are started for one number, at most."""

TIMEOUT_S = 120.0


def first_answer(path: Path, embedder: str, question: str, *, runs: int) -> dict[str, Any]:
    """Wall time from starting a process to its first answer, the file being in the disk's cache.

    `cpu_ms` is the processor's time until then: what the wall time would be on an idle machine.
    """
    took_ms: list[float] = []
    said: dict[str, Any] = {}
    for _ in range(runs):
        command = [sys.executable, "-m", "ricordo.bench.fresh", str(path), WORKSPACE, embedder, question]
        began = time.perf_counter()
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:  # noqa: S603
            line = process.stdout.readline() if process.stdout else ""
            took_ms.append((time.perf_counter() - began) * 1000)
            rest, _ = process.communicate(timeout=TIMEOUT_S)
        if process.returncode or not line:
            return {"failed": f"the process ended with {process.returncode}"}
        said = {**json.loads(line), **json.loads(rest)}
    return {"median_ms": round(statistics.median(took_ms), 1), "best_ms": round(min(took_ms), 1), **said}


def interpreter_ms(*, runs: int) -> float:
    """What starting Python alone costs."""
    return _median_ms([sys.executable, "-c", "pass"], runs=runs) or 0.0


def version_ms(*, runs: int) -> float | None:
    """Wall time of `ricordo --version`; None where the command is not installed."""
    return _median_ms([*command_line(), "--version"], runs=runs)


def command_line() -> list[str]:
    """The installed command."""
    script = Path(sys.executable).with_name("ricordo")
    if script.is_file():
        return [str(script)]
    return [sys.executable, "-c", "from ricordo.surfaces.cli import main; main()"]


def _median_ms(command: list[str], *, runs: int) -> float | None:
    took_ms: list[float] = []
    for _ in range(runs):
        began = time.perf_counter()
        try:
            done = subprocess.run(command, capture_output=True, timeout=TIMEOUT_S, check=False)  # noqa: S603
        except (OSError, subprocess.TimeoutExpired):
            return None
        took_ms.append((time.perf_counter() - began) * 1000)
        if done.returncode:
            return None
    return round(statistics.median(took_ms), 1)


def handshake(path: Path, embedder: str, *, runs: int) -> dict[str, Any]:
    """Time of an MCP client from starting `ricordo mcp` to the end of the handshake."""
    try:
        import anyio
        import mcp  # noqa: F401
    except ImportError:
        return {"failed": "the package mcp is not installed"}
    took_ms: list[float] = []
    tools = 0
    for _ in range(runs):
        try:
            ms, tools = anyio.run(_shake, path, embedder)
        except BaseExceptionGroup as errors:
            return {"failed": _first(errors)}
        except Exception as error:  # one failed start must not end the bench
            return {"failed": f"{type(error).__name__}: {error}"}
        took_ms.append(ms)
    return {"median_ms": round(statistics.median(took_ms), 1), "tools": tools}


async def _shake(path: Path, embedder: str) -> tuple[float, int]:
    import anyio
    from mcp import ClientSession, StdioServerParameters
    from mcp.client.stdio import stdio_client

    command, *rest = command_line()
    given = {"PATH": str(path), "WORKSPACE": WORKSPACE, "EMBEDDER": embedder}
    server = StdioServerParameters(
        command=command,
        args=[*rest, "mcp"],
        env={**os.environ, **{f"RICORDO_{name}": value for name, value in given.items()}},
    )
    with anyio.fail_after(TIMEOUT_S), Path(os.devnull).open("w", encoding="utf-8") as nowhere:
        began = time.perf_counter()
        async with stdio_client(server, errlog=nowhere) as streams, ClientSession(*streams) as session:
            await session.initialize()
            took_ms = (time.perf_counter() - began) * 1000
            tools = await session.list_tools()
            return took_ms, len(tools.tools)


def _first(errors: BaseExceptionGroup[BaseException]) -> str:
    """The first error inside groups of errors."""
    error: BaseException = errors
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return f"{type(error).__name__}: {error}"
