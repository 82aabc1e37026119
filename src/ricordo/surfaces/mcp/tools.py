"""Which operations are tools, and how they are described to a model.

The list is small and stable: a model chooses better among few tools, and each
costs its context. It gets what an agent does with a memory; what a person does
with a program stays with the command line and HTTP.

    a tool          recall, remember, get_fact, list_facts, update_fact, delete_fact, fact_history,
                    add_episode, add_episodes, get_episode, list_episodes, delete_episode,
                    list_sessions, get_session, delete_session,
                    search_cards, find_clarifications, find_rules, find_solved_questions, get_card, status
    left out        why
    add_fact        the same as remember; two tools for one thing are taken by turns
    create_session  a new external id in add_episode makes its session
    update_session, session_history, update_episode, episode_history
                    what was said is a record, to be corrected by people
    list_pending, retry_pending, rebuild_index, verify_index, diagnose
                    upkeep: the worker does it unasked, people look after it
    list_cards, create_card, update_card, delete_card, restore_card, card_history, compare_card,
    list_similar_cards, merge_cards, undo_merge, list_merges, list_pending_cards, retry_card
                    cards are what people have reviewed: agents find and read them, people manage them
    list_workspaces, create_workspace
                    the workspace is a boundary that is set from outside, not by the model
"""

from __future__ import annotations

import json
from typing import Any

import mcp_types as types

from ricordo.operations import BY_NAME, Operation
from ricordo.records.recall import Recall

Schema = dict[str, Any]

TOOLS: dict[str, str] = {
    "recall": (
        "Ask a whole question in any language. Read one result whole with get_episode, get_fact or get_card."
    ),
    "remember": "One self-contained statement that will still be understood in a year.",
    "get_fact": "",
    "list_facts": "To find something, use recall.",
    "update_fact": "When something has changed; name the `revision` that you saw.",
    "delete_fact": "When it should never have been kept; what has merely changed is an update_fact.",
    "fact_history": "",
    "add_episode": "What was said, word for word; who said it in `speaker`, when in `occurred_at`.",
    "add_episodes": "Many at once; vectors follow in the background.",
    "get_episode": "",
    "list_episodes": "To find something, use recall.",
    "delete_episode": "",
    "list_sessions": "",
    "get_session": "",
    "delete_session": "There is no way back.",
    "search_cards": (
        "Ask before you write SQL or explain a term; narrow by `filters` (family, scope, concepts, database, "
        "schema, table, column). Finding a card approves nothing: check that it fits the question."
    ),
    "find_clarifications": "Ask before you assume a meaning; what is settled already goes into `decided`.",
    "find_rules": "Ask before you write SQL, with `database` and `table` in `filters`; follow what fits.",
    "find_solved_questions": "Read the SQL and adapt it: tables, dates and meaning may differ in yours.",
    "get_card": "Whole, with its links and who wrote or reviewed it.",
    "status": "",
}
"""Operations that are tools, in the order of the list, with what is said beside their summary."""

LEFT_OUT: dict[str, str] = {
    "add_fact": "remember",
    "create_session": "add_episode",
    "update_session": "people",
    "session_history": "people",
    "update_episode": "people",
    "episode_history": "people",
    "list_cards": "people",
    "create_card": "people",
    "update_card": "people",
    "delete_card": "people",
    "card_history": "people",
    "compare_card": "people",
    "restore_card": "people",
    "list_similar_cards": "people",
    "merge_cards": "people",
    "undo_merge": "people",
    "list_merges": "people",
    "list_pending_cards": "upkeep",
    "retry_card": "upkeep",
    "list_pending": "upkeep",
    "retry_pending": "upkeep",
    "rebuild_index": "upkeep",
    "verify_index": "upkeep",
    "diagnose": "upkeep",
    "list_workspaces": "boundary",
    "create_workspace": "boundary",
}
"""Operations that are no tools, with the reason in a word; a test holds both tables to `OPERATIONS`."""

SHORTENED = "shortened"
"""Property of every answer that says what was left out of it and how to get the rest."""

ERROR: Schema = {
    "type": "object",
    "description": "Instead of an answer: what failed.",
    "required": ["code", "message", "retry_helps", "details"],
    "properties": {
        "code": {"type": "string"},
        "message": {"type": "string"},
        "retry_helps": {"type": "boolean"},
        "details": {"type": "object", "description": "`cure` says what to do."},
    },
}


def tool_list() -> list[types.Tool]:
    """Every tool, described."""
    return [tool(BY_NAME[name], hint) for name, hint in TOOLS.items()]


def tool(operation: Operation, hint: str) -> types.Tool:
    """One operation as a tool."""
    return types.Tool(
        name=operation.name,
        description=f"{operation.summary} {hint}".strip(),
        input_schema=input_schema(operation),
        output_schema=output_schema(operation),
        annotations=types.ToolAnnotations(
            read_only_hint=operation.read_only,
            destructive_hint=operation.destructive,
            idempotent_hint=operation.idempotent,
            open_world_hint=False,
        ),
    )


RECORDS: Schema = {
    name: {"type": "object", "description": f"As {tool} answers it."}
    for name, tool in (("Episode", "list_episodes"), ("Fact", "get_fact"), ("Card", "get_card"))
}
"""Records inside the answers of recalls: several tools have them, and their own tools say what is in them."""


def input_schema(operation: Operation) -> Schema:
    """The request's schema, in one piece: not every client follows a `$ref`, and titles only cost."""
    schema = operation.request.model_json_schema()
    definitions = schema.pop("$defs", {})
    whole: Schema = _plain(schema, definitions)
    return {"type": "object", "properties": {}, **whole}


def output_schema(operation: Operation) -> Schema:
    """The response's schema without titles, which an error's shape fits as well.

    Some clients check the answer of a failed call, too, so `error` must be allowed; and what is
    null is left out of answers, so it must not be required.
    """
    schema: Schema = _plain(operation.response.model_json_schema(mode="serialization"), None)
    definitions = schema.get("$defs", {})
    if operation.response is Recall:
        definitions |= {name: whole for name, whole in RECORDS.items() if name in definitions}
        _drop_unused(schema)
    for definition in [schema, *definitions.values()]:
        _relax(definition)
    required = schema.pop("required", [])
    schema["properties"] |= {
        SHORTENED: {"type": "string", "description": "What was left out here, and how to get the rest."},
        "error": ERROR,
    }
    schema["anyOf"] = [{"required": required}, {"required": ["error"]}]
    return schema


def _drop_unused(schema: Schema) -> None:
    """Leave out definitions that nothing refers to."""
    definitions = schema["$defs"]
    while True:
        spoken = json.dumps({**schema, "$defs": definitions})
        used = {name: whole for name, whole in definitions.items() if f'"#/$defs/{name}"' in spoken}
        if len(used) == len(definitions):
            return
        definitions = schema["$defs"] = used


def _relax(definition: Schema) -> None:
    properties = definition.get("properties", {})
    if "required" in definition:
        definition["required"] = [name for name in definition["required"] if not _nullable(properties[name])]


def _nullable(schema: Schema) -> bool:
    return {"type": "null"} in schema.get("anyOf", [])


def _plain(schema: Any, definitions: Schema | None) -> Any:
    """A schema without titles, and with its references put in place where definitions are given."""
    if isinstance(schema, list):
        return [_plain(item, definitions) for item in schema]
    if not isinstance(schema, dict):
        return schema
    if "$ref" in schema and definitions is not None:
        named = definitions[schema["$ref"].rpartition("/")[2]]
        rest = {key: value for key, value in schema.items() if key != "$ref"}
        return _plain({**named, **rest}, definitions)
    plain = {}
    for key, value in schema.items():
        if key == "properties":
            plain[key] = {name: _plain(item, definitions) for name, item in value.items()}
        elif key != "title":
            plain[key] = _plain(value, definitions)
    return plain
