"""From a record and what stands around it to its projection and the texts to embed."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Sequence
from functools import lru_cache

from ricordo.index.analysis import ANALYSIS_FORMAT, Analysis, analyse, pairs
from ricordo.index.contract import ALWAYS_FROM, ALWAYS_UNTIL, Projection, Stamp
from ricordo.records.base import Kind, Record, fold_name
from ricordo.records.card import Card, CardFields, Dependency
from ricordo.records.episode import Episode
from ricordo.records.fact import Fact
from ricordo.records.moment import to_micros
from ricordo.records.physical import SHAPES_OF_PLACES, Physical, place_of, qualified
from ricordo.records.session import Session
from ricordo.records.workspace import Language

PROJECTION_FORMAT = 100 * ANALYSIS_FORMAT + 1
"""Version of keyword entries."""

EMBEDDING_FORMAT = 1
"""Version of the texts that are embedded."""

TURNS_BEFORE = 2
TURNS_AFTER = 1
"""Turns of a session whose words are an episode's context: a question and its answer often
share no word, but stand side by side."""

PIECE_CHARS = 600
PIECE_OVERLAP = 100
"""A long text is embedded in overlapping pieces, so that its last paragraph is found too."""

MAX_PIECES = 400
"""Pieces of one record; the rest of a longer text (about 200,000 signs) is found by its words."""

CONTEXT_WORDS = 40
"""Words of one neighbouring turn that count as context."""

ENTRY_WORDS = 80
"""A turn takes context up to so many words with its own: a long one needs none."""


_INNER_CAPITAL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_SIGNS = re.compile(r"[`\"_();\[\]]|(?<!\w)'|'(?!\w)")

RECENT_CHARS = 4_000
"""Texts up to so long are analysed once while they are among the last ones: the turns of a session
are saved one by one, and each is the context of those around it."""


@lru_cache(maxsize=16_384)
def filter_key(name: str, value: str) -> str:
    """The token that stands for a filter's value; any text is safe in it."""
    digest = hashlib.blake2b(fold_name(value).encode(), digest_size=9, person=name.encode()[:16])
    return f"{name}:{digest.hexdigest()}"


def _analysis(text: str, language: Language) -> Analysis:
    return _recent_analysis(text, language) if len(text) <= RECENT_CHARS else analyse(text, language)


@lru_cache(maxsize=256)
def _recent_analysis(text: str, language: Language) -> Analysis:
    return analyse(text, language)


class Neighbourhood:
    """Analyses of the turns of a session, each made once."""

    def __init__(self, language: Language) -> None:
        self._language = language
        self._made: dict[str, tuple[int, Analysis]] = {}

    def analysis(self, episode: Episode) -> Analysis:
        """The tokens of an episode's text."""
        held = self._made.get(episode.id)
        if held is None or held[0] != episode.revision:
            held = (episode.revision, _analysis(episode.text, self._language))
            self._made[episode.id] = held
        return held[1]

    def name(self, speaker: str) -> list[str]:
        """The tokens of a speaker's name."""
        return _name_words(speaker, self._language)


@lru_cache(maxsize=4_096)
def _name_words(speaker: str, language: Language) -> list[str]:
    return analyse(speaker, language).words


def project_episode(
    num: int,
    episode: Episode,
    session: Session,
    around: tuple[Sequence[Episode], Sequence[Episode]],
    analyses: Neighbourhood,
) -> Projection:
    """Project an episode with the words of the turns around it.

    Args:
        num: The episode's number.
        episode: The episode.
        session: Its session.
        around: The turns before it and after it, in order.
        analyses: Holds what has been analysed already.
    """
    own = analyses.analysis(episode)
    context = list(analyses.name(episode.speaker)) if episode.speaker else []
    for turn in _nearest_first(*around):
        room = ENTRY_WORDS - len(own.words) - len(context)
        if room <= 0:
            break
        context += analyses.analysis(turn).words[: min(CONTEXT_WORDS, room)]
    keys = [filter_key("session", session.id)]
    if session.project:
        keys.append(filter_key("project", session.project))
    if episode.speaker:
        keys.append(filter_key("speaker", episode.speaker))
    return Projection(stamp(num, episode), own.words, context, own.plain, keys, PROJECTION_FORMAT)


def _nearest_first(before: Sequence[Episode], after: Sequence[Episode]) -> list[Episode]:
    """The turn before, the one after, the one before that, and so on."""
    found: list[Episode] = []
    for place in range(max(len(before), len(after))):
        found += before[len(before) - 1 - place : len(before) - place] if place < len(before) else ()
        found += after[place : place + 1]
    return found


def project_fact(num: int, fact: Fact, language: Language) -> Projection:
    """Project a fact, with its domain, topic and tags as context."""
    own = analyse(fact.content, language)
    around = analyse("\n".join((fact.domain, fact.topic, *fact.tags)), language)
    keys = [filter_key("domain", fact.domain), filter_key("topic", fact.topic)]
    keys += [filter_key("tag", tag) for tag in fact.tags]
    return Projection(stamp(num, fact), own.words, around.words, own.plain, keys, PROJECTION_FORMAT)


def project_card(num: int, card: Card, language: Language) -> Projection:
    """Project a card, with its concepts and dependencies as context.

    Words that stand side by side are one more token: a rule repeats the phrase that it explains
    ("free meal rate"), while each of its words stands in many rules; and "how many" tells what
    sort of query a solved question had.
    """
    told = "\n".join(card_texts(card))
    own = analyse(told, language)
    around = analyse("\n".join(card_surroundings(card)), language)
    keys = [exact_key("family", card.family), exact_key("scope", card.scope)]
    keys += [filter_key("concept", concept) for concept in card.concepts]
    keys += dependency_keys(card.dependencies)
    words = [*own.words, *pairs(told, language)]
    if card.question:
        words += pairs(card.question, language, with_stop_words=True)
    return Projection(stamp(num, card), words, around.words, own.plain, keys, PROJECTION_FORMAT)


def card_texts(card: CardFields) -> list[str]:
    """The texts of a card that are searched, the most telling first."""
    texts = (card.title, card.question, card.content, card.sql, card.rationale, card.context, card.scope)
    return [text for text in texts if text]


def card_surroundings(card: CardFields) -> list[str]:
    """What a card is about besides: its concepts and qualified dependencies."""
    return [*card.concepts, *map(qualified, card.dependencies)]


def exact_key(name: str, value: str) -> str:
    """As `filter_key`, for values that are compared exactly."""
    digest = hashlib.blake2b(value.encode(), digest_size=9, person=name.encode()[:16])
    return f"{name}:{digest.hexdigest()}"


ANYWHERE = "place:anywhere"
"""Key of a card without dependencies: it applies everywhere."""


def dependency_keys(dependencies: Sequence[Dependency]) -> list[str]:
    """Keys by which `place_keys` finds the cards that apply to a place.

    A dependency applies to a place where the levels that both name are the same. What both name
    depends on what the place names, so there is a key for each set of levels that they can share.
    """
    if not dependencies:
        return [ANYWHERE]
    keys: dict[str, None] = {}
    for dependency in dependencies:
        mine = place_of(dependency)
        for shape in SHAPES_OF_PLACES:
            keys[_place_key(frozenset(mine), {level: mine[level] for level in mine if level in shape})] = None
    return list(keys)


def place_keys(place: Physical) -> tuple[str, ...]:
    """Keys of which a card that applies to the place has at least one."""
    asked = place_of(place)
    return (
        ANYWHERE,
        *dict.fromkeys(
            _place_key(shape, {level: asked[level] for level in asked if level in shape})
            for shape in SHAPES_OF_PLACES
        ),
    )


def _place_key(shape: frozenset[str], shared: dict[str, str]) -> str:
    named = json.dumps([sorted(shape), sorted(shared.items())], ensure_ascii=False)
    return exact_key("place", named)


def stamp(num: int, record: Record) -> Stamp:
    """What every projection of the record carries."""
    if isinstance(record, Episode):
        at = to_micros(record.occurred_at)
        return Stamp(Kind.EPISODE, num, record.revision, at, at, ALWAYS_UNTIL)
    if isinstance(record, Fact):
        ends = [to_micros(end) for end in (record.valid_until, record.superseded_at) if end is not None]
        begin = ALWAYS_FROM if record.valid_from is None else to_micros(record.valid_from)
        until = min(ends, default=ALWAYS_UNTIL)
        return Stamp(Kind.FACT, num, record.revision, to_micros(record.recorded_at), begin, until)
    if isinstance(record, Card):
        at = to_micros(record.updated_at)
        return Stamp(Kind.CARD, num, record.revision, at, ALWAYS_FROM, ALWAYS_UNTIL)
    raise TypeError(f"{type(record).__name__} is not indexed")


def pieces(text: str) -> list[str]:
    """Cut a long text into overlapping pieces at white space where there is some."""
    if len(text) <= PIECE_CHARS:
        return [text]
    found: list[str] = []
    start = 0
    while start < len(text) and len(found) < MAX_PIECES:
        end = start + PIECE_CHARS
        if end < len(text):
            space = text.rfind(" ", start + PIECE_CHARS // 2, end)
            end = space if space > 0 else end
        found.append(text[start:end])
        if end >= len(text):
            break
        start = max(end - PIECE_OVERLAP, start + 1)
    return found


def embedding_texts(record: Record | CardFields) -> list[str]:
    """What is embedded for a record: one text a piece.

    The JSON wrapping and the speaker in front are measured choices: see
    docs/decisions/0005-recall-pipeline.md. So is the plain prose of cards: docs/decisions/0009-cards.md.
    """
    if isinstance(record, Episode):
        label, said = _said(record)
        return [_wrapped(label + piece) for piece in pieces(said)]
    if isinstance(record, Fact):
        return [_wrapped(f"{record.topic}: {piece}") for piece in pieces(record.content)]
    if isinstance(record, CardFields):
        around = _prose("\n".join(card_surroundings(record)))[:PIECE_CHARS]
        told = "\n".join([*map(_prose, card_texts(record)), around]).strip()
        # A question is compared best with a question.
        asked = pieces(f"{record.question}\n{around}".rstrip())[:1] if record.question else []
        return [*asked, *pieces(told or record.title)]
    raise TypeError(f"{type(record).__name__} is not embedded")


def _prose(text: str) -> str:
    """Names as the words they are made of, without the signs of SQL: models are made on prose."""
    return " ".join(_SIGNS.sub(" ", _INNER_CAPITAL.sub(" ", text)).split())


def _wrapped(text: str) -> str:
    return json.dumps({"text": text}, ensure_ascii=False)


def _said(episode: Episode) -> tuple[str, str]:
    """Who speaks, as a label, and what is said."""
    if episode.user_message and episode.assistant_message:
        by = episode.speaker or "User"
        return "", f"{by}: {episode.user_message}\nAssistant: {episode.assistant_message}"
    by = episode.speaker or ("User" if episode.user_message else "Assistant")
    return f"{by}: ", episode.text
