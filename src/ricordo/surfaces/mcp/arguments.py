"""A tool's arguments, checked; an error says what was expected, so that a model can mend its call."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from typing import Any, get_args

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from ricordo.engine.validation import invalid
from ricordo.errors import InvalidInput, RicordoError, UnknownField
from ricordo.records.base import Value

Place = tuple[int | str, ...]


def checked_arguments(model: type[Value], arguments: Mapping[str, Any]) -> Value:
    """The arguments as a request.

    Raises:
        UnknownField: A name that there is not, with the one that is probably meant.
        InvalidInput: Anything else.
    """
    try:
        return model.model_validate(dict(arguments))
    except ValidationError as error:
        raise _explained(error, model) from error


def _explained(error: ValidationError, model: type[Value]) -> RicordoError:
    found = error.errors(include_url=False, include_context=False, include_input=False)
    usual = invalid(error, model)
    unknown = [item["loc"] for item in found if item["type"] == "extra_forbidden"]
    if unknown:
        return _unknown(unknown[0], found, model, usual)
    missing = [item["loc"] for item in found if item["type"] == "missing"]
    if missing:
        name = _dotted(missing[0])
        message = f"The argument '{name}' is missing."
        return InvalidInput(message, cure=_known(model, missing[0][:-1]), **{**usual.details, "field": name})
    return usual


def _unknown(
    place: Place, found: Iterable[ErrorDetails], model: type[Value], usual: InvalidInput
) -> UnknownField:
    siblings = [
        str(item["loc"][-1]) for item in found if item["type"] == "missing" and item["loc"][:-1] == place[:-1]
    ]
    names = list(_model_at(model, place[:-1]).model_fields)
    near = difflib.get_close_matches(str(place[-1]), names, n=1)
    expected = siblings[:1] or near
    message = f"There is no argument '{_dotted(place)}' here"
    if expected:
        message += f"; '{_dotted((*place[:-1], *expected))}' is expected"
    message += "."
    details = {**usual.details, "field": _dotted(place), "expected": expected}
    return UnknownField(message, cure=_known(model, place[:-1]), **details)


def _known(model: type[Value], place: Place) -> str:
    """The names that there are at a place."""
    fields = _model_at(model, place).model_fields.items()
    listed = ", ".join(f"{name} (required)" if field.is_required() else name for name, field in fields)
    return f"In '{_dotted(place)}' there are: {listed}." if place else f"Arguments: {listed or 'none'}."


def _model_at(model: type[BaseModel], place: Place) -> type[BaseModel]:
    """The model of the object that stands at a place inside a request."""
    for part in place:
        if isinstance(part, str) and part in model.model_fields:
            model = _model_in(model.model_fields[part].annotation) or model
    return model


def _model_in(annotation: Any) -> type[BaseModel] | None:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    found = (_model_in(part) for part in get_args(annotation))
    return next((part for part in found if part is not None), None)


def _dotted(place: Place) -> str:
    return ".".join(str(part) for part in place)
