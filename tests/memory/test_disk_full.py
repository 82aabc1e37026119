"""A disk that is full: one clear error, nothing half saved, and on it goes when there is space."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from processes import python, run_text
from ricordo.errors import ArchiveError, ArchiveFull

from .opening import open_memory

MOUNT = ["mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs"]

LIMITED = """
import json, resource, sys
from pathlib import Path
from ricordo.errors import ArchiveError
from ricordo.memory import Memory

saved, error = [], None
resource.setrlimit(resource.RLIMIT_FSIZE, (3_000_000, 3_000_000))
with Memory.open(Path(sys.argv[1]), embedder="hashing", durability="process") as memory:
    try:
        for number in range(10_000):
            saved.append(memory.remember(f"fact zq{number}kx " + f"filler{number} " * 400).id)
    except ArchiveError as caught:
        error = type(caught).__name__, caught.cure
    there = memory.facts.list(limit=1000).items
    print(json.dumps({"saved": saved, "error": error, "there": [fact.id for fact in there]}))
"""


def test_a_file_that_must_not_grow(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    done = run_text(python(LIMITED, str(path)))
    assert (done.returncode, done.stderr) == (0, "")
    found = json.loads(done.stdout)
    assert found["error"][0] == "ArchiveFull"
    assert "space" in found["error"][1]
    assert found["there"] == found["saved"]
    assert len(found["saved"]) > 20
    with open_memory(path) as memory:
        assert [fact.id for fact in memory.facts.list(limit=1000).items] == found["saved"]
        memory.upkeep.drain()
        assert memory.upkeep.verify().clean
        memory.remember("There is space again.")


def _can_mount() -> bool:
    """Whether a small disk can be had here; where not, the limit on a file's size has to do."""
    if os.geteuid() != 0:
        return False
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run([*MOUNT, folder], capture_output=True, check=False)
        if done.returncode == 0:
            subprocess.run(["umount", folder], check=True)
    return done.returncode == 0


class TestSmallDisk:
    """A disk of four megabytes."""

    __test__ = _can_mount()

    @pytest.fixture
    def disk(self, tmp_path: Path) -> Iterator[Path]:
        folder = tmp_path / "disk"
        folder.mkdir()
        subprocess.run([*MOUNT, str(folder)], check=True)
        yield folder
        subprocess.run(["umount", "-l", str(folder)], check=True)

    def test_full_while_writing(self, disk: Path) -> None:
        ballast = disk / "ballast"
        ballast.write_bytes(b"x" * 1_500_000)
        with open_memory(disk / "memory.db") as memory:
            memory.remember("The zebra came first.")
            saved: list[str] = []
            with pytest.raises(ArchiveFull) as caught:
                for number in range(10_000):
                    receipt = memory.remember(f"fact zq{number}kx " + f"filler{number} " * 300)
                    saved += [receipt.id]
            assert "space" in caught.value.cure
            assert [fact.id for fact in memory.facts.list(limit=1000).items][1:] == saved
            assert memory.recall("zebra").hits[0].text == "The zebra came first."
            with pytest.raises(ArchiveError):
                memory.facts.add_many([{"content": f"more {number} " * 500} for number in range(50)])
            assert memory.facts.list(limit=1).total == len(saved) + 1
            ballast.unlink()
            memory.remember("There is space again.")
            memory.upkeep.drain()
            assert memory.upkeep.verify().clean
            assert memory.facts.list(limit=1).total == len(saved) + 2

    def test_full_from_the_beginning(self, disk: Path) -> None:
        (disk / "ballast").write_bytes(b"x" * (4 * 1024 * 1024 - 16_384))
        with pytest.raises(ArchiveError) as caught:
            open_memory(disk / "memory.db")
        assert caught.value.cure
        assert [item.name for item in disk.iterdir()] == ["ballast"]
        (disk / "ballast").unlink()
        open_memory(disk / "memory.db").close()


def test_the_limit_of_this_process_is_untouched() -> None:
    assert resource.getrlimit(resource.RLIMIT_FSIZE)[0] == resource.RLIM_INFINITY
