"""The OpenAPI document, made from the tables of routes, operations and errors."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from functools import cache
from typing import Any

from pydantic import BaseModel
from pydantic.json_schema import JsonSchemaMode, models_json_schema

from ricordo.errors import RicordoError
from ricordo.operations import BY_NAME, OPERATIONS, Operation
from ricordo.records.base import Record
from ricordo.records.receipt import Receipt
from ricordo.surfaces.errors import TABLE
from ricordo.surfaces.http.error_responses import PROTOCOL
from ricordo.surfaces.http.request import seen_field
from ricordo.surfaces.http.routes import ROUTES, UPDATES, WORKSPACE, Route
from ricordo.version import __version__

TITLE = "Ricordo"
SUMMARY = "A self-hosted memory for AI agents and the people who work with them."
DESCRIPTION = (
    "Every answer is the operation's response as it stands; every error is an `Error`, whose `code` never "
    "changes. Bodies are JSON. Listings are paged by `limit` and `cursor`. Single records carry their "
    "revision as `ETag`; an update takes it as `If-Match` and is refused with 412 where the record has "
    "moved on."
)

Schema = dict[str, Any]
_COMPONENTS = "#/components/schemas/{model}"
_JSON = "application/json"
_READS = ("403", "422", "500", "503")
_ALSO_BODIES = ("413", "415")

ALWAYS_MADE = {"remember", "add_fact", "create_session", "create_card", "merge_cards"}
"""Operations whose success is always something new."""

NEVER_MADE = {"undo_merge"}
"""Operations by POST whose success never is."""

COMPARED = {"merge_cards", "undo_merge"}
"""Operations that are refused where a record has moved on, though no header says so."""

ERROR_SCHEMA: Schema = {
    "title": "Error",
    "type": "object",
    "required": ["error"],
    "properties": {
        "error": {
            "type": "object",
            "required": ["code", "message", "retry_helps", "details"],
            "properties": {
                "code": {"type": "string", "description": "Never changes."},
                "message": {"type": "string", "description": "For a person."},
                "retry_helps": {"type": "boolean", "description": "Whether the same request may work later."},
                "details": {
                    "type": "object",
                    "description": "Values for a program; `cure` says what to do.",
                },
            },
        }
    },
}


@cache
def openapi_document() -> Schema:
    """The whole document; the same for every archive."""
    schemas, refs = _schemas()
    paths: dict[str, Schema] = {}
    for route in ROUTES:
        paths.setdefault(route.path, {})[route.method.lower()] = _operation(route, schemas, refs)
    for path, meaning in (("/health", "No work is stuck."), ("/ready", "It can answer.")):
        paths[path] = {"get": _probe(path.strip("/"), meaning)}
    return {
        "openapi": "3.1.0",
        "info": {
            "title": TITLE,
            "summary": SUMMARY,
            "description": DESCRIPTION,
            "version": __version__,
            "license": {"name": "MIT", "identifier": "MIT"},
        },
        "paths": paths,
        "components": {
            "schemas": {**_mentioned(paths, schemas), "Error": ERROR_SCHEMA},
            "responses": _error_responses(),
        },
    }


Refs = dict[tuple[type[BaseModel], str], Schema]


def _schemas() -> tuple[Schema, Refs]:
    """Schemas of every request and response by name, and where each stands."""
    wanted: list[tuple[type[BaseModel], JsonSchemaMode]] = []
    for operation in OPERATIONS:
        wanted += [(operation.request, "validation"), (operation.response, "serialization")]
    wanted = list(dict.fromkeys(wanted))
    found, document = models_json_schema(wanted, ref_template=_COMPONENTS)
    return dict(sorted(document["$defs"].items())), {key: found[key] for key in wanted}


def _mentioned(paths: Schema, schemas: Schema) -> Schema:
    """The schemas that the paths refer to, also through others."""
    kept: Schema = {}
    waiting = _mentions(paths)
    while waiting:
        name = waiting.pop()
        if name not in kept:
            kept[name] = schemas[name]
            waiting |= _mentions(schemas[name])
    return dict(sorted(kept.items()))


def _mentions(value: Any) -> set[str]:
    """Names of the schemas that a piece of the document refers to."""
    return set(re.findall(r'"#/components/schemas/(\w+)"', json.dumps(value)))


def _operation(route: Route, schemas: Schema, refs: Refs) -> Schema:
    operation = route.operation
    answers = [operation] + ([BY_NAME[route.single]] if route.single else [])
    described: Schema = {
        "operationId": route.operation_id,
        "summary": operation.summary,
        "description": f"Needs the permission `{operation.permission}`.",
        "tags": [_tag(route)],
        "parameters": _parameters(route, schemas, refs),
        "responses": _responses(route, [refs[item.response, "serialization"] for item in answers]),
    }
    if route.has_body:
        bodies = [_body_schema(item, route, schemas, refs) for item in answers]
        described["requestBody"] = {
            "required": any(schema.get("required") for schema in map(_resolver(schemas), bodies)),
            "content": {_JSON: {"schema": _one_of(bodies)}},
        }
    return described


def _tag(route: Route) -> str:
    rest = route.path.removeprefix("/api/workspaces").strip("/").split("/")
    return rest[1] if len(rest) > 1 else "workspaces"


def _parameters(route: Route, schemas: Schema, refs: Refs) -> list[Schema]:
    request = _resolver(schemas)(refs[route.operation.request, "validation"])
    properties: Schema = request.get("properties", {})
    parameters = [
        {
            "name": name,
            "in": "path",
            "required": True,
            "description": _path_meaning(name, properties.get(route.field_of(name), {})),
            "schema": {"type": "string"},
        }
        for name in route.parameters
    ]
    if not route.has_body:
        parameters += [
            _query_parameter(name, schema, required=name in request.get("required", []))
            for name, schema in properties.items()
            if name not in route.settled
        ]
    return parameters + ([_IF_MATCH] if seen_field(route.operation) else [])


_IF_MATCH: Schema = {
    "name": "If-Match",
    "in": "header",
    "required": False,
    "description": "The revision that the change was made from, as `ETag` gave it; `*` is any.",
    "schema": {"type": "string", "pattern": r'^(\*|"[0-9]{1,18}")$'},
}


def _query_parameter(name: str, schema: Schema, *, required: bool) -> Schema:
    """A field as a parameter of the query, where nothing can be null."""
    options = [item for item in schema.get("anyOf", [schema]) if item != {"type": "null"}]
    plain = options[0] if len(options) == 1 else {"anyOf": options}
    parameter: Schema = {"name": name, "in": "query", "required": required}
    if "description" in schema:
        parameter["description"] = schema["description"]
    parameter["schema"] = {
        key: value
        for key, value in plain.items()
        if key not in {"title", "description"} and value is not None
    }
    return parameter


def _path_meaning(name: str, schema: Schema) -> str:
    if name == WORKSPACE:
        return "Name of the workspace."
    return str(schema.get("description") or name.replace("_", " ").capitalize() + ".")


def _body_schema(operation: Operation, route: Route, schemas: Schema, refs: Refs) -> Schema:
    """The request without the fields that stand in the path or that the route sets."""
    ref = refs[operation.request, "validation"]
    whole = _resolver(schemas)(ref)
    by_header = seen_field(operation)
    if not route.settled & set(whole.get("properties", {})):
        return ref
    left = {name: schema for name, schema in whole["properties"].items() if name not in route.settled}
    required = [name for name in whole.get("required", []) if name in left and name != by_header]
    rest = {key: value for key, value in whole.items() if key != "required"}
    return {**rest, "properties": left, **({"required": required} if required else {})}


def _responses(route: Route, answers: list[Schema]) -> Schema:
    operation = route.operation
    well: Schema = {
        "description": operation.summary,
        "content": {_JSON: {"schema": _one_of(answers)}},
    }
    if issubclass(operation.response, Record) or (
        route.method in UPDATES and issubclass(operation.response, Receipt)
    ):
        well["headers"] = {"ETag": {"description": "The revision.", "schema": {"type": "string"}}}
    statuses = {"200": well}
    if route.method == "POST" and not operation.idempotent and operation.name not in NEVER_MADE:
        statuses = {
            "201": {**well, "description": "It was saved."},
            "200": {**well, "description": "It was there already."},
        }
        if operation.name in ALWAYS_MADE:
            del statuses["200"]
    return statuses | {status: {"$ref": f"#/components/responses/{status}"} for status in _failures(route)}


def _failures(route: Route) -> list[str]:
    """Statuses of what can go wrong on a route."""
    operation = route.operation
    found = {*_READS}
    if route.has_body:
        found |= {*_ALSO_BODIES}
    if route.parameters:
        found.add("404")
    if not operation.read_only:
        found.add("507")
    if operation.name in {"create_session", "update_session"}:
        found.add("409")
    if seen_field(operation) or operation.name in COMPARED:
        found.add("412")
    return sorted(found)


def _error_responses() -> Schema:
    codes: dict[str, list[str]] = {}
    for kind, rendering in TABLE.items():
        codes.setdefault(str(rendering.http_status), []).append(_line(kind))
    for code, (status, message) in PROTOCOL.items():
        codes.setdefault(str(status), []).append(f"`{code}`: {message}")
    return {
        status: {
            "description": "\n".join(f"- {line}" for line in lines),
            "content": {_JSON: {"schema": {"$ref": "#/components/schemas/Error"}}},
        }
        for status, lines in sorted(codes.items())
    }


def _line(kind: type[RicordoError]) -> str:
    return f"`{kind.code}`: {(kind.__doc__ or '').strip().splitlines()[0]}"


def _probe(name: str, meaning: str) -> Schema:
    return {
        "operationId": name,
        "summary": meaning,
        "tags": ["probes"],
        "responses": {
            "200": {"description": meaning, "content": {_JSON: {"schema": {"type": "object"}}}},
            "503": {"$ref": "#/components/responses/503"},
        },
    }


def _one_of(schemas: Iterable[Schema]) -> Schema:
    given = list(schemas)
    return given[0] if len(given) == 1 else {"anyOf": given}


def _resolver(schemas: Schema) -> Any:
    def resolve(schema: Schema) -> Schema:
        ref = schema.get("$ref")
        found: Schema = schemas[ref.rpartition("/")[2]] if ref else schema
        return found

    return resolve
