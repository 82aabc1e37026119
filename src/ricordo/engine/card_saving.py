"""What every write of a card does inside its transaction."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ricordo.archive.contract import ArchiveReader, ArchiveWriter, Stored
from ricordo.engine.engine import Bound
from ricordo.engine.held import first_revision
from ricordo.engine.staging import stage_alone
from ricordo.engine.validation import checked
from ricordo.errors import InvalidInput
from ricordo.records.base import Kind, as_kind
from ricordo.records.card import Card, CardDraft, Link, Origin

FIELDS = tuple(CardDraft.model_fields)
"""What a person writes into a card."""


def new_card(bound: Bound, draft: CardDraft, *, origin: Origin) -> Card:
    """A card's first revision."""
    return Card.model_construct(
        **first_revision(bound, Kind.CARD, bound.engine.clock()),
        origin=origin,
        **{**_written(draft), "links": in_order(draft.links)},
    )


def revised_card(bound: Bound, card: Card, fields: Mapping[str, Any]) -> Card:
    """The next revision with these fields changed, checked as a whole.

    Raises:
        InvalidInput: What results is no card of its family.
    """
    draft = checked(CardDraft, {**_written(card), **fields})
    return Card.model_construct(
        id=card.id,
        revision=card.revision + 1,
        created_at=card.created_at,
        created_by=card.created_by,
        origin=card.origin,
        updated_at=max(bound.engine.clock(), card.created_at),  # a clock may be set back
        updated_by=bound.principal.id,
        **{**_written(draft), "links": in_order(draft.links)},
    )


def _written(card: CardDraft | Card) -> dict[str, Any]:
    return {name: getattr(card, name) for name in FIELDS}


def in_order(links: Sequence[Link]) -> tuple[Link, ...]:
    """Links as the archive holds them: each once, by their targets' ids."""
    return tuple(sorted(dict.fromkeys(links), key=lambda link: (link.target, link.meaning)))


def check_links(reader: ArchiveReader, card: Card) -> None:
    """Refuse links that lead nowhere.

    Raises:
        InvalidInput: A link leads to the card itself, or to none of this workspace.
    """
    targets = [link.target for link in card.links]
    if card.id in targets:
        raise InvalidInput(f"'links': '{card.id}' cannot link to itself.", field="links")
    known = reader.cards.nums(targets)
    strange = next((target for target in targets if target not in known), None)
    if strange is not None:
        raise InvalidInput(
            f"'links': there is no card '{strange}' in this workspace.",
            cure="Link to a card that exists, or leave the link out.",
            field="links",
        )


def living_links(reader: ArchiveReader, links: Sequence[Link], *, of: str) -> tuple[Link, ...]:
    """Those of the links whose targets exist."""
    known = reader.cards.nums([link.target for link in links])
    return in_order([link for link in links if link.target in known and link.target != of])


def relink(
    bound: Bound, writer: ArchiveWriter, links: Mapping[str, Sequence[Link]], *, reason: str
) -> tuple[list[Stored], bool]:
    """Give cards their next revision with other links.

    Args:
        bound: Workspace and caller.
        writer: The archive's open transaction.
        links: The new links, by the card's id; those that lead nowhere are left out.
        reason: Stands in the history.

    Returns:
        The cards at their new revisions, and whether vectors were queued for them.
    """
    saved = []
    for stored in writer.get_many(Kind.CARD, links).values():
        card = as_kind(stored.record, Card)
        living = living_links(writer, links[card.id], of=card.id)
        revised = revised_card(bound, card, {"links": living})
        writer.replace(stored, revised, reason=reason)
        saved.append(Stored(stored.num, revised))
    queued = bool(saved) and stage_alone(bound, writer, saved, fresh=False)
    return saved, queued


def linking_cards(reader: ArchiveReader, num: int) -> list[Card]:
    """The cards that link to a card, in order of their ids."""
    nums = dict.fromkeys(source for source, _, _ in reader.cards.links_to(num))
    return [as_kind(record, Card) for record in reader.fetch(Kind.CARD, nums).values()]


def links_without(card: Card, target: str) -> list[Link]:
    """A card's links but those to the target."""
    return [link for link in card.links if link.target != target]
