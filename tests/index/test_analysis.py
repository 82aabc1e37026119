"""Whatever stands in a text finds it."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ricordo.index import analysis
from ricordo.index.analysis import MAX_QUESTION_WORDS, PAIR, analyse, ask, fold, pairs
from ricordo.memory import Memory
from ricordo.records.workspace import Language
from ricordo.testing.opened import Pair
from ricordo.testing.samples import a_projection, a_stamp

from .lines import ALSO_FOUND, LITERAL
from .template import prepared_pair

LANGUAGES = tuple(Language)


def finds(question: str, text: str, *, asked_in: Language, written_in: Language) -> bool:
    """Whether an index of the tokens would find the text."""
    tokens, asked = analyse(text, written_in), ask(question, asked_in)
    words, plain = set(tokens.words), set(tokens.plain)
    by_word = any(form in words for term in asked.terms for form in term.forms)
    return by_word or any(word in plain for word in asked.plain)


def found_in_any_language(question: str, text: str) -> list[tuple[Language, Language]]:
    """Pairs of languages in which the text is not found."""
    return [
        (asked_in, written_in)
        for asked_in in LANGUAGES
        for written_in in LANGUAGES
        if not finds(question, text, asked_in=asked_in, written_in=written_in)
    ]


def words_of(text: str) -> set[str]:
    """Runs of letters, digits, their marks and signs that are not seen; a mark alone is no word."""
    inside = {"L", "N", "M", "Cf"}
    bare = "".join(
        sign if {unicodedata.category(sign), unicodedata.category(sign)[0]} & inside else " " for sign in text
    )
    return {word for word in bare.split() if unicodedata.normalize("NFKC", word)[0].isalnum()}


@pytest.mark.parametrize("line", LITERAL)
@pytest.mark.parametrize("around", ["{}", "before {} after", "prima {} dopo, e poi", "的 {} ก"])
def test_a_text_is_found_by_what_it_holds(line: str, around: str) -> None:
    assert found_in_any_language(line, around.format(line)) == []


@pytest.mark.parametrize(("text", "question"), ALSO_FOUND)
def test_other_letters_find_it_too(text: str, question: str) -> None:
    assert found_in_any_language(question, text) == []


def test_different_names_stay_different() -> None:
    for question, text in (("user_1", "userA1"), ("userA1", "user_1"), ("C++", "C#"), ("pve-02", "xve-01")):
        whole = [term for term in ask(question, Language.ENGLISH).terms if len(term.forms[0]) > 1]
        assert not {form for term in whole for form in term.forms} & set(
            analyse(text, Language.ENGLISH).words
        )


def test_nothing_asks_for_nothing() -> None:
    for text in ("", " ", "\n\t\u3000"):
        assert ask(text, Language.ENGLISH) == ((), (), ())
        assert analyse(text, Language.ITALIAN).words == []


def test_fifty_thousand_words_ask_for_a_few() -> None:
    asked = ask(" ".join(f"word{number}" for number in range(50_000)), Language.ENGLISH)
    assert len(asked.terms) == MAX_QUESTION_WORDS
    assert len(asked.plain) <= MAX_QUESTION_WORDS
    assert len(ask("* " * 50_000, Language.ENGLISH).plain) == 1
    assert len(ask("漢" * 50_000, Language.ENGLISH).terms) <= MAX_QUESTION_WORDS
    assert len(ask("a " * 50_000 + "word", Language.ENGLISH).pairs) <= MAX_QUESTION_WORDS


def test_a_very_long_word_is_cut_alike() -> None:
    key = "k3y" * 5_000
    assert found_in_any_language(key, f"the key is {key} and no other") == []
    assert all(len(word) <= 128 for word in analyse(key, Language.ENGLISH).words)


STOP_WORDS_OF_ONE_LANGUAGE = ("come", "fare", "far", "il", "the", "was", "per", "di", "perché", "più")


@pytest.mark.parametrize("word", STOP_WORDS_OF_ONE_LANGUAGE)
@pytest.mark.parametrize(
    "text", ["{} stai", "come {}", "the {} one is", "{}", "nel mezzo {} del cammino", "so {} is it"]
)
def test_a_stop_word_of_one_language_finds_its_text(word: str, text: str) -> None:
    assert found_in_any_language(word, text.format(word)) == []


SCRIPTS = st.sampled_from(
    "abczéèàòùçñßøåÆœ ıİſﬁ’'`´-_.:/\\@+#&*^\"()[]{}?!,;<>|~%$€½²①ⅷ０Ａ　\u00a0\u200d\ufe0f\u0301\u0308\u0327"
    "漢字汇率東京ラーメンｶﾞ서울김치กำแฟดื่มהמילהالعَرَبِيَّةُहिन्दीமொழிспасибоΣςΐ👩💻🎉★\U00020001"
)
ANY_SIGN = st.characters(exclude_categories=["Cs"])
WORDS = st.sampled_from(
    ["the", "one", "il", "come", "dell'", "perché", "C++", ".NET", "gpt-4o", "user_1", "L'", "3.5"]
)
TEXTS = st.one_of(
    st.text(SCRIPTS, max_size=40),
    st.text(ANY_SIGN, max_size=30),
    st.lists(st.one_of(WORDS, st.text(SCRIPTS, max_size=6)), max_size=8).map(" ".join),
    st.lists(st.one_of(WORDS, st.text(SCRIPTS, max_size=3)), max_size=8).map("".join),
)


@given(text=TEXTS)
def test_every_word_of_a_text_finds_it(text: str) -> None:
    for word in words_of(text):
        assert found_in_any_language(word, text) == [], word


@given(text=st.text(max_size=40), language=st.sampled_from(LANGUAGES))
def test_no_text_is_refused(text: str, language: Language) -> None:
    for token in analyse(text, language).words:
        assert token
        assert not any(sign.isspace() for sign in token)
    ask(text, language)


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pair]:
    with prepared_pair(tmp_path_factory.mktemp("index")) as pair:
        yield pair


@given(text=TEXTS)
def test_every_word_finds_its_text_in_the_index(pair: Pair, text: str) -> None:
    pair.stage(a_projection(a_stamp(1), text), fresh=False)
    for word in sorted(words_of(text))[:4]:
        assert [found.num for found in pair.lexical(word)] == [1], word


@pytest.fixture(scope="module")
def memory(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Memory]:
    path = tmp_path_factory.mktemp("lines") / "memory.db"
    with Memory.open(path, embedder="none", durability="process") as memory:
        memory.facts.add_many(
            [{"content": line, "topic": f"line {number}"} for number, line in enumerate(LITERAL)]
        )
        memory.episodes.add_many("talk", [{"user_message": f"I said: {line} - yes"} for line in LITERAL])
        yield memory


def test_words_side_by_side_are_pairs_in_texts_and_questions() -> None:
    text = "The free meal rate of `Enrollment (K-12)`"
    held = pairs(text, Language.ENGLISH, with_stop_words=True)
    assert set(pairs(text, Language.ENGLISH)) < set(held)
    assert f"rate{PAIR}enrol" in pairs(text, Language.ENGLISH)
    asked = ask("What is the free meal's rate?", Language.ITALIAN)
    assert f"free{PAIR}meal" in held
    assert f"the{PAIR}free" in {form for term in asked.pairs for form in term.forms} & set(held)
    assert asked.with_pairs().terms == asked.terms + asked.pairs
    assert ask("漢字 漢字", Language.ENGLISH).pairs == ()
    assert pairs("漢字 漢字", Language.ENGLISH) == []


def test_no_text_holds_a_pair_as_a_word() -> None:
    assert PAIR not in fold(f"free{PAIR}meal")
    assert not any(PAIR in word for word in analyse(f"free{PAIR}meal più", Language.ENGLISH).words)


@pytest.mark.parametrize("line", LITERAL)
def test_a_memory_finds_each_line(memory: Memory, line: str) -> None:
    facts = memory.recall(line, top=100, kinds=["fact"])
    episodes = memory.recall(line, top=100, kinds=["episode"])
    kept = line.replace("\x00", "\u2400").replace("\ud800", "\ufffd")
    assert kept in [hit.text for hit in facts.hits]
    assert f"I said: {kept} - yes" in [hit.text for hit in episodes.hits]
    assert not facts.nothing_known


def test_an_empty_question_is_no_error(memory: Memory) -> None:
    for question in ("", "   ", "\n"):
        answer = memory.recall(question)
        assert answer.hits == ()
        assert answer.nothing_known


def test_a_question_of_fifty_thousand_words(memory: Memory) -> None:
    answer = memory.recall("gpt-4o " + " ".join(f"word{number}" for number in range(50_000)))
    assert answer.hits[0].text in {"gpt-4o", "I said: gpt-4o - yes"}


def test_a_repeated_word_is_stemmed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[str] = []
    monkeypatch.setattr(analysis, "_terms", lambda word: seen.append(word) or [analysis.Term((word,))])
    analysis.ask("word lamp " * 1000, Language.ENGLISH)
    assert seen == ["word", "lamp"]
