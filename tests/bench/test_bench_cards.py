from __future__ import annotations

import pytest

from ricordo.bench.baselines import Document, fitting
from ricordo.bench.card_sets import Solved, halves
from ricordo.bench.cases import Question
from ricordo.bench.measures import Answer, scores
from ricordo.bench.sql_skeleton import skeleton


@pytest.mark.parametrize(
    ("sql", "shape"),
    [
        ("SELECT name FROM ships WHERE id = 7;", "SELECT _ FROM _ WHERE _ = _"),
        ("select `a b`, [c d], \"e\" from x.y as t where t.f != 'it''s'", "SELECT _ FROM _ WHERE _ <> _"),
        (
            "SELECT T1.a FROM x AS T1 INNER JOIN y AS T2 ON T1.id = T2.id ORDER BY T1.a ASC LIMIT 3",
            "SELECT _ FROM _ JOIN _ ON _ = _ ORDER BY _ LIMIT _",
        ),
        (
            "SELECT T1.a FROM x T1 JOIN y T2 ON T1.id == T2.id ORDER BY T1.a LIMIT 5 -- why",
            "SELECT _ FROM _ JOIN _ ON _ = _ ORDER BY _ LIMIT _",
        ),
        (
            "SELECT CAST(COUNT(a) AS REAL) / max( b ) FROM t WHERE c IN (1, 2.5, 'x')",
            "SELECT CAST ( COUNT ( _ ) ) / MAX ( _ ) FROM _ WHERE _ IN ( _ )",
        ),
        ("SELECT COUNT(*), COUNT(DISTINCT t.*) FROM t", "SELECT COUNT ( * ) , COUNT ( DISTINCT _ ) FROM _"),
        (
            "WITH best AS (SELECT a FROM t) SELECT a FROM best",
            "WITH _ AS ( SELECT _ FROM _ ) SELECT _ FROM _",
        ),
        ("", ""),
    ],
)
def test_a_skeleton_has_no_names_and_no_values(sql, shape):
    assert skeleton(sql) == shape


def test_skeletons_tell_shapes_apart():
    shapes = [
        "SELECT a FROM t",
        "SELECT DISTINCT a FROM t",
        "SELECT MIN(a) FROM t",
        "SELECT a FROM t LIMIT 1",
    ]
    assert len({skeleton(sql) for sql in shapes}) == 4


def test_halves_are_taken_within_each_database():
    items = [Solved(database, str(number), "") for number in range(3) for database in "ab"]
    solved, asked = halves(items)
    assert [(item.database, item.question) for item in solved] == [
        ("a", "0"),
        ("b", "0"),
        ("a", "2"),
        ("b", "2"),
    ]
    assert [(item.database, item.question) for item in asked] == [("a", "1"), ("b", "1")]


def test_one_of_the_gold_may_be_enough():
    found = scores([Answer(Question("?", frozenset("ab"), "x", one_is_enough=True), ("c", "b"), "tuned")])
    assert (found["recall_at_1"], found["recall_at_5"], found["mrr"]) == (0.0, 100.0, 0.5)


def test_baselines_look_where_the_recall_looks():
    held = [Document("1", "x", frozenset({("family", "f"), ("database", "d")})), Document("2", "x")]
    assert [item.key for item in fitting(held, frozenset({("family", "f")}))] == ["1"]
    assert [item.key for item in fitting(held, frozenset())] == ["1", "2"]
    assert fitting(held, frozenset({("family", "g")})) == []


def test_bird_by_hand(bench, data):
    """Three databases: six rules and four solved questions each; seven questions ask for a rule.

    Of the four that ask for a solved one, the three of the common skeleton find one; nobody solved the
    fourth.
    """
    report = bench("bird", "--data", data, "--embedder", "none")
    assert report["records"] == 3 * (6 + 4)
    within = report["by_category"]["within_database"]
    assert (report["n"], within["n"], within["recall_at_1"], within["mrr"]) == (21, 21, 100.0, 1.0)
    assert report["recall_at_1"] == 100.0
    assert report["by_category"]["all_databases"]["recall_at_1"] == 100.0
    assert [report["by_category"][name]["n"] for name in ("ships", "orchards", "bakeries")] == [7, 7, 7]
    assert (report["parts"]["tuned"]["n"], report["parts"]["held_out"]["n"]) == (14, 7)
    for name in ("solved_by_skeleton", "solved_by_skeleton_within_database"):
        solved = report["by_category"][name]
        assert (solved["n"], solved["recall_at_1"]) == (9, 100.0)
    for baseline in report["baselines"].values():
        assert baseline["by_category"].keys() == report["by_category"].keys()


def test_bird_of_one_database_only(bench, data):
    report = bench("bird", "--data", data, "--embedder", "none", "--limit", 1)
    assert (report["n"], report["records"]) == (7, 10)
    assert "orchards" not in report["by_category"]


def test_kaggledbqa_by_hand(bench, data):
    """Two cards a database; of three test questions, one has a skeleton that no card has."""
    report = bench("kaggledbqa", "--data", data, "--embedder", "none")
    assert report["records"] == 4
    assert (report["n"], report["recall_at_1"]) == (4, 100.0)
    right = report["by_category"]["right_database"]
    assert (right["n"], right["recall_at_1"]) == (6, 100.0)
    assert report["by_category"]["all_databases"]["n"] == 4
    assert report["parts"]["held_out"]["n"] == 4
