"""A person at a real terminal with a real job: start, walk the ranks by keys, find the stopped one, quit."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from tests.real.job import RealJob
from tests.terminal.terminal import Terminal

pytestmark = [pytest.mark.torch, pytest.mark.terminal]

XPUDBG = str(Path(sys.executable).with_name("xpudbg"))
SOON = 30.0


def test_the_stopped_rank_is_found_by_keys_and_the_terminal_is_as_before(job: RealJob, tmp_path: Path) -> None:
    job.stop(2)
    environment = {"XDG_STATE_HOME": str(tmp_path / "state")}
    with Terminal([XPUDBG, job.store, "--timeout", "1"], environment=environment) as terminal:
        terminal.wait_for(r"Rank 2 \(.*\) is stopped", within=SOON)  # the verdict, no key pressed
        for rank in (2, 3, 0, 1, 2):  # the culprit is selected first
            terminal.wait_for(rf"\brank {rank}\b", within=SOON)
            if rank == 2:
                terminal.wait_for("stopped for", within=SOON)
            terminal.press("]")
        terminal.press("2")
        terminal.wait_for(
            r"(?m)^ +2 +S stopped +\S+ +\d+ s .* 1 +no ans", within=SOON
        )  # its row, with the stuck request
        job.resume(2)
        terminal.press("r")
        terminal.wait_for(r"look 2\b", within=SOON)
        terminal.press("1")
        terminal.wait_for("No problem found: all 4 ranks answer", within=SOON)
        terminal.resize(80, 24)
        terminal.wait_for("No problem found: all 4 ranks answer", within=SOON)
        assert not re.search("Traceback", terminal.text)
        terminal.press("q")
        assert terminal.wait_for_exit(within=SOON) == 0
        assert terminal.used_alternate_screen()
        assert terminal.left_behind() == []


def test_a_hung_job_s_verdict_is_on_the_first_screen_and_a_key_leads_to_the_line(job: RealJob, tmp_path: Path) -> None:
    job.tell(2, "load 300")
    job.expect(2, "loading")
    for rank in (0, 1, 3):
        job.tell(rank, "all_reduce 1")
    environment = {"XDG_STATE_HOME": str(tmp_path / "state")}
    with Terminal([XPUDBG, job.store], environment=environment, size=(140, 40)) as terminal:
        terminal.wait_for(r"HANG\s+Rank 2 \(.*\) has not joined all_reduce #2 of default_pg", within=SOON)
        terminal.wait_for(r"It is in next_batch\s+\(jobs/trainer\.py:\d+\)", within=SOON)
        terminal.press("3")
        terminal.wait_for(r"→ \d+ +time\.sleep\(seconds\)", within=SOON)  # the frame's source, the odd rank first
        terminal.press("q")
        assert terminal.wait_for_exit(within=SOON) == 0
        assert terminal.left_behind() == []


def test_keys_lead_from_the_finding_down_to_the_frame(job: RealJob, tmp_path: Path) -> None:
    """Finding, its collective, the calls of its ranks, a waiting rank's stack, and the culprit's line; and all back."""
    job.tell(2, "load 300")
    job.expect(2, "loading")
    for rank in (0, 1, 3):
        job.tell(rank, "all_reduce 1")
    environment = {"XDG_STATE_HOME": str(tmp_path / "state")}
    with Terminal([XPUDBG, job.store], environment=environment, size=(160, 50)) as terminal:
        terminal.wait_for(r"HANG\s+Rank 2 \(.*\) has not joined all_reduce #2 of default_pg", within=SOON)
        terminal.wait_for(r"all_reduce #2 of default_pg has been called", within=SOON)  # what would refute it
        terminal.press("4")
        terminal.wait_for(r"not_joined +(critical +likely|warning +possible)", within=SOON)
        terminal.press("\r")
        terminal.wait_for(r"missing ranks +! 2 \(1\), not come to this", within=SOON)
        terminal.press("\r")
        terminal.wait_for(r"calls of #2 of default_pg · ! 1 rank missing: 2", within=SOON)
        terminal.press("\r")
        terminal.wait_for(r"call +all_reduce #2 of default_pg, for \d+ s, 3 ranks in it", within=SOON)
        terminal.press("]]")  # from rank 0 to the culprit
        terminal.wait_for(r"→ \d+ +time\.sleep\(seconds\)", within=SOON)
        terminal.press("\x1b")
        terminal.wait_for(r"calls of #2 of default_pg", within=SOON)
        terminal.press("v")
        terminal.wait_for(r"3 of 4 came within .* not come: 2", within=SOON)
        terminal.press("q")
        assert terminal.wait_for_exit(within=SOON) == 0
        assert terminal.left_behind() == []
