"""A card: reviewed knowledge that is reusable across questions."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Any, ClassVar, Self

from pydantic import BeforeValidator, Field, model_validator

from ricordo.records.base import Kind, Moment, Name, Record, Value, clean_value, fold_name
from ricordo.records.physical import Physical, without_database
from ricordo.records.receipt import Receipt

MAX_CARD_CHARS = 100_000
"""Longest text of one field of a card, in characters: knowledge that a person has read."""

MAX_SOUGHT_CHARS = 4_000
"""Longest text that a listing is narrowed by, in characters."""

MAX_CONCEPTS = 64
MAX_DEPENDENCIES = 500
MAX_LINKS = 500

CardText = Annotated[str, Field(max_length=MAX_CARD_CHARS), BeforeValidator(clean_value)]
"""A text of a card; white space alone counts as missing."""


class CardFamily(StrEnum):
    """What sort of knowledge a card holds."""

    DOMAIN_CLARIFICATION = "domain_clarification"
    SQL_RULE = "sql_rule"
    SOLVED_QUESTION = "solved_question"
    EXPLAINED_ERROR = "explained_error"


class Family(Value):
    """The fields of a family.

    Attributes:
        required: Those that a card must have.
        allowed: Those that it may have besides.
    """

    required: tuple[str, ...]
    allowed: tuple[str, ...] = ()


FAMILIES: dict[CardFamily, Family] = {
    CardFamily.DOMAIN_CLARIFICATION: Family(required=("content",), allowed=("context", "rationale")),
    CardFamily.SQL_RULE: Family(required=("content",), allowed=("rationale",)),
    CardFamily.SOLVED_QUESTION: Family(
        required=("question", "sql"), allowed=("context", "content", "rationale")
    ),
    CardFamily.EXPLAINED_ERROR: Family(required=("content", "rationale")),
}
"""What each family of cards is made of."""

TEXT_FIELDS = ("content", "question", "sql", "context", "rationale")


class Dependency(Physical):
    """What a card depends on in the database. A database alone, or a table alone, stands for all below."""

    @model_validator(mode="after")
    def _names_something(self) -> Self:
        lone = without_database(self)
        if lone is not None:
            raise ValueError(f"'{lone}' needs its database")
        if self.database is None:
            raise ValueError("a dependency names at least its 'database'")
        return self


class Link(Value):
    """From a card to another one of the same workspace.

    Attributes:
        target: Id of the other card.
        meaning: What the link says: `refines`, `contradicts`, `example_of`, `see_also`, or own words.
    """

    target: Name
    meaning: Name = "see_also"


class OriginKind(StrEnum):
    """How a card came to be."""

    MANUAL = "manual"
    WORKFLOW = "workflow"


class Origin(Value):
    """Where a card comes from; survives every later edit.

    Attributes:
        author: Who wrote it; of a manual card only.
        session, decisions, reviewer: The session, the sequence numbers of its decisions, and who
            reviewed them; of a card that came through review only.
    """

    kind: OriginKind
    author: Name | None = None
    session: Name | None = None
    decisions: tuple[Annotated[int, Field(ge=0, lt=2**31)], ...] = ()
    reviewer: Name | None = None

    @model_validator(mode="after")
    def _fits_its_kind(self) -> Self:
        if self.kind is OriginKind.MANUAL:
            if self.author is None or self.session or self.decisions or self.reviewer:
                raise ValueError("a manual origin has an author, and no session, decisions or reviewer")
        elif self.author or not (self.session and self.decisions and self.reviewer):
            raise ValueError("a workflow origin has a session, decisions and a reviewer, and no author")
        return self


def _one_of_each(names: Any) -> Any:
    """A set in the order in which it was given, compared without case and accents."""
    if not isinstance(names, list | tuple | set | frozenset):
        return names
    texts = sorted(names, key=str) if isinstance(names, set | frozenset) else names
    seen = {fold_name(name) if isinstance(name, str) else id(name): name for name in reversed(list(texts))}
    return tuple(reversed(list(seen.values())))


Concepts = Annotated[tuple[Name, ...], Field(max_length=MAX_CONCEPTS), BeforeValidator(_one_of_each)]
"""A set of words that a card is about."""


class CardFields(Value):
    """What a person writes into a card.

    Attributes:
        title: One line.
        scope: Where it holds; compared exactly.
        content: The definition, the guidance or the correction.
        question, sql: Of a solved question.
        context: The question that it arose from.
        rationale: Why it is so.
    """

    family: CardFamily
    title: Name
    scope: Name = "general"
    content: CardText | None = None
    question: CardText | None = None
    sql: CardText | None = None
    context: CardText | None = None
    rationale: CardText | None = None
    concepts: Concepts = ()
    dependencies: tuple[Dependency, ...] = Field(default=(), max_length=MAX_DEPENDENCIES)
    links: tuple[Link, ...] = Field(default=(), max_length=MAX_LINKS)

    @property
    def text(self) -> str:
        """All that it says, for a reader."""
        texts = (self.title, self.question, self.content, self.sql, self.rationale, self.context)
        return "\n".join(text for text in texts if text)


class CardDraft(CardFields):
    """A card to be made, or the whole of its next revision."""

    @model_validator(mode="after")
    def _fits_its_family(self) -> Self:
        family = FAMILIES[self.family]
        given = {name for name in TEXT_FIELDS if (getattr(self, name) or "").strip()}
        missing = [name for name in family.required if name not in given]
        if missing:
            raise ValueError(f"a card of family {self.family} needs '{missing[0]}'")
        strange = sorted(given - {*family.required, *family.allowed})
        if strange:
            known = ", ".join((*family.required, *family.allowed))
            raise ValueError(f"a card of family {self.family} has no '{strange[0]}'; it has: {known}")
        return self


class Card(CardFields, Record):
    """A card as the archive holds it; links in the order of their targets' ids."""

    kind: ClassVar[Kind] = Kind.CARD

    origin: Origin


class CardChanges(Value):
    """What may be changed in a card; only the named fields are. Sets and lists are replaced as a whole."""

    family: CardFamily | None = None
    title: Name | None = None
    scope: Name | None = None
    content: CardText | None = None
    question: CardText | None = None
    sql: CardText | None = None
    context: CardText | None = None
    rationale: CardText | None = None
    concepts: Concepts = ()
    dependencies: tuple[Dependency, ...] = Field(default=(), max_length=MAX_DEPENDENCIES)
    links: tuple[Link, ...] = Field(default=(), max_length=MAX_LINKS)


class CardSort(StrEnum):
    """Orders of a listing of cards; equal ones by id."""

    CREATED = "created"
    UPDATED = "updated"
    TITLE = "title"


SoughtText = Annotated[str, Field(max_length=MAX_SOUGHT_CHARS), BeforeValidator(clean_value)]
"""Words of a card, or the beginning of its id."""


class CardFilters(Physical):
    """What a listing of cards is restricted to; all given ones must hold.

    Attributes:
        text: Words that all occur in the card, the last one perhaps begun only; or an id.
        concepts: All of them.
        database, schema, table, column: One dependency has all of them.
        origin: `manual` or `workflow`.
        updated_from, updated_until: When it was last changed; until is exclusive.
    """

    text: SoughtText | None = None
    family: CardFamily | None = None
    concepts: Concepts = ()
    scope: Name | None = None
    origin: OriginKind | None = None
    updated_from: Moment | None = None
    updated_until: Moment | None = None

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        if self.updated_from and self.updated_until and self.updated_until <= self.updated_from:
            raise ValueError("updated_until must be later than updated_from")
        return self


class Evidence(Value):
    """Why two cards seem to say the same.

    Attributes:
        similarity: Of meaning, 0..1; None where there are no vectors.
        shared_words: Share of the shorter card's different words that the other has too, 0..1.
        words: Some of the shared words.
        concepts, dependencies: Those that both have.
    """

    similarity: float | None
    shared_words: float
    words: tuple[str, ...] = ()
    concepts: tuple[str, ...] = ()
    dependencies: tuple[str, ...] = ()


class LookAlike(Value):
    """A card that resembles another one; a person decides whether they are the same."""

    id: str
    revision: int
    family: CardFamily
    title: str
    evidence: Evidence


class Merge(Value):
    """Two cards made one by a person.

    Attributes:
        kept, merged: Ids of the card that stays and of the one that went into it.
        undone_at: When it was undone, or None.
    """

    id: str
    kept: str
    merged: str
    at: Moment
    actor: str
    reason: str | None = None
    undone_at: Moment | None = None


class CardReceipt(Receipt):
    """The answer to a write of a card.

    Attributes:
        look_alikes: Existing cards that resemble it most; nothing was done about them.
    """

    look_alikes: tuple[LookAlike, ...] = ()


class MergeReceipt(Value):
    """The answer to a merge."""

    merge: Merge
    receipt: CardReceipt


class FieldDifference(Value):
    """A field that differs between two revisions."""

    field: str
    before: Any
    after: Any


class Comparison(Value):
    """What changed between two revisions of a card."""

    id: str
    before: int
    after: int
    differences: tuple[FieldDifference, ...]
