"""Conversations of our own making."""

from __future__ import annotations

import json
from typing import Any


def turn(number: int, speaker: str, text: str, session: int = 1, **more: Any) -> dict[str, Any]:
    return {"speaker": speaker, "dia_id": f"D{session}:{number}", "text": text, **more}


def talk(**sessions: Any) -> dict[str, Any]:
    return {"speaker_a": "Nora", "speaker_b": "Piero", **sessions}


def garden(sample_id: str = "garden") -> dict[str, Any]:
    """A conversation whose id stands behind its turns, as in the published files."""
    return {
        "qa": [{"question": "What did Nora plant?", "evidence": ["D1:1"], "category": 4}],
        "conversation": talk(
            session_1_date_time="1:56 pm on 8 May, 2023",
            session_1=[
                turn(1, "Nora", "I planted three lemon trees behind the shed."),
                turn(2, "Piero", "Bello! Anche il limone di mia nonna è in fiore."),
            ],
            session_2_date_time="12:05 am on 21 June, 2023",
            session_2=[turn(1, "Piero", "The frost took one of them.", 2)],
        ),
        "sample_id": sample_id,
    }


def lines(*values: Any) -> str:
    return "".join(json.dumps(value, ensure_ascii=False) + "\n" for value in values)


def said(role: str, content: Any, **more: Any) -> dict[str, Any]:
    return {"role": role, "content": content, **more}
