"""What the question says about speaker and time, and what a text is, moves candidates up or down."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ricordo.archive.contract import ArchiveReader, Turn
from ricordo.recall.dates import nearness, tells_time
from ricordo.recall.plan import Plan
from ricordo.recall.pool import Floats, Ints, Pools
from ricordo.recall.profiles import KindProfile
from ricordo.records.base import Kind
from ricordo.records.moment import from_micros


def shape(pools: Pools, near: dict[Kind, Ints], reader: ArchiveReader, plan: Plan) -> None:
    """Give episodes the parts `speaker`, `first_person`, `asks`, `tells_time` and `dated`.

    `near` holds the numbers of those that are looked at.
    """
    pool = pools.get(Kind.EPISODE)
    if pool is None:
        return
    turns = reader.turns(near[Kind.EPISODE].tolist(), openings=plan.asks_when)
    if not turns:
        return
    places = pool.places(np.array([turn.num for turn in turns], dtype=np.int64))
    for part, amounts in _amounts(turns, plan, plan.profile.kinds[Kind.EPISODE]).items():
        column = np.zeros(len(pool))
        column[places] = amounts
        pool.give(part, column)


def _amounts(turns: Sequence[Turn], plan: Plan, weights: KindProfile) -> dict[str, Floats]:
    amounts = {"asks": -weights.asks * np.array([turn.asks for turn in turns], dtype=np.float64)}
    if plan.speaker is not None:
        said = np.array([turn.speaker == plan.speaker for turn in turns], dtype=np.float64)
        amounts["speaker"] = weights.speaker * said
    if plan.first_person:
        mine = np.array([turn.by_user for turn in turns], dtype=np.float64)
        amounts["first_person"] = weights.first_person * mine
    if plan.asks_when:
        told = np.array([tells_time(turn.opening) for turn in turns], dtype=np.float64)
        amounts["tells_time"] = weights.tells_time * told
    if plan.periods:
        days = [from_micros(turn.at).date() for turn in turns]
        years = {day.year for day in days}
        years |= {year - 1 for year in years}
        near = [nearness(day, plan.periods, years) for day in days]
        amounts["dated"] = weights.dated * np.array(near, dtype=np.float64)
    return amounts
