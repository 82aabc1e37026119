"""Data sets of our own making."""

from __future__ import annotations

from typing import Any

FILLER = "harbour window ladder pepper violin carpet basket meadow".split()


def locomo() -> list[dict[str, Any]]:
    return [_talk(f"talk-{number}") for number in range(3)]


def _talk(name: str) -> dict[str, Any]:
    """Twenty turns, each with a word of its own; session 2 holds turns 11 to 20."""
    turns = [
        {
            "speaker": "Nora" if number % 2 else "Piero",
            "dia_id": f"D{1 + (number > 10)}:{number if number <= 10 else number - 10}",
            "text": f"The {FILLER[number % 8]} is near word{number}abc.",
        }
        for number in range(1, 21)
    ]
    questions = [
        ("Where is word1abc?", ["D1:1"], 4),
        ("Where is word15abc?", ["D2:5; D1:1"], 1),
        ("Where is word3abc?", ["D1:3", "D9:9", "D"], 2),
        ("Where is qqqq?", ["D1:1"], 5),
        ("Nothing?", [], 3),
    ]
    return {
        "qa": [
            {"question": text, "evidence": gold, "category": kind, "answer": 1}
            for text, gold, kind in questions
        ],
        "conversation": {
            "speaker_a": "Nora",
            "speaker_b": "Piero",
            "session_1_date_time": "1:56 pm on 8 May, 2023",
            "session_1": turns[:10],
            "session_2_date_time": "2:56 pm on 9 May, 2023",
            "session_2": turns[10:],
        },
        "sample_id": name,
    }


def beam() -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    texts = [
        "The login page takes three weeks.",
        "That is a good plan.",
        "The budget is 400 euro.",
        "Noted, 400 euro.",
        "The budget is 900 euro now.",
        "Noted, 900 euro.",
    ]
    messages = [
        {
            "id": number,
            "role": "user" if number % 2 == 0 else "assistant",
            "batch": 1 + number // 4,
            "time_anchor": "March-15-2024" if number == 0 else None,
            "content": text,
        }
        for number, text in enumerate(texts)
    ]
    chat = {"chat": "c-1", "title": "t", "category": "x", "messages": messages}
    update = {"original_info": [2], "updated_info": [4]}
    same = {"original_info": [2], "updated_info": [2]}
    questions = [
        {
            "type": "information_extraction",
            "question": "How long is the login page?",
            "source_chat_ids": [0, 77],
        },
        {"type": "knowledge_update", "question": "What is the budget now?", "source_chat_ids": update},
        {"type": "knowledge_update", "question": "What is the budget?", "source_chat_ids": same},
        {"type": "abstention", "question": "Which zebra?"},
        {"type": "summarization", "question": "Sum it up", "source_chat_ids": []},
    ]
    return [chat], [{"qid": str(place), "chat": "c-1", **item} for place, item in enumerate(questions)]


def squad_it() -> list[dict[str, Any]]:
    return [
        {
            "title": f"Articolo {number}",
            "paragraphs": [
                {
                    "context": f"La città {number} ha un porto chiamato porto{number}xyz.",
                    "qas": [{"question": f"Dov'è porto{number}xyz?", "answers": []}],
                }
            ],
        }
        for number in range(14)
    ]


def devbench() -> dict[str, Any]:
    memories = [
        {
            "id": f"m:{number}",
            "content": f"We chose tool{number}abc for builds.",
            "tags": [f"m:{number}", "tools"],
        }
        for number in range(4)
    ]
    queries = [
        {"id": "1", "category": "exact", "question": "Why tool2abc?", "expected_tags": ["m:2"]},
        {"id": "2", "category": "negative", "question": "Who sings?", "expected_tags": []},
    ]
    return {"memories": memories, "queries": queries}


def bird() -> list[dict[str, Any]]:
    """Three databases; each has eight questions, two of which share a rule, and one that has none."""
    return [item for name in ("ships", "orchards", "bakeries") for item in _about(name)]


def _about(database: str) -> list[dict[str, Any]]:
    """Every question has a word of its own; all but the last one have the same skeleton."""
    found = [
        {
            "db_id": database,
            "question": f"Which of the {database} is {FILLER[number]}{database}?",
            "evidence": f" {FILLER[number - (number == 1)]}{database} refers to code{number // 2} = 'x'",
            "SQL": f"SELECT name FROM t WHERE code{number} = '{number}'",
        }
        for number in range(7)
    ]
    found[1]["evidence"] = found[0]["evidence"]
    last = {
        "db_id": database,
        "question": f"How many {database}?",
        "evidence": "",
        "SQL": "SELECT COUNT(*) FROM t",
    }
    return [*found, last]


def kaggledbqa() -> list[dict[str, Any]]:
    return [
        {
            "db_id": database,
            "split": split,
            "question": f"Which of the {database} has a {FILLER[number]}?",
            "query": f"SELECT a FROM t WHERE b = {number}" if number else "SELECT COUNT(*) FROM t",
        }
        for database in ("ships", "orchards")
        for split, numbers in (("fewshot", (1, 2)), ("test", (0, 1, 2)))
        for number in numbers
    ]
