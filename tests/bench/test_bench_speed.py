from __future__ import annotations

import pytest


@pytest.fixture(scope="module")
def report():
    from ricordo.bench.speed import measure_speed

    return measure_speed(300, processes=2, embedder="hashing", seconds=0.5, say=lambda text: None)


def test_what_is_measured(report):
    assert report["suite"] == "speed"
    assert report["import"]["episodes"] == report["records"] == 300
    for where in ("unfiltered", "one_session", "keywords_only"):
        found = report["recall"][where]
        assert found["n"] > 0
        assert found["hits_mean"] > 0
        assert found["parts_ms"].keys() >= {"embed", "candidates", "fuse", "verify"}
    for durability in ("full", "process"):
        assert report["saves"][durability]["per_s"] > 0
    assert report["saves"]["disk_flushes_per_s"] > 0
    assert report["saves"]["bulk"]["per_s"] > 0
    assert report["ratios"].keys() >= {"durable_saves_to_disk_flushes", "one_session_to_unfiltered"}
    assert report["disk"]["bytes_a_record"] > report["disk"]["of_it_vectors"] > 0


def test_a_fresh_process_answers(report):
    for name in ("keywords_only", "with_model"):
        found = report["first_answer"][name]
        assert found["hits"] > 0
        assert found["rss_mb"] > 0
    assert report["first_answer"]["with_model"]["degraded"] == []


@pytest.mark.parametrize("where", ["on_this_archive", "on_a_new_file"])
def test_two_processes_lose_nothing(report, where):
    load = report["load"][where]
    assert load["processes"] == 2
    assert load["file_existed"] == (where == "on_this_archive")
    assert load["acknowledged"] > 0
    assert (load["errors"], load["lost"], load["index_clean"]) == (0, 0, True), load
