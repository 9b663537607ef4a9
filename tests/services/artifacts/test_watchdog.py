"""Lines of NCCL's watchdog in the shapes of many versions."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from xpudbg.services.artifacts.watchdog import WatchdogKind, WatchdogLine, joined, may_tell, read_watchdog_line
from xpudbg.services.ranksets import RankSet

from .log_texts import signal, status, timeout

NEW_YEAR = 1_767_225_600_000_000_000
"""2026-01-01 00:00:00 UTC."""
TEN = 1_764_496_800_123_456_789
"""2025-11-30 10:00:00.123456789 UTC."""


def read(text: str, number: int = 1) -> WatchdogLine:
    line = read_watchdog_line(text.encode(), "job.log", number, written_at=NEW_YEAR)
    assert line is not None
    return line


def test_a_timeout() -> None:
    line = read(timeout(11, within=3))
    assert (line.kind, line.rank, line.group_rank, line.group_id) == (WatchdogKind.TIMEOUT, 11, 3, "")
    assert (line.op, line.seq, line.numel_in, line.numel_out) == ("ALLREDUCE", 311, 1024, 1024)
    assert (line.timeout_ms, line.ran_ms, line.at) == (600_000, 600_029, TEN)
    assert (line.artifact, line.number) == ("job.log", 1)
    assert line.text.startswith("[rank11]:[E1130 10:00:00.123456789 ")


def test_a_timeout_of_an_old_version_names_the_rank_in_the_group_alone() -> None:
    line = read(timeout(None, within=5, numel=None))
    assert (line.rank, line.group_rank, line.numel_in, line.at) == (None, 5, None, None)
    assert line.kind is WatchdogKind.TIMEOUT


@pytest.mark.parametrize(
    ("prefix", "group_id", "desc", "shared", "default"),
    [
        ("[PG ID 0 PG GUID 0(default_pg) Rank 3]", "0", "default_pg", True, True),
        ("[PG ID 0 PG GUID 0 Rank 3]", "0", "", True, True),
        ("[PG ID 2 PG GUID 5(tp) Rank 3]", "5", "tp", True, False),
        ("[PG ID 2 PG GUID a1b2(mesh_tp (0)) Rank 3]", "", "", False, False),
        ("[PG 0 (default_pg) Rank 3]", "0", "default_pg", True, True),
        ("[PG 1 Rank 3]", "1", "", False, False),
        ("[PG 0 Rank 3]", "0", "", True, True),
    ],
)
def test_groups(prefix: str, group_id: str, desc: str, shared: bool, default: bool) -> None:
    text = (
        f"{prefix} Exception (either an error or timeout) detected by watchdog at work: 808, last enqueued NCCL work: "
    )
    line = read(text + "811, last completed NCCL work: -1.")
    assert (line.group_id, line.group_desc, line.group_shared, line.default_group) == (group_id, desc, shared, default)
    assert (line.kind, line.seq, line.last_enqueued, line.last_completed) == (WatchdogKind.STATUS, 808, 811, -1)


PG = "[PG ID 0 PG GUID 0 Rank 1]"
FAILED = "WorkNCCL(SeqNum=4, OpType=BROADCAST, Timeout(ms)=1000)"
LEFT = "last enqueued NCCL work: 9, last completed NCCL work: 6."


@pytest.mark.parametrize(
    ("text", "kind", "seq", "far"),
    [
        (status(3), WatchdogKind.STATUS, 311, (312, 310)),
        (signal(3, 166, 165), WatchdogKind.STATUS, None, (166, 165)),
        (f"[PG 1 Rank 0] Timeout at NCCL work: 7, {LEFT}", WatchdogKind.STATUS, 7, (9, 6)),
        (f"{PG} ProcessGroupNCCL's watchdog got stuck for 480 seconds", WatchdogKind.STUCK, None, (None, None)),
        (f"{PG} Could not acquire GIL within 300 ms on exit", WatchdogKind.GIL, None, (None, None)),
        (f"Collective {FAILED} raised the following async exception: x", WatchdogKind.ERROR, 4, (None, None)),
    ],
    ids=["status", "signal", "timeout at", "stuck", "gil", "error"],
)
def test_other_lines(text: str, kind: WatchdogKind, seq: int | None, far: tuple[int | None, int | None]) -> None:
    line = read(text)
    assert (line.kind, line.seq, (line.last_enqueued, line.last_completed)) == (kind, seq, far)
    assert may_tell(text.encode())


def test_what_every_rank_of_every_job_says_is_not_kept() -> None:
    assert read(signal(3, 166, 165)).text.endswith("Last enqueued NCCL work: 166, last completed NCCL work: 165")


def test_desync_reports_name_ranks_of_the_group() -> None:
    late = read("\t     [7, 9] finished collective #182, but didn't join collective #183 (count from 1)")
    assert (late.kind, late.behind, late.seq) == (WatchdogKind.DESYNC, RankSet([7, 9]), 182)
    never = read(
        "\t - To our best knowledge, ranks [1] are the lagging ranks that caused this timeout. They never joined any"
    )
    assert (never.kind, never.behind, never.seq) == (WatchdogKind.DESYNC, RankSet([1]), -1)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "NCCL INFO Channel 00 : 0 1",
        f"{PG} NCCL Work update periodically: {LEFT}",
        f"we saw {FAILED} before",
        "Watchdog caught nothing",
    ],
    ids=["empty", "info", "periodic", "quoted work", "words"],
)
def test_other_text_is_none(text: str) -> None:
    assert read_watchdog_line(text.encode(), "job.log", 1) is None


@pytest.mark.parametrize(
    ("stamp", "year"),
    [
        ("1130 10:00:00", "2025"),
        ("101 00:00:00", "2026"),
        ("1231 23:59:59", "2025"),
        ("101 12:00:00", "2026"),
        ("105 10:00:00", "2025"),
    ],
)
def test_times_have_no_year_and_are_not_after_the_end_of_the_log(stamp: str, year: str) -> None:
    line = read(f"[rank0]:[E{stamp}.5 x] Could not acquire GIL within 300 ms")
    assert line.at is not None
    assert (line.at // 1_000_000_000 >= 1_767_225_600) == (year == "2026")


def test_a_time_of_the_launcher_goes_before() -> None:
    line = read_watchdog_line(timeout(1).encode(), "x", 1, at=5, written_at=NEW_YEAR)
    assert line is not None
    assert line.at == 5


def test_a_timeout_gets_the_group_of_the_line_below_and_counts_once() -> None:
    tp = "ID 2 PG GUID 5(tp)"
    said = timeout(None, 311, within=1)
    what = f"  what():  [PG {tp} Rank 1] Process group watchdog thread terminated with exception: {said}"
    texts = [
        timeout(9, 311),
        timeout(9, 400),
        status(9, 311, group=tp),
        status(9, 311, group=tp),
        timeout(9, 311),
        what,
    ]
    lines = joined(read(text, number) for number, text in enumerate(texts[:-1], 1))
    assert [(line.kind, line.seq, line.group_id, line.number) for line in lines] == [
        (WatchdogKind.TIMEOUT, 311, "5", 1),
        (WatchdogKind.TIMEOUT, 400, "", 2),
        (WatchdogKind.STATUS, 311, "5", 3),
    ]
    assert read(what).group_id == "5"


def test_a_status_far_below_belongs_to_another_timeout() -> None:
    first, second = joined([read(timeout(9), 1), read(status(9), 500)])
    assert (first.group_id, second.group_id) == ("", "0")


@given(st.binary(max_size=200))
def test_any_line_is_read(data: bytes) -> None:
    if read_watchdog_line(data, "x", 1, written_at=NEW_YEAR) is not None:
        assert may_tell(data)


@given(
    st.lists(st.sampled_from([timeout(1), timeout(1, 312), status(1), status(1, 312), signal(1, 5, 4)]), max_size=12)
)
def test_joined_keeps_each_thing_said(texts: list[str]) -> None:
    lines = [read(text, number) for number, text in enumerate(texts, 1)]
    kept = joined(lines)
    assert {(one.kind, one.seq, one.last_enqueued) for one in kept} == {
        (one.kind, one.seq, one.last_enqueued) for one in lines
    }
    assert len(joined(kept)) == len(kept)
