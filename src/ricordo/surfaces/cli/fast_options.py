"""Options whose values need no conversion, taken as they are.

Typer makes a pydantic validator for every option of a command, given or not, before the
command runs or its help is shown: a tenth of a second and more. Most options are texts, and
most are not given.
"""

from __future__ import annotations

from typing import Any

PLAIN = (str, int, float)


def convert_where_needed(params: list[Any]) -> list[Any]:
    """The same parameters, each of which converts only a value that has to be converted."""
    for param in params:
        if hasattr(param, "type_descriptor") and not isinstance(param.process_value, _Taking):
            param.process_value = _Taking(param)
    return params


class _Taking:
    """Stands before a parameter's own `process_value`."""

    def __init__(self, param: Any) -> None:
        self._param = param
        self._convert = param.process_value

    def __call__(self, ctx: Any, value: Any) -> Any:
        param = self._param
        if param.required or param.nargs != 1 or not self._plain(value):
            return self._convert(ctx, value)
        taken = () if value is None and param.multiple else value
        return taken if param.callback is None else param.callback(ctx, param, taken)

    def _plain(self, value: Any) -> bool:
        """Whether there is nothing to convert."""
        annotation = self._param.type_descriptor.annotation
        return value is None or (annotation in PLAIN and type(value) is annotation)
