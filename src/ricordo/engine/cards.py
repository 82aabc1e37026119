"""Operations on cards: reviewed knowledge, written and managed by people, found and read by agents."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ricordo.archive.contract import Stored
from ricordo.engine.card_copies import CardCopies
from ricordo.engine.card_finding import CardFinding
from ricordo.engine.card_pending import CardPending
from ricordo.engine.card_saving import (
    FIELDS,
    check_links,
    linking_cards,
    links_without,
    living_links,
    new_card,
    relink,
    revised_card,
)
from ricordo.engine.held import check_revision, drop, find, read_history, read_one
from ricordo.engine.look_alikes import find_look_alikes
from ricordo.engine.merging import body_of, bring_back, merge_cards, undo_merge
from ricordo.engine.recalling import MAX_TOP
from ricordo.engine.saving import finish_save
from ricordo.engine.staging import stage_alone
from ricordo.engine.validation import (
    between,
    checked,
    name_text,
    named_changes,
    page_limit,
    reason_text,
    revision_number,
    revision_seen,
    value_of,
)
from ricordo.errors import InvalidInput
from ricordo.index.analysis import ask
from ricordo.records.base import Kind, as_kind
from ricordo.records.card import (
    Card,
    CardChanges,
    CardDraft,
    CardFilters,
    CardReceipt,
    CardSort,
    Comparison,
    FieldDifference,
    LookAlike,
    Merge,
    MergeReceipt,
    Origin,
    OriginKind,
)
from ricordo.records.page import Page
from ricordo.records.physical import LEVELS, place_of, within
from ricordo.records.principal import Permission
from ricordo.records.receipt import HistoryEntry, Removal


class Cards(CardFinding, CardCopies, CardPending):
    """Cards of one workspace."""

    # Writing

    def create(self, *, defer: bool = False, **fields: Any) -> CardReceipt:
        """Make a card.

        Args:
            defer: Leave the vector to the worker, and look for no look-alikes.
            **fields: As `CardDraft`: family, title, scope, content, question, sql, context,
                rationale, concepts, dependencies, links.

        Returns:
            The receipt, with the existing cards that resemble it most.

        Raises:
            InvalidInput: A field of its family is missing, or a link leads nowhere.
        """
        self.principal.require(Permission.MANAGE)
        draft = checked(CardDraft, fields)
        card = new_card(self, draft, origin=Origin(kind=OriginKind.MANUAL, author=self.principal.id))
        with self.engine.archive.write(self.workspace) as writer:
            check_links(writer, card)
            saved = Stored(writer.add(Kind.CARD, [card])[0], card)
            queued = stage_alone(self, writer, [saved], fresh=True)
        return self._receipt(saved, queued=queued, defer=defer, created=True)

    def update(
        self,
        card_id: str,
        changes: Mapping[str, Any],
        *,
        revision: int,
        reason: str | None = None,
        defer: bool = False,
    ) -> CardReceipt:
        """Change the named fields of a card; sets and lists are replaced as a whole.

        Args:
            card_id: Its id.
            changes: As `CardChanges`.
            revision: The revision that the change was made from.
            reason: Stands in the history.
            defer: Leave the vector to the worker, and look for no look-alikes.

        Raises:
            StaleRevision: It has changed since.
        """
        self.principal.require(Permission.MANAGE)
        card_id = name_text(card_id, "card_id")
        revision, reason = revision_number(revision), reason_text(reason)
        named = named_changes(CardChanges, changes)
        with self.engine.archive.write(self.workspace) as writer:
            stored, card = find(writer, Card, card_id)
            check_revision(card, revision)
            revised = revised_card(self, card, named)
            check_links(writer, revised)
            writer.replace(stored, revised, reason=reason)
            saved = Stored(stored.num, revised)
            queued = stage_alone(self, writer, [saved], fresh=False)
        return self._receipt(saved, queued=queued, defer=defer, created=False)

    def delete(self, card_id: str, *, revision: int | None = None, reason: str | None = None) -> Removal:
        """Delete a card with its dependencies and its links in both directions; other cards stay.

        A card that linked to it gets its next revision, without the link: its history has the link still.

        Args:
            card_id: Its id.
            revision: The revision that the caller knows; checked where given.
            reason: Stands in the history.

        Raises:
            NotFound: There is none.
            StaleRevision: `revision` is given and it has changed since.
        """
        self.principal.require(Permission.MANAGE)
        card_id = name_text(card_id, "card_id")
        revision, reason = revision_seen(revision), reason_text(reason)
        with self.engine.archive.write(self.workspace) as writer:
            stored, card = find(writer, Card, card_id)
            check_revision(card, revision)
            left = {one.id: links_without(one, card_id) for one in linking_cards(writer, stored.num)}
            saved, queued = relink(self, writer, left, reason=f"{card_id} was deleted")
            removal = drop(self, writer, stored, reason=reason)
        if saved:
            finish_save(self, Kind.CARD, saved, defer=False, queued=queued)
        return removal

    def restore(
        self, card_id: str, revision: int, *, seen: int | None = None, reason: str | None = None
    ) -> CardReceipt:
        """Make an earlier revision the newest one; a deleted card comes back with its id.

        Links of that revision to cards that are gone since are left out; the receipt's note says so.

        Args:
            card_id: Its id.
            revision: The revision to go back to.
            seen: The newest revision that the caller knows; checked where given.
            reason: Stands in the history.

        Raises:
            NotFound: There is no such card or revision.
            StaleRevision: It has changed since.
        """
        self.principal.require(Permission.MANAGE)
        card_id = name_text(card_id, "card_id")
        revision, seen, reason = revision_number(revision), revision_seen(seen), reason_text(reason)
        with self.engine.archive.write(self.workspace) as writer:
            before = body_of(writer, card_id, revision)
            links = living_links(writer, before.links, of=card_id)
            stored = writer.get(Kind.CARD, card_id)
            if stored is None:
                why = reason or f"restored revision {revision}"
                saved = bring_back(self, writer, card_id, revision, reason=why)
                queued = stage_alone(self, writer, [saved], fresh=True)
            else:
                card = as_kind(stored.record, Card)
                check_revision(card, seen)
                fields = {**{name: getattr(before, name) for name in FIELDS}, "links": links}
                revised = revised_card(self, card, fields)
                writer.replace(stored, revised, reason=reason or f"restored revision {revision}")
                saved = Stored(stored.num, revised)
                queued = stage_alone(self, writer, [saved], fresh=False)
        receipt = self._receipt(saved, queued=queued, defer=False, created=stored is None)
        lost = len(before.links) - len(links)
        if not lost:
            return receipt
        note = f"Links to {lost} cards that are gone were left out."
        return receipt.model_copy(update={"note": f"{receipt.note} {note}" if receipt.note else note})

    def _receipt(self, saved: Stored, *, queued: bool, defer: bool, created: bool) -> CardReceipt:
        outcome, note = finish_save(self, Kind.CARD, [saved], defer=defer, queued=queued)
        card = as_kind(saved.record, Card)
        alike = () if defer else find_look_alikes(self, card, without=[card.id])
        return CardReceipt(
            kind=Kind.CARD,
            id=card.id,
            revision=card.revision,
            outcome=outcome,
            created=created,
            note=note,
            look_alikes=alike,
        )

    # Reading

    def get(self, card_id: str) -> Card:
        """The card with this id.

        Raises:
            NotFound: There is none.
        """
        self.principal.require(Permission.READ)
        return read_one(self, Card, card_id)

    def list(
        self,
        filters: CardFilters | Mapping[str, Any] | None = None,
        *,
        sort: str = CardSort.CREATED,
        descending: bool = False,
        limit: int = 50,
        cursor: str | None = None,
    ) -> Page[Card]:
        """One page of the cards, filtered and counted over the whole archive; needs no model.

        Args:
            filters: As `CardFilters`.
            sort: `created`, `updated` or `title`; equal ones by id.
            descending: The other way round.
            limit: 1..1000.
            cursor: `next_cursor` of the page before.
        """
        self.principal.require(Permission.MANAGE)
        narrowed = value_of(CardFilters, filters or {})
        if sort not in tuple(CardSort):
            raise InvalidInput(f"'sort': use one of: {', '.join(CardSort)}.", field="sort")
        if place_of(narrowed):
            place = within(narrowed, self.engine.settings.bound_place)
            narrowed = narrowed.model_copy(update={level: getattr(place, level) for level in LEVELS})
        with self.engine.archive.read(self.workspace) as reader:
            matching = None
            if (narrowed.text or "").strip():
                asked = ask(narrowed.text or "", self.workspace.language)
                matching = self.engine.index.matching(reader, Kind.CARD, asked)
            nums, total, after = reader.cards.listed(
                narrowed,
                sort=CardSort(sort),
                descending=bool(descending),
                limit=page_limit(limit),
                cursor=cursor,
                matching=matching,
            )
            records = reader.fetch(Kind.CARD, nums)
        items = tuple(card for num in nums if isinstance(card := records.get(num), Card))
        return Page(items=items, total=total, next_cursor=after)

    def history(self, card_id: str, *, limit: int = 50, cursor: str | None = None) -> Page[HistoryEntry]:
        """Revisions of a card, newest first; also of a deleted one."""
        self.principal.require(Permission.MANAGE)
        return read_history(self, Kind.CARD, card_id, limit=limit, cursor=cursor)

    def compare(self, card_id: str, before: int, after: int) -> Comparison:
        """The fields that differ between two revisions of a card.

        Raises:
            NotFound: There is no such card or revision.
        """
        self.principal.require(Permission.MANAGE)
        card_id = name_text(card_id, "card_id")
        before, after = revision_number(before, "before"), revision_number(after, "after")
        with self.engine.archive.read(self.workspace) as reader:
            first, second = body_of(reader, card_id, before), body_of(reader, card_id, after)
        one, other = first.model_dump(mode="json"), second.model_dump(mode="json")
        differences = tuple(
            FieldDifference(field=name, before=one[name], after=other[name])
            for name in FIELDS
            if one[name] != other[name]
        )
        return Comparison(id=card_id, before=before, after=after, differences=differences)

    def look_alikes(self, card_id: str, *, top: int = 5) -> tuple[LookAlike, ...]:
        """The cards that resemble a card most, with the evidence."""
        self.principal.require(Permission.MANAGE)
        between(top, "top", 1, MAX_TOP)
        card = read_one(self, Card, card_id)
        return find_look_alikes(self, card, without=[card.id], top=top)

    # Merging

    def merge(
        self,
        kept: str,
        merged: str,
        *,
        kept_revision: int,
        merged_revision: int,
        changes: Mapping[str, Any] | None = None,
        reason: str | None = None,
    ) -> MergeReceipt:
        """Put one card into another; `undo_merge` takes it back.

        Args:
            kept: Id of the card that stays.
            merged: Id of the card that goes into it.
            kept_revision, merged_revision: The revisions that the decision was made from.
            changes: New texts of the kept card, as `CardChanges`.
            reason: Stands in the history.
        """
        self.principal.require(Permission.MANAGE)
        stays = name_text(kept, "kept"), revision_number(kept_revision, "kept_revision")
        goes = name_text(merged, "merged"), revision_number(merged_revision, "merged_revision")
        reason = reason_text(reason)
        with self.engine.archive.write(self.workspace) as writer:
            merge, saved, moved, queued = merge_cards(
                self,
                writer,
                kept=stays,
                merged=goes,
                changes=changes or {},
                reason=reason,
            )
        if moved:
            finish_save(self, Kind.CARD, moved, defer=False, queued=queued)
        receipt = self._receipt(saved, queued=queued, defer=False, created=False)
        return MergeReceipt(merge=merge, receipt=receipt)

    def undo_merge(self, merge_id: str) -> tuple[CardReceipt, ...]:
        """Take a merge back: both cards are as they were, as new revisions.

        Raises:
            NotFound: There is no such merge.
            StaleRevision: The kept card has changed since.
        """
        self.principal.require(Permission.MANAGE)
        merge_id = name_text(merge_id, "merge_id")
        with self.engine.archive.write(self.workspace) as writer:
            saved, moved, queued = undo_merge(self, writer, merge_id)
        if moved:
            finish_save(self, Kind.CARD, moved, defer=False, queued=queued)
        return tuple(
            self._receipt(item, queued=queued, defer=False, created=place > 0)
            for place, item in enumerate(saved)
        )

    def merges(self, *, limit: int = 50, cursor: str | None = None) -> Page[Merge]:
        """Merges, newest first, also those that were undone."""
        self.principal.require(Permission.MANAGE)
        with self.engine.archive.read(self.workspace) as reader:
            return reader.cards.merges(limit=page_limit(limit), cursor=cursor)
