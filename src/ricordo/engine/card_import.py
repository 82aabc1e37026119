"""Bringing lines of cards in: a batch is one transaction, links to later cards come at the end.

After every transaction the archive holds whole cards; what a process that was killed has not done
is a line that is not there yet, or links that a card lacks. Both are added when the same lines are
brought in again.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Mapping
from datetime import datetime
from typing import Any, NamedTuple

from ricordo.archive.contract import ArchiveWriter, Stored
from ricordo.engine.card_saving import FIELDS, in_order
from ricordo.engine.engine import Bound
from ricordo.engine.staging import stage_alone
from ricordo.engine.validation import checked
from ricordo.errors import InvalidInput
from ricordo.records.base import Kind, as_kind
from ricordo.records.card import Card, Link, Origin, OriginKind
from ricordo.records.card_copy import MAX_IMPORTED_REVISION, MAX_LEFT_OUT, CardCopy, CardImport, LeftOutLine

BATCH_CARDS = 500
BATCH_CHARS = 4_000_000
"""A batch is written when it holds so many cards, or so much text."""

WRITTEN = tuple(name for name in FIELDS if name != "links")
NAMESPACE = uuid.UUID("6f1d3bd8-98a5-4a9a-8f0e-2f4f0f4a1a57")
"""Of ids made from what a card says: a line without an id makes one card, however often it comes."""

REASON = "imported"


class _Waiting(NamedTuple):
    """A card that is to be written.

    Attributes:
        made: The line had no id; it was made from what the card says.
    """

    place: str
    copy: CardCopy
    made: bool


class _Later(NamedTuple):
    """A link whose target was not there when its card was written.

    Attributes:
        known: The card was there before.
    """

    place: str
    num: int
    card_id: str
    revision: int
    link: Link
    known: bool


class CardImporting:
    """One import while it runs.

    Args:
        bound: Workspace and caller.
        replace: Settle conflicts in favour of the file.
    """

    def __init__(self, bound: Bound, *, replace: bool) -> None:
        self._bound = bound
        self._replace = replace
        self._waiting: dict[str, _Waiting] = {}
        self._chars = 0
        self._later: list[_Later] = []
        self._left_out: list[LeftOutLine] = []
        self._counts = dict.fromkeys(
            ("read", "added", "known", "completed", "replaced", "conflicts", "broken", "links_left_out"), 0
        )

    def report(self, *, stopped: bool) -> CardImport:
        """What was done."""
        return CardImport(**self._counts, left_out=tuple(self._left_out), stopped=stopped)

    def take(self, number: int, line: str | None) -> bool:
        """Take one line; answers whether a batch was written."""
        if isinstance(line, str) and not line.strip().strip("\ufeff"):
            return False
        self._counts["read"] += 1
        place = f"line {number}"
        try:
            copy = _read(line)
        except InvalidInput as error:
            self._leave("broken", place, None, str(error))
            return False
        card_id = copy.id or self._made_id(copy)
        wrote = card_id in self._waiting
        if wrote:  # the same card again: what the first line says must be there to compare it with
            self._write()
        self._waiting[card_id] = _Waiting(place, copy, made=copy.id is None)
        self._chars += len(line or "")
        if len(self._waiting) >= BATCH_CARDS or self._chars >= BATCH_CHARS:
            self._write()
            return True
        return wrote

    def _made_id(self, copy: CardCopy) -> str:
        said = copy.model_dump(mode="json", include=set(FIELDS))
        text = json.dumps([self._bound.workspace.name, said], sort_keys=True, ensure_ascii=False)
        return f"mem-{uuid.uuid5(NAMESPACE, text)}"

    def finish(self) -> None:
        """Write what waits, and then the links that led to later cards."""
        self._write()
        completed: set[int] = set()
        for start in range(0, len(self._later), BATCH_CARDS):
            with self._bound.engine.archive.write(self._bound.workspace) as writer:
                completed |= self._link(writer, self._later[start : start + BATCH_CARDS])
        self._counts["completed"] += len(completed)
        self._later.clear()

    def _leave(self, counted: str, place: str, card_id: str | None, reason: str) -> None:
        self._counts[counted] += 1
        if len(self._left_out) < MAX_LEFT_OUT:
            self._left_out.append(LeftOutLine(place=place, id=card_id, reason=reason))

    # One batch

    def _write(self) -> None:
        if not self._waiting:
            return
        with self._bound.engine.archive.write(self._bound.workspace) as writer:
            held = writer.get_many(Kind.CARD, list(self._waiting))
            absent = [card_id for card_id in self._waiting if card_id not in held]
            gone = writer.cards.deleted(absent)
            fresh = {card_id for card_id in absent if self._replace or card_id not in gone}
            targets = {link.target for item in self._waiting.values() for link in item.copy.links}
            there = writer.cards.nums(sorted(targets)).keys() | fresh
            self._add(writer, fresh, gone, there)
            for card_id, item in self._waiting.items():
                if card_id in held:
                    self._meet(writer, held[card_id], item, there)
                elif card_id not in fresh:
                    reason = f"it was deleted here, at revision {gone[card_id]}"
                    self._leave("conflicts", item.place, card_id, reason)
        self._waiting.clear()
        self._chars = 0

    def _add(self, writer: ArchiveWriter, fresh: set[str], gone: Mapping[str, int], there: set[str]) -> None:
        cards, later = [], []
        for card_id in (name for name in self._waiting if name in fresh):
            item = self._waiting[card_id]
            card = self._card(card_id, item.copy)
            if card_id in gone:
                card = self._brought_back(writer, card, gone[card_id])
            links, rest = self._sorted_out(item, card_id, there)
            cards.append(card.model_copy(update={"links": links}))
            later.append((item.place, rest))
        if not cards:
            return
        nums = writer.add(Kind.CARD, cards)
        saved = [Stored(num, card) for num, card in zip(nums, cards, strict=True)]
        stage_alone(self._bound, writer, saved, fresh=True)
        self._counts["added"] += len(cards)
        for stored, (place, rest) in zip(saved, later, strict=True):
            self._link_later(place, stored, rest, known=False)

    def _card(self, card_id: str, copy: CardCopy) -> Card:
        me = self._bound.principal.id
        created_at = copy.created_at or copy.updated_at or self._bound.engine.clock()
        created_by = copy.created_by or me
        return Card.model_construct(
            id=card_id,
            revision=copy.revision,
            created_at=created_at,
            updated_at=copy.updated_at or created_at,
            created_by=created_by,
            updated_by=copy.updated_by or created_by,
            origin=copy.origin or Origin(kind=OriginKind.MANUAL, author=created_by),
            **{name: getattr(copy, name) for name in FIELDS},
        )

    def _brought_back(self, writer: ArchiveWriter, card: Card, last: int) -> Card:
        """A card that was deleted here: its origin is what it was, and its revision rises."""
        body = writer.history(Kind.CARD, card.id, limit=1, cursor=None).items[0].body
        update: dict[str, Any] = {"origin": Card.model_validate(body).origin}
        if card.revision <= last:
            update |= self._revised(last, card.created_at)
        return card.model_copy(update=update)

    def _revised(self, last: int, created_at: datetime) -> dict[str, Any]:
        return {
            "revision": last + 1,
            "updated_at": max(self._bound.engine.clock(), created_at),
            "updated_by": self._bound.principal.id,
        }

    def _sorted_out(
        self, item: _Waiting, card_id: str, there: set[str]
    ) -> tuple[tuple[Link, ...], tuple[Link, ...]]:
        """Links that can be made now, and those whose target may come further down."""
        links = in_order(item.copy.links)
        if any(link.target == card_id for link in links):
            self._leave("links_left_out", item.place, card_id, "a card cannot link to itself")
        others = [link for link in links if link.target != card_id]
        return (
            tuple(link for link in others if link.target in there),
            tuple(link for link in others if link.target not in there),
        )

    def _link_later(self, place: str, stored: Stored, links: tuple[Link, ...], *, known: bool) -> None:
        card = stored.record
        self._later += [_Later(place, stored.num, card.id, card.revision, link, known) for link in links]

    # A card that is here already

    def _meet(self, writer: ArchiveWriter, stored: Stored, item: _Waiting, there: set[str]) -> None:
        card = as_kind(stored.record, Card)
        links, rest = self._sorted_out(item, card.id, there)
        same_words = all(getattr(card, name) == getattr(item.copy, name) for name in WRITTEN)
        same_origin = item.copy.origin in (None, card.origin)
        lacking = [link for link in links if link not in card.links]
        has_more = any(link not in (*links, *rest) for link in card.links)
        same = same_words and same_origin and not has_more
        if same and card.revision == item.copy.revision:
            # Links go without a new revision when their target is deleted, or an import is killed.
            self._counts["known"] += 1
            self._complete(writer, stored, lacking)
            self._link_later(item.place, stored, rest, known=True)
        elif same and not lacking:
            self._counts["known"] += 1
            for link in rest:
                self._nowhere(item.place, card.id, link)
        elif self._replace and same_origin:
            revised = self._put(writer, stored, card, item, links)
            self._link_later(item.place, revised, rest, known=False)
        else:
            reason = self._difference(card, item, same_origin=same_origin)
            self._leave("conflicts", item.place, card.id, reason)

    def _complete(self, writer: ArchiveWriter, stored: Stored, lacking: list[Link]) -> None:
        if not lacking:
            return
        nums = writer.cards.nums([link.target for link in lacking])
        for link in lacking:
            writer.cards.add_link(stored.num, nums[link.target], link.meaning)
        self._counts["completed"] += 1

    def _put(
        self, writer: ArchiveWriter, stored: Stored, card: Card, item: _Waiting, links: tuple[Link, ...]
    ) -> Stored:
        kept = {name: getattr(card, name) for name in ("created_at", "created_by", "origin")}
        updated_at = max(item.copy.updated_at or self._bound.engine.clock(), card.created_at)
        update: dict[str, Any] = {**kept, "links": links, "updated_at": updated_at}
        if item.copy.revision <= card.revision:
            update |= self._revised(card.revision, card.created_at)
        revised = Stored(stored.num, self._card(card.id, item.copy).model_copy(update=update))
        writer.replace(stored, revised.record, reason=REASON)
        stage_alone(self._bound, writer, [revised], fresh=False)
        self._counts["replaced"] += 1
        return revised

    def _difference(self, card: Card, item: _Waiting, *, same_origin: bool) -> str:
        if not same_origin:
            return "its origin is another one here, and an origin never changes"
        names = [name for name in WRITTEN if getattr(card, name) != getattr(item.copy, name)] or ["links"]
        differing = f"it is at revision {card.revision} here and differs in: {', '.join(names)}"
        return f"it was brought in before and edited since; {differing}" if item.made else differing

    # Links to cards further down

    def _link(self, writer: ArchiveWriter, part: list[_Later]) -> set[int]:
        """Make the links that can be made; answers the cards that were there before and lacked one."""
        targets = writer.cards.nums(sorted({item.link.target for item in part}))
        sources = writer.cards.revisions(sorted({item.num for item in part}))
        completed: set[int] = set()
        for item in part:
            if sources.get(item.num) != (item.card_id, item.revision):
                reason = f"the link to '{item.link.target}': the card was changed meanwhile"
                self._leave("links_left_out", item.place, item.card_id, reason)
            elif item.link.target not in targets:
                self._nowhere(item.place, item.card_id, item.link)
            elif writer.cards.add_link(item.num, targets[item.link.target], item.link.meaning) and item.known:
                completed.add(item.num)
        return completed

    def _nowhere(self, place: str, card_id: str, link: Link) -> None:
        reason = f"the link leads to no card of this workspace: '{link.target}'"
        self._leave("links_left_out", place, card_id, reason)


def _read(line: str | None) -> CardCopy:
    """A line as a copy of a card.

    Raises:
        InvalidInput: It is none.
    """
    if line is None:
        raise InvalidInput("the line is too long to be read")
    if not isinstance(line, str):  # whoever hands lines in may hand in anything
        raise InvalidInput(f"the line is no text, but {type(line).__name__}")
    try:
        value = json.loads(line.strip().lstrip("\ufeff"))
    except (ValueError, RecursionError) as error:
        raise InvalidInput(f"the line is not JSON ({error})") from error
    if not isinstance(value, dict):
        raise InvalidInput("the line is JSON, but no object")
    try:
        copy = checked(CardCopy, value)
    except RecursionError as error:
        raise InvalidInput("the line is nested too deeply") from error
    if copy.created_at and copy.updated_at and copy.updated_at < copy.created_at:
        raise InvalidInput("'updated_at': must not be before 'created_at'")
    return copy.model_copy(update={"revision": min(copy.revision, MAX_IMPORTED_REVISION)})
