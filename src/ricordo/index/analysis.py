"""From a text to the tokens that are indexed and asked for: one way for every player.

A text is folded (NFKC, case, accents of Latin, Greek and Cyrillic letters, one
kind of apostrophe), cut into words, and each word brought to its Snowball stem
in the text's language. Elided articles are cut off (`dell'utente`), words that
hold signs are kept whole and in parts (`gpt-4o`, `user_123`, `C++`, `.NET`),
scripts without spaces become single signs and pairs, and symbols count as
words. Stop words and lone punctuation go into a list of their own, so that a
question of nothing else still finds the texts that hold them.

A question does not know the language of the text that answers it: each of its
words is asked for by its stem in every language. So a word always finds the
text that it stands in.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from itertools import chain, pairwise
from typing import NamedTuple

import Stemmer

from ricordo.index.stopwords import STOP_WORDS, language_of
from ricordo.records.workspace import Language

ANALYSIS_FORMAT = 1
"""Rises whenever the same text would give other tokens; older projections are then rebuilt."""

MAX_COMPOUND_CHARS = 64
"""Longest word with signs inside that is also kept whole."""

MAX_WORD_CHARS = 128
"""Longest word; a longer one (a key, an encoded blob) is cut, in texts and questions alike."""

MAX_STEMS = 200_000
"""Stems kept in memory for each language."""

MAX_LONE_CHARS = 16
"""Longest lone punctuation."""

MAX_QUESTION_WORDS = 256
"""Different words of a question that are asked for; further ones add nothing but time."""

PAIR = "\u2060"
"""Joins two words that stand side by side into one token; folding removes it from every text."""

_APOSTROPHES = str.maketrans({"’": "'", "‘": "'", "ʼ": "'", "`": "'", "´": "'", "′": "'", "＇": "'"})
_SPACELESS = (
    "\u0e00-\u0e7f\u0e80-\u0eff\u1000-\u109f\u1780-\u17ff"  # Thai, Lao, Burmese, Khmer
    "\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"  # kana, Han
    "\U00020000-\U0003134f"
)


def _mark_ranges() -> str:
    """Combining marks (vowel signs and the like), which Python's word class leaves out."""
    codes = [code for code in range(0x300, 0x2000) if unicodedata.category(chr(code))[0] == "M"]
    ranges: list[list[int]] = []
    for code in codes:
        if ranges and code == ranges[-1][1] + 1:
            ranges[-1][1] = code
        else:
            ranges.append([code, code])
    return "".join(f"{chr(first)}-{chr(last)}" for first, last in ranges)


_SIGN = f"(?:[^\\W_]|[{_mark_ranges()}{_SPACELESS}])"
_WORD = f"(?:[^\\W_]|[{_SPACELESS}]){_SIGN}*"  # a mark alone, as of a spaced accent, begins none
_RUN = re.compile(f"[{_SPACELESS}]+")
_TOKEN = re.compile(
    rf"\.?{_WORD}(?:[-_.:/\\@+#&]+{_WORD})*[+#]*"  # words, with signs inside
    r"|[^\s]"  # anything else, one sign at a time
)
_ASCII_TOKEN = re.compile(r"\.?[a-z0-9]+(?:[-_.:/\\@+#&]+[a-z0-9]+)*[+#]*")
_PART = re.compile(_WORD)
_LONE = re.compile(r"[^\w\s]+|_+")
_AROUND = "\"'()!,;?"
"""Signs around a word of ASCII letters that belong to no token."""

_SILENT = re.compile(  # soft hyphens, joiners, directions; marks that Arabic and Hebrew may leave out
    "[\u00ad\u200b-\u200f\u2060\u202a-\u202e\u2066-\u2069\ufeff"
    "\u0591-\u05bd\u05bf\u05c1\u05c2\u0610-\u061a\u064b-\u065f\u0670]"
)
_MARK_RUN = re.compile(f"([{_mark_ranges()}]{{30}})[{_mark_ranges()}]+")
"""Longer runs of marks take time that grows with their square; UAX 15 cuts at 30 too."""

_FOLDABLE = re.compile("([a-z\u0370-\u03ff\u0400-\u052f])[\u0300-\u036f]+")

_STEMMERS = {
    Language.ENGLISH: Stemmer.Stemmer("english", 0),
    Language.ITALIAN: Stemmer.Stemmer("italian", 0),
}


_ANY_STOP_WORD = frozenset().union(*STOP_WORDS.values())


class Analysis(NamedTuple):
    """Tokens of a text.

    Attributes:
        words: Stems in the order of the text, with repetition.
        plain: Different stop words and lone punctuation.
        language: What the text was taken for.
    """

    words: list[str]
    plain: list[str]
    language: Language


class Term(NamedTuple):
    """One word of a question: any of its forms is a match."""

    forms: tuple[str, ...]


class Question(NamedTuple):
    """Tokens of a question.

    Attributes:
        terms: What is asked for, each once, in order.
        plain: Stop words and lone punctuation, where the question holds nothing else.
        pairs: Words that stand side by side, for entries that hold `pairs` too.
    """

    terms: tuple[Term, ...]
    plain: tuple[str, ...]
    pairs: tuple[Term, ...] = ()

    def with_pairs(self) -> Question:
        """The question with its pairs among its terms."""
        return self._replace(terms=self.terms + self.pairs, pairs=())


def fold(text: str) -> str:
    """Fold case, accents, widths and apostrophes."""
    if text.isascii():
        return text.lower().replace("`", "'")
    text = _SILENT.sub("", _MARK_RUN.sub(r"\1", text))
    # Apostrophes first: NFKC takes a spaced accent for a space and a mark.
    folded = unicodedata.normalize("NFKC", text.translate(_APOSTROPHES)).casefold().translate(_APOSTROPHES)
    if not folded.isascii():
        folded = _FOLDABLE.sub(r"\1", unicodedata.normalize("NFD", folded))
        folded = unicodedata.normalize("NFC", folded)
    return folded


_stems: dict[Language, dict[str, str]] = {language: {} for language in Language}


def _stem(word: str, language: Language) -> str:
    # A Snowball object must not be used by two threads at once; its call holds the
    # interpreter's lock throughout, so that never happens.
    held = _stems[language]
    stem = held.get(word)
    if stem is None:
        if len(held) >= MAX_STEMS:
            held.clear()
        stem = held[word] = str(_STEMMERS[language].stemWord(word))
    return stem


def _raw_words(folded: str) -> list[str]:
    """Words, compounds, script runs and symbols, in order; nothing is stemmed yet."""
    found: list[str] = []
    for chunk in folded.split():
        if not chunk.isascii():
            found += _any_words(chunk)
        elif (bare := chunk.strip(_AROUND).rstrip(".:")).isalnum():  # most, by a short way to the same word
            found.append(bare[:MAX_WORD_CHARS])
        else:
            for token in _ASCII_TOKEN.findall(chunk):
                found += [token[:MAX_WORD_CHARS]] if token.isalnum() else _split(token)
    return found


def _any_words(chunk: str) -> list[str]:
    """The words of a text in any script."""
    found: list[str] = []
    for token in _TOKEN.findall(chunk):
        if token.isascii() and token.isalnum():
            found.append(token[:MAX_WORD_CHARS])
        elif len(token) == 1 and not token.isalnum():
            if not token.isascii() and unicodedata.category(token)[0] in "SN":
                found.append(token)
        else:
            found.extend(_split(token))
    return found


def _split(token: str) -> list[str]:
    if _RUN.search(token):
        found: list[str] = []
        last = 0
        for run in _RUN.finditer(token):
            found.extend(_raw_words(token[last : run.start()]))
            found.append(run.group())
            last = run.end()
        return found + _raw_words(token[last:])
    parts = [part[:MAX_WORD_CHARS] for part in _PART.findall(token)]
    if token.startswith(".") and token[1:] == "".join(parts) and not token[1:2].isalpha():
        return parts  # ".5" is a number, ".net" a name
    whole = token.rstrip(".")
    if parts != [whole] and parts and len(whole) <= MAX_COMPOUND_CHARS:
        return [*parts, whole]
    return parts


def _lone(folded: str) -> list[str]:
    """Punctuation that stands alone; a line of it counts by its beginning."""
    return [
        chunk[:MAX_LONE_CHARS]
        for chunk in folded.split()
        if not chunk[0].isalnum() and _LONE.fullmatch(chunk) is not None
    ]


def _is_run(word: str) -> bool:
    return not word.isascii() and _RUN.fullmatch(word) is not None


def analyse(text: str, otherwise: Language) -> Analysis:
    """Tokens of a text that is to be indexed.

    Args:
        text: Any text.
        otherwise: Language that it is taken for where its words do not tell.
    """
    folded = fold(text)
    raw = _raw_words(folded)
    language = language_of(raw, otherwise)
    stop = STOP_WORDS[language]
    telling = [word for word in raw if word not in stop]
    words: list[str] = []
    for word, stem in zip(telling, map(_stems[language].get, telling), strict=True):
        if stem is not None:
            words.append(stem)
        elif word.isascii():
            words.append(_stem(word, language) if word.isalnum() else word)
        elif _is_run(word):
            words.extend(word)
            words.extend(word[place : place + 2] for place in range(len(word) - 1))
        else:
            words.append(_stem(word, language))
    plain = dict.fromkeys([word for word in raw if word in stop] + _lone(folded))
    return Analysis(words, list(plain), language)


def ask(text: str, otherwise: Language) -> Question:
    """Tokens of a question, each with its form in every language."""
    folded = fold(text)
    raw = _raw_words(folded)
    stop = STOP_WORDS[language_of(raw, otherwise)]
    terms: dict[Term, None] = {}
    telling = False
    for word in dict.fromkeys(raw):  # a word said a million times is looked at once
        if word not in stop:
            terms.update(dict.fromkeys(_terms(word)))
            telling = telling or word not in _ANY_STOP_WORD
        if len(terms) >= MAX_QUESTION_WORDS:
            break
    if telling:
        return Question(tuple(terms)[:MAX_QUESTION_WORDS], (), _asked_pairs(raw, stop))
    # A stop word of one language may be a word in the other, and the text's is not known.
    plain = dict.fromkeys([*(word for word in raw if word in _ANY_STOP_WORD), *_lone(folded)])
    if not plain:
        plain = dict.fromkeys(sign for sign in folded if not sign.isspace())
    known = [Term(tuple(dict.fromkeys(_stem(word, language) for language in Language))) for word in plain]
    return Question(tuple(known)[:MAX_QUESTION_WORDS], tuple(plain)[:MAX_QUESTION_WORDS])


def pairs(text: str, otherwise: Language, *, with_stop_words: bool = False) -> list[str]:
    """Tokens of the words of a text that stand side by side, as if there were no stop words.

    Scripts without spaces have pairs of signs already.

    Args:
        text: Any text.
        otherwise: As of `analyse`.
        with_stop_words: Also those with stop words among them, such as "how many".
    """
    raw = _raw_words(fold(text))
    language = language_of(raw, otherwise)
    return [
        _joined(first, second, language)
        for first, second in _beside(raw, STOP_WORDS[language], with_stop_words=with_stop_words)
    ]


def _asked_pairs(raw: Sequence[str], stop: frozenset[str]) -> tuple[Term, ...]:
    """The pairs of a question in every language, with stop words and without."""
    found: dict[Term, None] = {}
    for first, second in _beside(raw[: MAX_QUESTION_WORDS + 1], stop, with_stop_words=True):
        forms = dict.fromkeys(_joined(first, second, language) for language in Language)
        found[Term(tuple(forms))] = None
    return tuple(found)


def _beside(raw: Sequence[str], stop: frozenset[str], *, with_stop_words: bool) -> Iterator[tuple[str, str]]:
    telling = pairwise(word for word in raw if word not in stop)
    strange = (pair for pair in pairwise(raw) if not stop.isdisjoint(pair)) if with_stop_words else ()
    return (pair for pair in chain(telling, strange) if not any(map(_is_run, pair)))


def _joined(first: str, second: str, language: Language) -> str:
    return f"{_stem_of(first, language)}{PAIR}{_stem_of(second, language)}"


def _stem_of(word: str, language: Language) -> str:
    return word if word.isascii() and not word.isalnum() else _stem(word, language)


def _terms(word: str) -> list[Term]:
    if _is_run(word):
        pairs = dict.fromkeys(word[place : place + 2] for place in range(len(word) - 1))
        return [Term((pair,)) for pair in pairs or [word]]
    if word.isascii() and not word.isalnum():
        return [Term((word,))]
    return [Term(tuple(dict.fromkeys(_stem(word, language) for language in Language)))]
