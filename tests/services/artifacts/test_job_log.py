"""A job's log, several ranks among each other, cut into what each rank said."""

from __future__ import annotations

import io
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from xpudbg.services.artifacts.job_log import LINE_LIMIT, JobLog, lines_of, read_job_log
from xpudbg.services.artifacts.watchdog import WatchdogKind
from xpudbg.services.ranksets import RankSet

from .log_texts import faulthandler_text, put, pyspy_text, status, timeout

WRITTEN = 1_767_225_600_000_000_000
"""2026-01-01 00:00:00 UTC."""
SECOND = 1_000_000_000


def read(text: str, name: str = "job.log") -> JobLog:
    return read_job_log(name, lines_of(io.BytesIO(text.encode())), WRITTEN, put)


def prefixed(prefix: str, text: str) -> list[str]:
    return [f"{prefix}{line}\n" for line in text.splitlines()]


def woven(*streams: list[str]) -> str:
    """The lines of all streams, one of each in turn."""
    longest = max(map(len, streams))
    return "".join(stream[at] for at in range(longest) for stream in streams if at < len(stream))


def told(log: JobLog) -> dict[int, list[str]]:
    found: dict[int, list[str]] = {}
    for one in log.evidence:
        found.setdefault(one.rank, []).append(one.body.read().decode())
    return found


PREFIXES: dict[str, Callable[[int], str]] = {
    "torchrun": lambda rank: f"[default{rank}]:",
    "torch": lambda rank: f"[rank{rank}]:",
    "blank": lambda rank: f"[rank{rank}]: ",
    "srun": lambda rank: f"{rank}: ",
    "wide srun": lambda rank: f"{rank:3}: ",
    "host": lambda rank: f"[node-1:{rank}] ",
    "words": lambda rank: f"(rank {rank}) ",
    "mpirun": lambda rank: f"[1,{rank}]<stdout>:",
    "nested": lambda rank: f"2025-11-30T10:00:00Z node-b07 | [default{rank}]:",
    "time behind": lambda rank: f"[default{rank}]:2025-11-30 10:00:00,123 ",
    "ray": lambda rank: f"(Worker[rank={rank}] pid=7{rank}) ",
    "colour": lambda rank: f"\x1b[36m[rank{rank}]:\x1b[0m ",
}


@pytest.mark.parametrize("write", PREFIXES.values(), ids=PREFIXES)
def test_ranks_that_write_at_once_are_told_apart_by_any_prefix(write: Callable[[int], str]) -> None:
    texts = {rank: faulthandler_text(rank, 1, 2) if rank % 2 else pyspy_text(rank) for rank in range(4)}
    log = read(woven(*(prefixed(write(rank), text) for rank, text in texts.items())))
    assert told(log) == {rank: [text] for rank, text in texts.items()}
    assert [one.source for one in log.evidence] == ["pyspy_dump", "dump_traceback"] * 2
    assert log.heard == RankSet(range(4))


def test_torch_teaches_the_ranks_behind_numbers_of_a_host() -> None:
    streams = [prefixed(f"[default{local}]:", faulthandler_text(local)) for local in range(3)]
    log = read(woven(*streams, [f"[default1]:{timeout(9)}\n"]))
    assert list(told(log)) == [8, 9, 10]
    assert (log.assumed, log.heard) == (RankSet(), RankSet([8, 9, 10]))


def test_numbers_of_one_host_are_taken_as_ranks_with_a_word() -> None:
    log = read("".join(prefixed("[default0]:", faulthandler_text(0))))
    assert (log.assumed, log.origin) == (RankSet([0]), "job.log")
    assert log.notes == ("rank 0: by the number on the host, as the log names no rank of the job",)


def test_numbers_of_several_hosts_are_no_ranks() -> None:
    log = read(woven(*(prefixed(f"node-{host} | [default0]:", faulthandler_text(host)) for host in (1, 2))))
    assert (log.evidence, log.heard) == ((), RankSet())
    assert len(log.notes) == 2
    assert log.notes[0].endswith("to no known rank: it is a number on one of several hosts")


def test_several_ranks_under_one_prefix_own_none_of_its_stacks() -> None:
    log = read(f"node-1 | {timeout(3)}\nnode-1 | {timeout(4)}\n" + "".join(prefixed("node-1 | ", faulthandler_text(3))))
    assert log.evidence == ()
    assert "several ranks write under it (3-4)" in log.notes[0]
    assert [line.rank for line in log.watchdog] == [3, 4]


@pytest.mark.parametrize(
    ("name", "rank"),
    [
        ("logs/rank3.log", 3),
        ("train_rank_12.err", 12),
        ("attempt_0/5/stderr.log", 5),
        ("job.log", None),
        ("5/other.log", None),
    ],
)
def test_without_a_prefix_the_name_of_the_file_tells_the_rank(name: str, rank: int | None) -> None:
    log = read("starting\n" + faulthandler_text(3), name)
    assert list(told(log)) == ([] if rank is None else [rank])
    assert rank is not None or log.notes == (
        "1 stack from line 2 on, without a prefix, belongs to no known rank: "
        "the file's name says no rank: rename it to rank_N.log",
    )


def test_the_name_of_the_file_may_tell_the_host_too() -> None:
    assert read(faulthandler_text(9), "node1_rank_9.log").evidence[0].host == "node1"


def test_a_folder_of_torchrun_tells_less_than_torch_itself() -> None:
    log = read(timeout(13) + "\n" + faulthandler_text(3), "attempt_0/5/stderr.log")
    assert list(told(log)) == [13]
    assert log.assumed == RankSet()


@pytest.mark.parametrize("lines", [["3: eggs", "12: milk"], ["[epoch3]: loss 1"]], ids=["numbers", "words"])
def test_what_looks_like_a_prefix_here_and_there_names_no_rank(lines: list[str]) -> None:
    log = read("hello\n" * 20 + "\n".join(lines) + "\n")
    assert log == JobLog(origin="job.log")


def test_several_stacks_of_a_rank_are_looks_in_time() -> None:
    texts = [faulthandler_text(1, number) for number in (1, 2, 3)]
    times = [f"2025-11-30T10:00:{second:02}Z " for second in (0, 10, 20)]
    log = read(
        "".join(line for time, text in zip(times, texts, strict=True) for line in prefixed(f"{time}[rank1]:", text))
    )
    first = log.evidence[0].taken_at
    assert [one.taken_at - first for one in log.evidence] == [0, 10 * SECOND, 20 * SECOND]
    assert told(log)[1] == texts


@pytest.mark.parametrize(
    ("head", "apart"), [("", 1), ("Timeout (0:00:10)!\n", 10 * SECOND)], ids=["unknown", "by its timer"]
)
def test_without_times_the_last_look_is_as_old_as_the_file(head: str, apart: int) -> None:
    text = head + faulthandler_text(1)
    log = read(text * 3, "rank1.log")
    assert [WRITTEN - one.taken_at for one in log.evidence] == [2 * apart, apart, 0]


def test_the_name_of_the_file_may_have_the_time() -> None:
    log = read(faulthandler_text(1), "rank1_20250923_065505.log")
    assert log.evidence == () or log.evidence[0].taken_at == 1_758_610_505 * SECOND
    assert read(faulthandler_text(1), "rank_1.20250923_065505.txt").evidence[0].taken_at == 1_758_610_505 * SECOND


def test_the_watchdogs_lines_have_their_rank_group_and_place() -> None:
    text = f"[default0]:hello\n[default0]:{timeout(8)}\n[default0]:{status(8)}\n"
    log = read(text)
    assert [(line.kind, line.rank, line.number, line.group_id) for line in log.watchdog] == [
        (WatchdogKind.TIMEOUT, 8, 2, "0"),
        (WatchdogKind.STATUS, 8, 3, "0"),
    ]
    assert log.heard == RankSet([8])


def test_a_rank_within_a_group_counts_as_a_rank_for_certain_only_in_the_default_group() -> None:
    old = timeout(None, within=5)
    line = read(old).watchdog[0]
    assert (line.rank, line.rank_sure) == (5, False)
    assert read(old).heard == RankSet()
    named = read(old, "rank2.log").watchdog[0]
    assert (named.rank, named.rank_sure) == (2, True)


def test_a_desync_report_goes_with_the_rank_that_wrote_it() -> None:
    report = "\t     [7] finished collective #310, but didn't join collective #311 (count from 1)"
    log = read("\n".join([timeout(0), "[rank0]:[E1130 10:00:00.2 P:1] Rank 0", report, status(0), "other"]) + "\n")
    desync = log.watchdog[1]
    assert (desync.kind, desync.rank, desync.group_id, desync.behind) == (WatchdogKind.DESYNC, 0, "0", RankSet([7]))


def test_a_progress_bar_before_a_line_and_lines_beyond_all_length() -> None:
    bar = "Epoch 0:  6%|##  | 3/50\r"
    text = "x" * (3 * LINE_LIMIT) + "Thread 0x1 (most recent call first):\n" + bar + f"[default0]:{timeout(8)}\n"
    log = read(text)
    assert [(line.rank, line.number) for line in log.watchdog] == [(8, 2)]
    assert log.evidence == ()


BLOCKS = st.lists(
    st.builds(
        lambda rank, kind, threads, function: (rank, kind(rank, *threads, function=function)),
        st.integers(0, 3),
        st.sampled_from([faulthandler_text, lambda rank, *_, function: pyspy_text(rank, function)]),
        st.lists(st.integers(1, 9), max_size=3, unique=True),
        st.sampled_from(["f", "train_step", "<lambda>"]),
    ),
    max_size=8,
)


@given(
    BLOCKS,
    st.randoms(use_true_random=False),
    st.sampled_from(["[default{}]:", "[rank{}]: ", "{}: ", "n1 | (rank {}) "]),
)
def test_reading_woven_streams_gives_the_same_as_reading_them_apart(
    blocks: list[tuple[int, str]], random: object, prefix: str
) -> None:
    streams: dict[int, list[str]] = {}
    for rank, text in blocks:
        streams.setdefault(rank, []).extend(prefixed(prefix.format(rank), "noise\n" * 9 + text))
    apart = {rank: told(read("".join(lines))).get(rank, []) for rank, lines in streams.items()}
    left = {rank: list(lines) for rank, lines in streams.items()}
    mixed = []
    while left:
        rank = random.choice(sorted(left))  # type: ignore[attr-defined]
        mixed.append(left[rank].pop(0))
        if not left[rank]:
            del left[rank]
    assert told(read("".join(mixed))) == apart
    for rank, texts in apart.items():
        expected = [text for other, text in blocks if other == rank]
        assert texts == sorted(expected, key=lambda text: text.startswith("Process"))  # by source, then by time


@given(st.binary(max_size=300))
def test_any_bytes_are_read(data: bytes) -> None:
    read_job_log("rank1.log", lines_of(io.BytesIO(data)), WRITTEN, put)
