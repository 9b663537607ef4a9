"""One measure for everybody, and what printed words of torch's analyzer come to."""

from __future__ import annotations

import pytest

from accuracy.rows import Said, Score, Truth, score
from accuracy.torch_tools import summary_of_command
from xpudbg.services.ranksets import RankSet

GUILTY = Truth.of("rank 2 sleeps", "2")
TWO = Truth.of("ranks 1 and 2 sleep", "1-2")
NOBODY_ALONE = Truth.of("a deadlock")
WELL = Truth.of("healthy", faulty=False)


def named(*ranks: int) -> Said:
    return Said("", accuses=True, named=RankSet(ranks))


@pytest.mark.parametrize(
    ("truth", "said", "expected"),
    [
        (GUILTY, named(2), Score.RIGHT),
        (GUILTY, named(2, 3), Score.WRONG),
        (GUILTY, named(), Score.PART),
        (GUILTY, Said(""), Score.NOTHING),
        (GUILTY, Said("", failed=True), Score.FAILED),
        (TWO, named(1), Score.PART),
        (NOBODY_ALONE, named(), Score.RIGHT),
        (NOBODY_ALONE, named(0), Score.WRONG),
        (NOBODY_ALONE, Said(""), Score.NOTHING),
        (WELL, Said(""), Score.RIGHT),
        (WELL, named(), Score.WRONG),
        (WELL, named(1), Score.WRONG),
    ],
)
def test_score(truth: Truth, said: Said, expected: Score) -> None:
    assert score(truth, said) is expected


@pytest.mark.parametrize(
    ("output", "code", "text", "ranks"),
    [
        ("", 0, "nothing", ()),
        ("missing ranks: {2}\nworld size: 3\nmissing ranks: {0, 2}\n", 0, "missing 0,2", (0, 2)),
        ("error msg: Culprit rank 1; x, Culprit rank 4; y\n", 0, "culprit 1,4", (1, 4)),
        ("MISMATCH \n", 0, "a mismatch", ()),
        ("We cannot decide what's wrong with this\n", 0, "can't decide: a dump is missing", ()),
        ("Traceback\nKeyError: ('0', 0)\n", 1, "error: KeyError: ('0', 0)", ()),
        ("\x1b[2J\n", 1, "error: \\x1b[2J", ()),
    ],
    ids=["nothing", "missing", "culprits", "mismatch", "undecided", "error", "escapes"],
)
def test_what_the_analyzer_prints(output: str, code: int, text: str, ranks: tuple[int, ...]) -> None:
    said = summary_of_command(output, code)
    assert (said.text, said.named, said.failed) == (text, RankSet(ranks), bool(code))
    assert said.accuses is (bool(ranks) or text in ("a mismatch", "can't decide: a dump is missing"))
