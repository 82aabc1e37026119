"""The group `ricordo memory`."""

from __future__ import annotations

from ricordo.surfaces.cli.invocation import group

app = group(
    "memory",
    "Cards: reviewed knowledge that is reusable across questions.",
    example="ricordo memory search 'how is churn counted?'\n"
    'ricordo memory list --filters \'{"family": "sql_rule"}\' -c team.yaml',
)

CARD = "mem-0195d2b0-4c1e-7a52-9d0f-3b8a6c2e1f47"
OTHER = "mem-0195d2b0-5d2f-7b63-8e10-4c9b7d3f2058"
"""Ids in examples."""
