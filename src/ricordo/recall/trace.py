"""How an answer came about, for people and for tuning."""

from __future__ import annotations

import time

from ricordo.recall.plan import Plan
from ricordo.recall.pool import Pools
from ricordo.recall.verify import Omissions
from ricordo.records.recall import Trace, Voice


class Stopwatch:
    """Milliseconds by part."""

    def __init__(self) -> None:
        self._began = self._last = time.perf_counter()
        self.laps: dict[str, float] = {}

    def lap(self, name: str) -> None:
        """End a part."""
        now = time.perf_counter()
        self.laps[name] = (now - self._last) * 1000
        self._last = now

    def read(self) -> dict[str, float]:
        """All parts and the total, in milliseconds."""
        laps = {name: round(value, 3) for name, value in self.laps.items()}
        return {**laps, "total": round((self._last - self._began) * 1000, 3)}


def make_trace(plan: Plan, pools: Pools, omitted: Omissions, watch: Stopwatch) -> Trace:
    """The trace of a recall that has ended."""
    heard = {
        voice: sum(pool.voices[voice].count for pool in pools.values() if voice in pool.voices)
        for voice in (Voice.LEXICAL, Voice.VECTOR)
    }
    return Trace(
        profile=plan.profile.name,
        terms=tuple(term.forms[0] for term in plan.asked.terms),
        candidates={voice: count for voice, count in heard.items() if count},
        left_out=omitted.listed(),
        timings_ms=watch.read(),
    )
