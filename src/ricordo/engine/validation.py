"""From a caller's arguments to checked values, with one clear error."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from itertools import islice
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from ricordo.errors import InputTooLarge, InvalidInput, UnknownField
from ricordo.records.base import MAX_NAME_CHARS, Reason, Value, clean_text
from ricordo.records.page import MAX_PAGE

Model = TypeVar("Model", bound=BaseModel)


class _Change(Value):
    reason: Reason | None = None


def checked(model: type[Model], values: Mapping[str, Any]) -> Model:
    """The values as a model.

    Raises:
        UnknownField: A name that the model does not have.
        InputTooLarge: A text over its limit.
        InvalidInput: Anything else.
    """
    if not isinstance(values, Mapping):
        raise InvalidInput(f"'{type(values).__name__}' is given where the fields are wanted by name.")
    try:
        return model.model_validate(dict(values))
    except ValidationError as error:
        raise invalid(error, model) from error
    except RecursionError as error:
        raise InvalidInput("The request is nested too deeply.", field="request") from error


def value_of(model: type[Model], given: Model | Mapping[str, Any]) -> Model:
    """A value, or the fields of one as `checked`."""
    return given if isinstance(given, model) else checked(model, given)  # type: ignore[arg-type]


def named_changes(model: type[Model], changes: Mapping[str, Any]) -> dict[str, Any]:
    """The fields that a change names, checked; those that it does not name are left out.

    Raises:
        InvalidInput: As `checked`.
    """
    return checked(model, changes).model_dump(include=set(changes))


def invalid(error: ValidationError, model: type[BaseModel]) -> InvalidInput:
    """The one error of Ricordo for what pydantic found, with all of it in the details."""
    found = error.errors(include_url=False, include_context=False)
    first = next((item for item in found if item["type"] == "extra_forbidden"), found[0])
    field = _field(first)
    details = [{"field": _field(item), "problem": _problem(item)} for item in found]
    if first["type"] == "extra_forbidden":
        known = "" if len(first["loc"]) > 1 else f"Known fields: {', '.join(model.model_fields)}."
        return UnknownField(
            f"There is no field '{field}' here.",
            cure=known,
            field=field,
            problems=details,
        )
    message = _problem(first)
    if not first["loc"]:  # a rule over several fields, which names them itself
        return InvalidInput(f"{message[:1].upper()}{message[1:]}.", field=field, problems=details)
    if first["type"] == "string_too_long":
        return InputTooLarge(f"'{field}': {message}.", field=field, problems=details)
    return InvalidInput(f"'{field}': {message}.", field=field, problems=details)


_NAMED = re.compile(r"'(\w+)'")


def _problem(item: ErrorDetails) -> str:
    return item["msg"].removeprefix("Value error, ")


def _field(item: ErrorDetails) -> str:
    """The field that is wrong; a rule over several fields names one in its message."""
    where = ".".join(str(part) for part in item["loc"])
    named = None if where else _NAMED.search(item["msg"])
    return where or (named.group(1) if named else "request")


def page_limit(limit: Any) -> int:
    """A page's size, checked.

    Raises:
        InvalidInput: Outside 1..1000.
    """
    return between(limit, "limit", 1, MAX_PAGE)


def between(value: Any, field: str, least: int, most: int) -> int:
    """A whole number from least to most, both included.

    Raises:
        InvalidInput: It is none, or outside.
    """
    if not isinstance(value, int) or not least <= value <= most:
        raise InvalidInput(f"'{field}': must be between {least} and {most}.", field=field)
    return value


def name_text(value: Any, field: str) -> str:
    """An id or a name that a record is looked up by.

    Raises:
        InputTooLarge: Longer than any name.
        InvalidInput: Not a text.
    """
    if not isinstance(value, str):
        raise InvalidInput(f"'{field}': must be a text, not {type(value).__name__}.", field=field)
    if len(value) > MAX_NAME_CHARS:
        raise InputTooLarge(f"'{field}': must have at most {MAX_NAME_CHARS} signs.", field=field)
    return clean_text(value)


def reason_text(reason: Any) -> str | None:
    """The reason of a change, as it will stand in the history.

    Raises:
        InputTooLarge: Longer than 2,000 signs.
        InvalidInput: Not a text, an empty one, or one with half a sign in it.
    """
    return checked(_Change, {"reason": reason}).reason


def revision_seen(revision: Any) -> int | None:
    """The revision that a change was made from.

    Raises:
        InvalidInput: Not a whole number.
    """
    if revision is not None and (not isinstance(revision, int) or isinstance(revision, bool)):
        raise InvalidInput("'revision': must be a whole number.", field="revision")
    return revision


def revision_number(revision: Any, field: str = "revision") -> int:
    """The number of a revision.

    Raises:
        InvalidInput: Not a whole number from 1 on.
    """
    if not isinstance(revision, int) or isinstance(revision, bool) or not 1 <= revision < 2**63:
        raise InvalidInput(f"'{field}': must be a whole number from 1 on.", field=field)
    return revision


def batch(items: Any, field: str, most: int) -> list[Any]:
    """What is to be saved in one call, taken from any iterable.

    Raises:
        InvalidInput: Nothing to go through one by one, or too few or too many.
    """
    if isinstance(items, str | bytes | Mapping) or not isinstance(items, Iterable):
        raise InvalidInput(f"'{field}': must be a list, not {type(items).__name__}.", field=field)
    taken = list(islice(items, most + 1))
    if not 1 <= len(taken) <= most:
        raise InvalidInput(f"'{field}': give between 1 and {most} at a time.", field=field)
    return taken


def callback(value: Any, field: str, *, optional: bool = False) -> None:
    """Refuse what cannot be called.

    Raises:
        InvalidInput: It cannot.
    """
    if not callable(value) and not (optional and value is None):
        raise InvalidInput(f"'{field}': must be something that can be called.", field=field)
