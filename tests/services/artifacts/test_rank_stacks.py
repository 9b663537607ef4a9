"""The stacks of one rank in a file: which tool wrote them."""

from __future__ import annotations

from pathlib import Path

import pytest

from xpudbg.services.artifacts.rank_stacks import FAULTHANDLER, PYSPY, read_stacks, source_of_stacks

from .log_texts import faulthandler_text, put, pyspy_text

RECORDED = Path(__file__).parents[2] / "data" / "stacks"


@pytest.mark.parametrize("path", sorted(RECORDED.rglob("*.txt")), ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_recorded_stacks_are_told_apart(path: Path) -> None:
    data = path.read_bytes()
    expected = (
        None if not data.strip() else FAULTHANDLER if "faulthandler" in str(path.relative_to(RECORDED)) else PYSPY
    )
    assert source_of_stacks(data) == expected


@pytest.mark.parametrize(
    ("text", "source"),
    [
        (faulthandler_text(1, 2), FAULTHANDLER),
        ("Timeout (0:00:10)!\n" + faulthandler_text(1), FAULTHANDLER),
        ("Fatal Python error: Aborted\n\n", FAULTHANDLER),
        (pyspy_text(1), PYSPY),
        ("sh: 1: py-spy: not found\n", PYSPY),
        ("Error: Failed to find python version\n", PYSPY),
        ('Thread 12 (idle): "Thread 0x1 (most recent call first):"\n', PYSPY),
        ("a README\n", None),
        ("", None),
    ],
    ids=[
        "faulthandler",
        "timer",
        "fatal",
        "py-spy",
        "no py-spy",
        "py-spy failed",
        "a name that imitates",
        "other",
        "empty",
    ],
)
def test_the_text_tells_who_wrote_it(text: str, source: str | None) -> None:
    assert source_of_stacks(text.encode()) == source


def test_evidence_of_a_rank() -> None:
    found = read_stacks("dumps/rank_3.txt", pyspy_text(3).encode(), 3, taken_at=7, put=put, host="node-a")
    assert (found.rank, found.source, found.taken_at, found.host) == (3, PYSPY, 7, "node-a")
    assert (found.artifact, found.body.read().decode(), found.error) == ("dumps/rank_3.txt", pyspy_text(3), "")
    assert read_stacks("rank_1.txt", b"", 1, taken_at=7, put=put).source == FAULTHANDLER
