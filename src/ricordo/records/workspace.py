"""A workspace: the boundary of everything."""

from __future__ import annotations

from enum import StrEnum

from ricordo.records.base import Moment, Value


class Language(StrEnum):
    """Languages whose words are analysed; texts of others are kept as they are."""

    ENGLISH = "en"
    ITALIAN = "it"


class Workspace(Value):
    """A workspace as the archive holds it.

    Attributes:
        num: Its number inside the archive; never leaves the program.
        language: What a text is taken for where its language is not clear.
    """

    num: int
    name: str
    language: Language
    created_at: Moment
