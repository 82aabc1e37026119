"""From a caller's arguments to checked values, with one clear error."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from ricordo.errors import InputTooLarge, InvalidInput, UnknownField
from ricordo.records.page import MAX_PAGE

Model = TypeVar("Model", bound=BaseModel)


def checked(model: type[Model], values: Mapping[str, Any]) -> Model:
    """The values as a model.

    Raises:
        UnknownField: A name that the model does not have.
        InputTooLarge: A text over its limit.
        InvalidInput: Anything else.
    """
    if not isinstance(values, Mapping):
        raise InvalidInput(f"'{type(values).__name__}' is given where the fields are wanted by name.")
    if not isinstance(values, Mapping):
        raise InvalidInput(f"{type(values).__name__} is given where named fields are expected.")
    try:
        return model.model_validate(dict(values))
    except ValidationError as error:
        raise invalid(error, model) from error


def invalid(error: ValidationError, model: type[BaseModel]) -> InvalidInput:
    """The one error of Ricordo for what pydantic found, with all of it in the details."""
    found = error.errors(include_url=False, include_context=False)
    first = next((item for item in found if item["type"] == "extra_forbidden"), found[0])
    field = ".".join(str(part) for part in first["loc"]) or "request"
    details = [
        {"field": ".".join(str(part) for part in item["loc"]), "problem": item["msg"]} for item in found
    ]
    if first["type"] == "extra_forbidden":
        known = "" if len(first["loc"]) > 1 else f"Known fields: {', '.join(model.model_fields)}."
        return UnknownField(
            f"There is no field '{field}' here.",
            cure=known,
            field=field,
            problems=details,
        )
    message = first["msg"].removeprefix("Value error, ")
    if first["type"] == "string_too_long":
        return InputTooLarge(f"'{field}': {message}.", field=field, problems=details)
    return InvalidInput(f"'{field}': {message}.", field=field, problems=details)


def page_limit(limit: Any) -> int:
    """A page's size, checked.

    Raises:
        InvalidInput: Outside 1..1000.
    """
    if not isinstance(limit, int) or not 1 <= limit <= MAX_PAGE:
        raise InvalidInput(f"'limit': must be between 1 and {MAX_PAGE}.", field="limit")
    return limit
