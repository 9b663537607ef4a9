"""How far a run is, in words."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.services.console.console_cases import NOW, SECOND, op_case
from tests.services.run_history.made_runs import ENDPOINT
from xpudbg.services.console.runs import RunUnderWay
from xpudbg.services.dispatch import progress
from xpudbg.tui.widgets.run_progress import stage

RUN = RunUnderWay("r", "id", op_case(), ENDPOINT, 1, NOW)


@pytest.mark.parametrize(
    ("latest", "said"),
    [
        (progress.Connecting(1), "connecting"),
        (progress.Connecting(3), "connecting, attempt 3"),
        (progress.Syncing(("a.py",), 2_500), "uploading 1 source file, 2.5 kB"),
        (progress.Uploading(5, 20), "uploading 25 % of 20 B"),
        (progress.Running(), "running on the server for 2.0 s"),
        (progress.Downloading(1_500_000, None), "downloading 1.5 MB"),
        (progress.Busy(1, 10, 3.0), "the server is busy (1 of 10), again in 1.0 s"),
        (progress.Reconnecting(2, 5, 3.0, "reset"), "reset (2 of 5), again in 1.0 s"),
    ],
)
def test_each_stage(latest: progress.Progress, said: str) -> None:
    assert stage(RUN.told(latest, NOW), NOW + 2 * SECOND) == said


def test_before_and_after() -> None:
    assert stage(RUN, NOW) == "preparing"
    assert stage(replace(RUN, comparing=True), NOW) == "comparing"


def test_rate_and_time_left_come_from_the_bytes_seen_so_far() -> None:
    run = RUN.told(progress.Uploading(1_000_000, 9_000_000), NOW)
    run = run.told(progress.Uploading(3_000_000, 9_000_000), NOW + SECOND)
    assert stage(run, NOW + SECOND) == "uploading 33 % of 9 MB, 2 MB/s, 3.0 s left"
    run = run.told(progress.Downloading(5, None), NOW + 2 * SECOND).told(
        progress.Downloading(10, None), NOW + 3 * SECOND
    )
    assert stage(run, NOW + 3 * SECOND) == "downloading 10 B, 5 B/s"
