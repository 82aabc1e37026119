"""Making one card of two, by a person's decision, and undoing it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ricordo.archive.contract import ArchiveReader, ArchiveWriter, Stored, StoredMerge
from ricordo.engine.card_saving import (
    FIELDS,
    check_links,
    in_order,
    linking_cards,
    living_links,
    relink,
    revised_card,
)
from ricordo.engine.engine import Bound
from ricordo.engine.held import check_revision, drop, find, not_found
from ricordo.engine.staging import stage_alone
from ricordo.engine.validation import named_changes
from ricordo.errors import InvalidInput, NotFound, StaleRevision
from ricordo.records.base import Kind, as_kind, fold_name
from ricordo.records.card import MAX_LINKS, Card, CardChanges, Link, Merge


def merge_cards(
    bound: Bound,
    writer: ArchiveWriter,
    *,
    kept: tuple[str, int],
    merged: tuple[str, int],
    changes: Mapping[str, Any],
    reason: str | None,
) -> tuple[Merge, Stored, list[Stored], bool]:
    """Put one card into another.

    Concepts, dependencies and links of both are united; links that led to the merged card lead to
    the kept one. The texts stay those of the kept card, except where `changes` names others.

    Args:
        bound: Workspace and caller.
        writer: The archive's open transaction.
        kept, merged: Ids, with the revisions that the decision was made from.
        changes: As `CardChanges`, for the kept card.
        reason: Stands in the history.

    Returns:
        The merge, the kept card's new revision, those of the cards whose links were moved, and
        whether vectors were queued for them.

    Raises:
        NotFound: One of them does not exist.
        StaleRevision: One of them has changed since.
    """
    if kept[0] == merged[0]:
        raise InvalidInput("'merged': a card cannot be merged into itself.", field="merged")
    stored, card = find(writer, Card, kept[0])
    gone, other = find(writer, Card, merged[0])
    check_revision(card, kept[1])
    check_revision(other, merged[1])
    named = named_changes(CardChanges, changes)
    revised = revised_card(bound, card, {**_united(card, other), **named})
    merge_id = bound.engine.ids(Kind.CARD).replace("mem-", "merge-", 1)
    why = f"{other.id} was merged into {card.id} ({merge_id})"
    linking = [one for one in linking_cards(writer, gone.num) if one.id != card.id]
    moved = [
        (one.id, link.meaning, Link(target=card.id, meaning=link.meaning) not in one.links)
        for one in linking
        for link in one.links
        if link.target == other.id
    ]
    leading = {one.id: _led(one, other.id, to=card.id) for one in linking}
    relinked, queued = relink(bound, writer, leading, reason=why)
    drop(bound, writer, gone, reason=f"{why}: {reason}" if reason else why)
    check_links(writer, revised)
    writer.replace(stored, revised, reason=reason or why)
    saved = Stored(stored.num, revised)
    queued = stage_alone(bound, writer, [saved], fresh=False) or queued
    merge = Merge(
        id=merge_id,
        kept=card.id,
        merged=other.id,
        at=bound.engine.clock(),
        actor=bound.principal.id,
        reason=reason,
    )
    writer.cards.add_merge(StoredMerge(merge, card.revision, revised.revision, other.revision, tuple(moved)))
    return merge, saved, relinked, queued


def _led(card: Card, away: str, *, to: str) -> list[Link]:
    """A card's links, with those to one card leading to another."""
    return [link.model_copy(update={"target": to}) if link.target == away else link for link in card.links]


def _united(card: Card, other: Card) -> dict[str, Any]:
    """What both cards have of concepts, dependencies and links."""
    concepts = {fold_name(name): name for name in (*other.concepts, *card.concepts)}
    links = [link for link in (*card.links, *other.links) if link.target not in (card.id, other.id)]
    return {
        "concepts": tuple(dict.fromkeys([*card.concepts, *concepts.values()])),
        "dependencies": tuple(dict.fromkeys([*card.dependencies, *other.dependencies])),
        "links": in_order(links),
    }


def undo_merge(bound: Bound, writer: ArchiveWriter, merge_id: str) -> tuple[list[Stored], list[Stored], bool]:
    """Bring the merged card back and give the kept one what it was before.

    Returns:
        Both cards at their new revisions, the kept one first; the cards whose links lead to the merged one
        again; and whether vectors were queued.

    Raises:
        NotFound: There is no such merge.
        StaleRevision: The kept card says something else than right after the merge: that would be lost.
        InvalidInput: The merge was undone already, or the merged card is there again.
    """
    stored = writer.cards.merge(merge_id)
    if stored is None:
        raise NotFound(f"There is no merge '{merge_id}' in this workspace.", id=merge_id)
    merge = stored.merge
    if merge.undone_at is not None:
        raise InvalidInput(f"The merge '{merge_id}' was undone already.", field="merge_id")
    if writer.get(Kind.CARD, merge.merged) is not None:
        raise InvalidInput(f"The card '{merge.merged}' is there again.", field="merge_id")
    kept, card = find(writer, Card, merge.kept)
    after = body_of(writer, merge.kept, stored.kept_after)
    same = after.model_copy(update={"links": living_links(writer, after.links, of=card.id)})
    if any(getattr(card, name) != getattr(same, name) for name in FIELDS):
        raise StaleRevision(
            f"'{merge.kept}' was changed after the merge: it is at revision {card.revision}.",
            cure=f"Restore both by hand: '{merge.kept}' to revision {stored.kept_before},"
            f" '{merge.merged}' to revision {stored.merged_revision}.",
            revision=card.revision,
        )
    reason = f"merge {merge.id} undone"
    brought = bring_back(bound, writer, merge.merged, stored.merged_revision, reason=reason)
    before = body_of(writer, merge.kept, stored.kept_before)
    fields = {name: getattr(before, name) for name in FIELDS}
    revised = revised_card(bound, card, {**fields, "links": living_links(writer, before.links, of=card.id)})
    writer.replace(kept, revised, reason=reason)
    saved = [Stored(kept.num, revised), brought]
    queued = stage_alone(bound, writer, saved[:1], fresh=False)
    queued = stage_alone(bound, writer, saved[1:], fresh=True) or queued
    relinked, more = relink(bound, writer, _led_back(writer, stored), reason=reason)
    writer.cards.end_merge(merge.id, bound.engine.clock())
    return saved, relinked, queued or more


def _led_back(reader: ArchiveReader, stored: StoredMerge) -> dict[str, list[Link]]:
    """Links of the cards that led to the merged card, leading there again."""
    merge = stored.merge
    found: dict[str, list[Link]] = {}
    held = reader.get_many(Kind.CARD, dict.fromkeys(source for source, _, _ in stored.moved_links))
    for source, meaning, was_made in stored.moved_links:
        if source in held:
            links = found.setdefault(source, list(as_kind(held[source].record, Card).links))
            to_kept = Link(target=merge.kept, meaning=meaning)
            if to_kept not in links:
                continue  # somebody has taken the link away since
            if was_made:
                links.remove(to_kept)
            if len(links) < MAX_LINKS:
                links.append(Link(target=merge.merged, meaning=meaning))
    changed = {source: as_kind(held[source].record, Card).links for source in found}
    return {source: links for source, links in found.items() if tuple(links) != changed[source]}


def bring_back(bound: Bound, writer: ArchiveWriter, card_id: str, revision: int, *, reason: str) -> Stored:
    """Insert a deleted card again as its next revision, without links that lead nowhere any more."""
    card = body_of(writer, card_id, revision)
    last = writer.history(Kind.CARD, card_id, limit=1, cursor=None).items[0].revision
    fields = {"revision": last, "links": living_links(writer, card.links, of=card_id)}
    revised = revised_card(bound, card.model_copy(update=fields), {})
    return Stored(writer.add(Kind.CARD, [revised], reason=reason)[0], revised)


def body_of(reader: ArchiveReader, card_id: str, revision: int) -> Card:
    """A card as it was at a revision.

    Raises:
        NotFound: There is no such card, or it has no such revision.
    """
    entry = reader.revision(Kind.CARD, card_id, revision)
    if entry is None:
        if not reader.history(Kind.CARD, card_id, limit=1, cursor=None).total:
            raise not_found(Kind.CARD, card_id)
        raise NotFound(f"'{card_id}' has no revision {revision}.", cure="Its history lists them.", id=card_id)
    return Card.model_validate(entry.body)
