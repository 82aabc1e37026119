"""Packages that are installed on request."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from ricordo.errors import MissingExtra


@contextmanager
def needing_extra(extra: str) -> Iterator[None]:
    """Turn a package that cannot be imported into an error that names what installs it.

    Raises:
        MissingExtra: One of the extra's packages is not there.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        if error.name is None or error.name.split(".")[0] == "ricordo":
            raise
        raise MissingExtra(
            f"The package '{error.name}' is not installed.",
            cure=f"Run: pip install 'ricordo[{extra}]'",
            extra=extra,
        ) from error
