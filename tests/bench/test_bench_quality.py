from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from ricordo.bench.cli import Step, app
from ricordo.bench.quality import CONTEXT
from ricordo.errors import UnreadableFile
from ricordo.recall.profiles import EPISODES, STEPS, KindProfile, leaving_out
from ricordo.records.base import Kind

SUITES = ("locomo", "beam", "squad-it", "devbench", "bird", "kaggledbqa")
HEAD = {"suite", "n", "recall_at_5", "recall_at_10", "mrr", "by_category", "p50_ms", "p95_ms"}


@pytest.mark.parametrize("suite", SUITES)
def test_every_suite_prints_one_object_with_the_same_measures(suite, bench, data):
    report = bench(suite, "--data", data, "--embedder", "hashing")
    assert report.keys() >= HEAD | {"parts", "parts_ms", "machine", "versions", "settings"}
    assert report["suite"] == suite
    assert report["settings"]["embedder"] == "hashing"
    assert (report["stale_returned"], report["stale_looked_at"] > 0) == (0, True)
    assert set(report["baselines"]) == {"bm25", "vector", "grep"}
    for baseline in report["baselines"].values():
        assert baseline.keys() >= (HEAD - {"suite"}) | {"what", "parts"}
        assert baseline["n"] == report["n"]
    assert set(report["parts_ms"]) >= {"embed", "candidates", "verify"}


def test_locomo_by_hand(bench, data):
    """By keyword, the one turn with the question's word is first; its neighbours follow.

    In each of three conversations three questions count: one gold turn found (1), two of
    which one is found (0.5; the other stands in another session), one found beside two ids
    that name no turn (1).
    """
    report = bench("locomo", "--data", data, "--embedder", "none")
    assert (report["n"], report["records"]) == (9, 60)
    assert report["recall_at_1"] == report["recall_at_5"] == report["recall_at_10"] == 83.33
    assert report["mrr"] == 1.0
    assert report["by_category"].keys() == {"1", "2", "4"}
    assert report["by_category"]["1"]["recall_at_10"] == 50.0
    assert (report["parts"]["tuned"]["n"], report["parts"]["held_out"]["n"]) == (6, 3)
    shares = {"abstained": 100.0, "wrongly_abstained": 0.0}
    assert report["abstention"] == {"n": 3, **shares, "parts": {"tuned": shares, "held_out": shares}}
    assert set(report["baselines"]) == {"bm25", "grep"}
    # "is" stands in every turn, so that plain BM25 fills up with the first turns: D1:1 among them.
    assert report["baselines"]["bm25"]["recall_at_1"] == 83.33
    assert report["baselines"]["bm25"]["recall_at_5"] == 100.0


def test_steps_can_be_left_out(bench, data):
    """Without its context, a turn is found by its own words only: nothing speaks for those beside it."""
    plain = ("locomo", "--data", data, "--embedder", "none")
    whole, bare = bench(*plain), bench(*plain, "--without", "context", "--without", "asks")
    assert whole["settings"]["without"] == []
    assert bare["settings"]["without"] == ["asks", "context"]
    assert bare["settings"]["profile"]["episode"]["asks"] == 0.0
    assert whole["settings"]["profile"]["episode"]["asks"] > 0.0
    assert bare["settings"]["profile"]["episode"]["dated"] == whole["settings"]["profile"]["episode"]["dated"]
    assert bare["mrr"] == 1.0


def test_every_step_of_recall_can_be_named():
    assert {str(step) for step in Step} == {CONTEXT, *STEPS}
    left = leaving_out(EPISODES, ["dated"]).kinds[Kind.EPISODE]
    assert (left.dated, left.speaker) == (0.0, EPISODES.kinds[Kind.EPISODE].speaker)
    assert leaving_out(EPISODES, STEPS).kinds[Kind.EPISODE] == KindProfile()


def test_limit(bench, data):
    assert bench("locomo", "--data", data, "--embedder", "none", "--limit", 1)["records"] == 20


def test_beam_leaves_out_what_cannot_be_judged(bench, data):
    report = bench("beam", "--data", data, "--embedder", "none")
    assert report["n"] == 3
    assert report["by_category"]["information_extraction"]["recall_at_5"] == 100.0
    assert report["supersession"]["n"] == 1
    assert report["baselines"]["bm25"]["supersession"]["n"] == 1
    assert report["abstention"]["n"] == 1


def test_squad_it_is_one_workspace_in_italian(bench, data):
    report = bench("squad-it", "--data", data, "--embedder", "none")
    assert (report["n"], report["recall_at_1"]) == (14, 100.0)
    assert (report["parts"]["tuned"]["n"], report["parts"]["held_out"]["n"]) == (12, 2)


def test_the_data_sets_own_folder_will_do_too(bench, data):
    report = bench("devbench", "--data", data / "devbench", "--embedder", "none")
    assert (report["n"], report["recall_at_1"], report["abstention"]["abstained"]) == (1, 100.0, 100.0)


def test_a_cache_is_kept_where_it_is_asked_for(bench, data, tmp_path):
    first = bench("devbench", "--data", data, "--embedder", "hashing", "--cache", tmp_path / "cache")
    assert list((tmp_path / "cache").iterdir())
    second = bench("devbench", "--data", data, "--embedder", "hashing", "--cache", tmp_path / "cache")
    assert first["mrr"] == second["mrr"]


@pytest.mark.parametrize("suite", SUITES)
def test_missing_data_is_said_clearly(suite, bench, tmp_path):
    with pytest.raises(UnreadableFile, match="--data"):
        bench(suite, "--data", tmp_path)


@pytest.mark.parametrize("content", [b"\x1f\x8b\x00", b"{", b"\xff\xfe"])
def test_broken_data_is_said_clearly(content, bench, tmp_path):
    (tmp_path / "devbench_dataset.json").write_bytes(content)
    with pytest.raises(UnreadableFile, match="devbench_dataset"):
        bench("devbench", "--data", tmp_path)


def test_a_table_for_people(data):
    result = CliRunner().invoke(app, ["devbench", "--data", str(data), "--embedder", "none"])
    assert result.exit_code == 0
    assert "ricordo" in result.stdout and "grep" in result.stdout
    with pytest.raises(ValueError, match="Expecting"):
        json.loads(result.stdout)
