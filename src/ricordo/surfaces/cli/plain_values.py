"""Options whose values need no conversion, taken as they are.

Typer makes a pydantic validator for every option of a command, given or not, before the
command runs or its help is shown: a tenth of a second and more. Most options are texts, and
most are not given.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

PLAIN = (str, int, float)


def take_as_they_are(params: Iterable[Any]) -> None:
    """Let each parameter convert only a value that has to be converted."""
    for param in params:
        if param.callback is None and hasattr(param, "type_descriptor"):
            param.process_value = _Taking(param)


class _Taking:
    """Stands before a parameter's own `process_value`."""

    def __init__(self, param: Any) -> None:
        self._param = param
        self._convert = param.process_value

    def __call__(self, ctx: Any, value: Any) -> Any:
        param = self._param
        if param.required or param.nargs != 1:
            return self._convert(ctx, value)
        if param.multiple:
            return self._convert(ctx, value) if value else ()
        if value is None or (param.type_descriptor.annotation in PLAIN and self._fits(value)):
            return value
        return self._convert(ctx, value)

    def _fits(self, value: Any) -> bool:
        return type(value) is self._param.type_descriptor.annotation
