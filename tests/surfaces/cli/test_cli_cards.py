"""`ricordo memory`: every option does what its help says, and what is wrong is one clear error."""

from __future__ import annotations

import json
from typing import Any

import pytest

RULE = ("--family", "sql_rule", "--title", "Soft deletes", "--content", "Leave out rows with deleted_at.")
MEANING = {
    "family": "domain_clarification",
    "title": "Active customer",
    "content": "A customer with a paid order in the last 90 days.",
    "concepts": ["customer"],
    "dependencies": [{"database": "shop", "table": "orders"}],
}
SOLVED = {
    "family": "solved_question",
    "title": "Revenue by month",
    "question": "How much did we earn in each month?",
    "sql": "SELECT month, SUM(total) FROM orders GROUP BY month",
}
ERROR = {
    "family": "explained_error",
    "title": "Double counting",
    "content": "Do not join payments before summing orders.",
    "rationale": "One order may have several payments.",
}
NOBODY = "mem-00000000-0000-4000-8000-000000000000"


@pytest.fixture
def make(ok: Any) -> Any:
    """Makes a card; answers its id."""

    def run(**fields: Any) -> str:
        return ok("memory", "create", "--data", "-", stdin=json.dumps(fields))["id"]

    return run


def found(answer: dict[str, Any]) -> list[str]:
    return [hit["record"]["title"] for hit in answer["hits"]]


def test_every_field_of_a_card(ok: Any, make: Any) -> None:
    other = make(**MEANING)
    receipt = ok(
        *("memory", "create", "--family", "solved_question", "--title", "Revenue", "--question", "How much?"),
        *("--sql", "SELECT 1", "--content", "Sums", "--context", "asked by Ada", "--rationale", "paid only"),
        *("--scope", "finance", "--concept", "revenue", "--concept", "month", "--link", f"{other}=refines"),
        *("--depends", "database=shop, schema=main,table=orders,column=total"),
        *("--depends", '{"database": "a, b=c"}'),
    )
    assert (receipt["outcome"], receipt["revision"]) == ("saved_and_searchable", 1)
    card = ok("memory", "show", receipt["id"])
    place = {"database": "shop", "schema": "main", "table": "orders", "column": "total"}
    expected = {
        "family": "solved_question",
        "title": "Revenue",
        "question": "How much?",
        "sql": "SELECT 1",
        "content": "Sums",
        "context": "asked by Ada",
        "rationale": "paid only",
        "scope": "finance",
        "concepts": ["revenue", "month"],
        "dependencies": [place, {"database": "a, b=c", "schema": None, "table": None, "column": None}],
        "links": [{"target": other, "meaning": "refines"}],
        "revision": 1,
    }
    assert {name: card[name] for name in expected} == expected
    assert (card["origin"]["kind"], card["origin"]["author"]) == ("manual", "owner")


def test_a_text_comes_from_stdin(ok: Any, ricordo: Any) -> None:
    rule = ("--family", "sql_rule", "--title", "Long")
    made = ok("memory", "create", *rule, "--content", "-", stdin="first\nsecond\n")["id"]
    assert ok("memory", "show", made)["content"] == "first\nsecond"
    twice = ricordo("memory", "create", *rule, "--content", "-", "--rationale", "-", stdin="x")
    assert (twice.code, twice.error["code"]) == (3, "invalid_input")


def test_a_card_is_changed_field_by_field(ok: Any, ricordo: Any, make: Any) -> None:
    other = make(**MEANING)
    card = ok("memory", "create", *RULE, "--rationale", "law", "--link", other)["id"]
    change = ("memory", "update", card)
    ok(*change, "--revision", "1", "--title", "Deleted rows", "--clear", "rationale", "--reason", "shorter")
    ok(*change, "--revision", "2", "--data", "-", "--clear", "links", stdin='{"concepts": ["rows"]}')
    changed = ok("memory", "show", card)
    assert (changed["title"], changed["rationale"], changed["concepts"], changed["links"]) == (
        "Deleted rows",
        None,
        ["rows"],
        [],
    )
    history = ok("memory", "history", card)["items"]
    assert [(entry["revision"], entry["reason"]) for entry in history] == [
        (3, None),
        (2, "shorter"),
        (1, None),
    ]
    compared = ok("memory", "compare", card, "1", "2")["differences"]
    assert {item["field"]: (item["before"], item["after"]) for item in compared} == {
        "title": ("Soft deletes", "Deleted rows"),
        "rationale": ("law", None),
    }
    assert ok("memory", "restore", card, "1", "--seen", "3")["revision"] == 4
    assert ok("memory", "show", card)["links"] == [{"target": other, "meaning": "see_also"}]
    stale = ricordo("memory", "restore", card, "1", "--seen", "3")
    assert (stale.code, stale.error["code"]) == (5, "stale_revision")


def test_a_change_names_the_revision_that_was_seen(ok: Any, ricordo: Any) -> None:
    card = ok("memory", "create", *RULE)["id"]
    unnamed = ricordo("memory", "update", card, "--title", "x")
    assert unnamed.code == 2
    assert "--revision" in unnamed.err
    ok("memory", "update", card, "--title", "new", "--revision", "1")
    stale = ricordo("memory", "update", card, "--title", "lost", "--revision", "1")
    assert (stale.code, stale.error["code"]) == (5, "stale_revision")
    assert ricordo("memory", "delete", card, "--revision", "1", "--yes").code == 5
    assert ok("memory", "show", card)["title"] == "new"


def test_deleting_asks_and_can_be_taken_back(ok: Any, ricordo: Any, make: Any) -> None:
    card = make(**MEANING)
    unasked = ricordo("memory", "delete", card)
    assert (unasked.code, "--yes" in unasked.error["details"]["cure"]) == (3, True)
    assert ok("memory", "delete", card, "--yes")["removed"] == {"card": 1}
    assert ricordo("memory", "show", card).code == 4
    assert ok("memory", "search", "active customer")["hits"] == []
    assert ok("memory", "retry", card)["note"].startswith("It was deleted")
    assert ok("memory", "restore", card, "1")["revision"] == 2
    assert found(ok("memory", "search", "active customer")) == ["Active customer"]


def test_cards_are_listed_by_what_they_are(ok: Any, make: Any) -> None:
    for fields in (MEANING, SOLVED, ERROR):
        make(**fields)

    def listed(*options: str, **filters: Any) -> list[str]:
        given = ("--filters", json.dumps(filters)) if filters else ()
        return [card["title"] for card in ok("memory", "list", *options, *given)["items"]]

    assert listed() == ["Active customer", "Revenue by month", "Double counting"]
    assert listed("--sort", "title", "--descending") == [
        "Revenue by month",
        "Double counting",
        "Active customer",
    ]
    assert listed(family="explained_error") == ["Double counting"]
    assert listed(database="shop", table="orders", concepts=["customer"]) == ["Active customer"]
    assert listed(database="shop", table="other") == []
    assert listed("--text", "payments sum") == ["Double counting"]
    assert listed("--text", "earn", family="solved_question", origin="manual") == ["Revenue by month"]
    first = ok("memory", "list", "--limit", "2")
    assert first["total"] == 3
    rest = ok("memory", "list", "--limit", "2", "--cursor", first["next_cursor"])
    assert [card["title"] for card in rest["items"]] == ["Double counting"]


def test_finding_by_use(ok: Any, make: Any) -> None:
    meaning = make(**MEANING)
    for fields in (SOLVED, ERROR):
        make(**fields)
    ok("memory", "create", *RULE)
    question = "orders of an active customer by month, rows that are deleted left out"
    assert found(ok("memory", "clarifications", question)) == ["Active customer"]
    assert ok("memory", "clarifications", question, "--decided", meaning)["hits"] == []
    assert sorted(found(ok("memory", "rules", question))) == ["Double counting", "Soft deletes"]
    assert found(ok("memory", "solved-search", question)) == ["Revenue by month"]
    assert len(ok("memory", "search", question)["hits"]) == 4
    narrowed = ok("memory", "search", question, "--filters", '{"family": ["sql_rule"]}', "--top", "1")
    assert found(narrowed) == ["Soft deletes"]
    assert len(ok("recall", question, "--kind", "card")["hits"]) == 4


def test_a_session_decides_nothing_yet(ricordo: Any) -> None:
    answer = ricordo("memory", "clarifications", "x", "--session", "s1")
    assert (answer.code, answer.error["details"]["field"]) == (3, "--session")
    assert "review" in answer.error["message"]
    assert "--decided" in answer.error["details"]["cure"]


def test_people_see_why_a_card_was_found(ok: Any, shown: Any, ricordo: Any, make: Any) -> None:
    meaning = make(**MEANING)
    rule = ok("memory", "create", *RULE, "--link", f"{meaning}=refines")["id"]
    text = " ".join(shown("memory", "rules", "leave out rows with deleted_at").split())
    for part in ("lexical rank 1", "vector rank", "score 0.0", "sql_rule / general by owner", "left out: "):
        assert part in text
    linked = " ".join(shown("memory", "search", "deleted_at").split())
    assert f"path {rule} > {meaning}" in linked
    keywords = ricordo("--no-json", "memory", "search", "deleted_at", "--embedder", "none")
    assert "without: no_embedder" in keywords.out
    assert "Nothing is known" in shown("memory", "solved-search", "deleted_at")


def test_a_receipt_shows_what_resembles_it(ok: Any, shown: Any, make: Any) -> None:
    first = make(**MEANING)
    again = {**MEANING, "title": "Active customers", "content": MEANING["content"].replace("A ", "One ")}
    receipt = ok("memory", "create", "--data", "-", stdin=json.dumps(again))
    (alike,) = receipt["look_alikes"]
    assert (alike["id"], alike["title"]) == (first, "Active customer")
    evidence = alike["evidence"]
    assert evidence["shared_words"] >= 0.6
    assert evidence["concepts"] == ["customer"]
    assert evidence["dependencies"] == ["shop.orders"]
    assert ok("memory", "similar", receipt["id"], "--top", "1")["items"] == [alike]
    text = " ".join(shown("memory", "similar", receipt["id"]).split())
    assert "resembles: Active customer" in text
    assert "concepts customer" in text
    assert "both on shop.orders" in text


def test_two_cards_become_one_and_two_again(ok: Any, ricordo: Any, shown: Any, make: Any) -> None:
    kept, merged = make(**MEANING), make(**{**MEANING, "title": "Active client", "concepts": ["client"]})
    command = ("memory", "merge", kept, merged, "--kept-revision", "1", "--merged-revision", "1")
    unasked = ricordo(*command)
    assert (unasked.code, unasked.error["message"].startswith("Merging")) == (3, True)
    assert ricordo(*command[:-1], "7", "--yes").code == 5
    assert ok("memory", "list")["total"] == 2
    answer = ok(*command, "--yes", "--reason", "the same", "--data", "-", stdin='{"title": "Active"}')
    assert (answer["merge"]["kept"], answer["receipt"]["revision"]) == (kept, 2)
    card = ok("memory", "show", kept)
    assert (card["title"], sorted(card["concepts"])) == ("Active", ["client", "customer"])
    assert ricordo("memory", "show", merged).code == 4
    assert merged in shown("memory", "merges")
    merge = answer["merge"]["id"]
    assert len(ok("memory", "undo-merge", merge)["receipts"]) == 2
    assert ok("memory", "show", merged)["title"] == "Active client"
    assert ok("memory", "merges")["items"][0]["undone_at"]
    assert "undone" in shown("memory", "merges")
    assert ricordo("memory", "undo-merge", merge).code == 3
    assert ricordo("memory", "undo-merge", "merge-1").code == 4


def test_pending_work_of_cards(ok: Any, shown: Any, make: Any) -> None:
    receipt = ok("memory", "create", *RULE, "--defer")
    assert receipt["outcome"] == "saved_index_pending"
    ok("facts", "add", "a fact that waits, too", "--domain", "a", "--topic", "b", "--defer")
    assert [item["id"] for item in ok("memory", "pending")["items"]] == [receipt["id"]]
    assert "1 of 1" in shown("memory", "pending")
    assert [done["outcome"] for done in ok("memory", "retry")["receipts"]] == ["saved_and_searchable"]
    assert ok("memory", "pending")["items"] == []
    assert "Nothing is pending" in shown("memory", "retry")
    assert ok("memory", "index")["pending"] == 0  # the fact, too
    assert ok("memory", "index", "--full")["rewritten"] == 2


def test_people_see_cards(shown: Any, ok: Any, make: Any) -> None:
    meaning = make(**MEANING)
    card = ok("memory", "create", *RULE, "--link", f"{meaning}=refines", "--depends", "database=shop")["id"]
    text = shown("memory", "show", card)
    assert f"refines: {meaning}" in text
    assert "written by owner" in text
    assert "Soft deletes" in shown("memory", "list")
    assert "2 of 2" in shown("memory", "list")
    ok("memory", "update", card, "--revision", "1", "--clear", "links")
    assert "refines" in shown("memory", "compare", card, "1", "2")
    assert "Nothing differs" in shown("memory", "compare", card, "1", "1")
    assert "sql_rule" in shown("memory", "history", card)
    assert "deleted: 1 card" in shown("memory", "delete", card, "--yes")


BAD = {
    "no content": (RULE[:4], "needs 'content'"),
    "no question": (("--family", "solved_question", "--title", "x", "--sql", "SELECT 1"), "needs 'question'"),
    "no rationale": (("--family", "explained_error", "--title", "x", "--content", "y"), "needs 'rationale'"),
    "blank content": ((*RULE[:4], "--content", "  "), "needs 'content'"),
    "no such family": (("--family", "rule", "--title", "x", "--content", "y"), "'family'"),
    "no family": (RULE[2:], "'family'"),
    "no title": ((*RULE[:2], *RULE[4:]), "'title'"),
    "foreign field": ((*RULE, "--sql", "SELECT 1"), "no 'sql'"),
    "column without table": ((*RULE, "--depends", "database=shop,column=id"), "'column' needs its table"),
    "table without database": ((*RULE, "--depends", "table=orders"), "'table' needs its database"),
    "no database": ((*RULE, "--depends", "{}"), "at least its"),
    "no level": ((*RULE, "--depends", "shop.orders"), "--depends"),
    "wrong level": ((*RULE, "--depends", "database=shop,tabel=orders"), "tabel=orders"),
    "a level twice": ((*RULE, "--depends", "database=a,database=b"), "database=b"),
    "link to nothing": ((*RULE, "--link", NOBODY), "no card"),
    "link to no id": ((*RULE, "--link", "=refines"), "'links.0.target'"),
    "too many concepts": ((*RULE, *(f"--concept=c{number}" for number in range(65))), "'concepts'"),
}


@pytest.mark.parametrize("name", BAD)
def test_what_is_no_card_is_refused(name: str, ok: Any, ricordo: Any) -> None:
    options, message = BAD[name]
    answer = ricordo("memory", "create", *options)
    assert (answer.code, answer.out) == (3, "")
    assert message in answer.error["message"]
    assert len(answer.err.splitlines()) == 1
    assert ok("memory", "list")["total"] == 0


@pytest.mark.parametrize("field", ["content", "title"])
def test_ten_megabytes_are_too_much(field: str, ok: Any, ricordo: Any) -> None:
    fields = {"family": "sql_rule", "title": "x", "content": "y", field: "z" * 10_000_000}
    answer = ricordo("memory", "create", "--data", "-", stdin=json.dumps(fields))
    assert (answer.code, answer.error["code"]) == (3, "input_too_large")
    assert len(answer.err) < 1000
    assert ok("memory", "list")["total"] == 0


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ("[]", "one card"),
        ("[{}, {}]", "one card"),
        ("3", "one card"),
        ("{", "not JSON"),
        ('{"famly": "sql_rule"}', "'famly'"),
        ('{"family": "sql_rule", "title": "x", "content": 3}', "'content'"),
    ],
)
def test_data_that_is_no_card(data: str, message: str, ricordo: Any) -> None:
    answer = ricordo("memory", "create", "--data", "-", stdin=data)
    assert answer.code == 3
    assert message in answer.error["message"]


def test_bad_changes_change_nothing(ok: Any, ricordo: Any) -> None:
    card = ok("memory", "create", *RULE)["id"]
    before = ok("memory", "show", card)
    change = ("memory", "update", card, "--revision", "1")
    for options in (
        ("--clear", "content"),
        ("--clear", "title"),
        ("--family", "explained_error"),
        ("--link", card),
        ("--link", NOBODY),
        ("--depends", "column=id"),
        (),
    ):
        assert ricordo(*change, *options).code == 3, options
    unknown = ricordo(*change, "--data", "-", stdin='{"origin": {}}')
    assert (unknown.code, unknown.error["code"]) == (3, "unknown_field")
    assert ok("memory", "show", card) == before
    assert ok("memory", "history", card)["total"] == 1


@pytest.mark.parametrize("verb", [("list",), ("search", "x"), ("rules", "x"), ("clarifications", "x")])
@pytest.mark.parametrize(
    ("filters", "message"),
    [
        ("{", "not JSON"),
        ("family=sql_rule", "not JSON"),
        ("[1]", "must be a JSON object"),
        ("null", "must be a JSON object"),
        ('{"famly": "sql_rule"}', "'famly'"),
        ('{"limit": 3}', "'limit'"),
        ('{"speaker": "Ada"}', "'speaker'"),
        ('{"column": "id"}', "'column' needs its table"),
        ('{"family": "rule"}', "family"),
        ('{"concepts": "one"}', "concepts"),
        ('{"scope": 7}', "scope"),
    ],
)
def test_filters_that_are_none(verb: tuple[str, ...], filters: str, message: str, ricordo: Any) -> None:
    answer = ricordo("memory", *verb, "--filters", filters)
    assert (answer.code, answer.out) == (3, "")
    assert message in answer.error["message"]


def test_an_unknown_filter_names_the_nearest(ricordo: Any) -> None:
    answer = ricordo("memory", "list", "--filters", '{"databse": "shop"}')
    assert (answer.error["code"], answer.error["details"]["cure"]) == (
        "unknown_field",
        "Did you mean 'database'?",
    )
    assert "until" in ricordo("memory", "search", "x", "--filters", '{"zzz": 1}').error["details"]["cure"]


def test_a_use_looks_among_its_own_families(ricordo: Any) -> None:
    answer = ricordo("memory", "rules", "x", "--filters", '{"family": "solved_question"}')
    assert (answer.code, answer.error["details"]["field"]) == (3, "family")


@pytest.mark.parametrize(
    "verb", [("show",), ("history",), ("similar",), ("retry",), ("delete", "--yes")], ids=" ".join
)
def test_a_card_of_another_workspace_is_none(verb: tuple[str, ...], ok: Any, ricordo: Any) -> None:
    card = ok("memory", "create", *RULE, "--workspace", "other")["id"]
    assert ricordo("memory", verb[0], card, *verb[1:]).code == 4
    linked = ricordo("memory", "create", *RULE, "--link", card)
    assert (linked.code, linked.error["details"]["field"]) == (3, "links")
    assert ok("memory", "show", card, "--workspace", "other")["id"] == card


def test_what_is_not_there(ok: Any, ricordo: Any) -> None:
    card = ok("memory", "create", *RULE)["id"]
    assert ricordo("memory", "compare", card, "1", "2").code == 4
    assert ricordo("memory", "restore", card, "9").code == 4
    assert ricordo("memory", "restore", card, "0").code == 3
    same = ("--kept-revision", "1", "--merged-revision", "1", "--yes")
    assert ricordo("memory", "merge", card, NOBODY, *same).code == 4
    assert ricordo("memory", "merge", card, card, *same).code == 3
    assert ricordo("memory", "list", "--sort", "size").code == 3
