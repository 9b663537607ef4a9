"""Prefixes of launchers and collectors."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from xpudbg.services.artifacts.log_prefix import instant_of, peel

FRAME = b'  File "/job/train.py", line 3 in f'
NOON = 1_764_504_000_000_000_000
"""2025-11-30 12:00:00 UTC."""


@pytest.mark.parametrize(
    ("prefix", "rank", "local", "taught"),
    [
        (b"[default3]:", None, 3, None),
        (b"[trainer12]: ", None, 12, None),
        (b"[rank3]:", 3, None, None),
        (b"[rank3]: ", 3, None, None),
        (b"[rank3[]:", 3, None, None),
        (b"0: ", 0, None, None),
        (b" 12: ", 12, None, None),
        (b"[node-1:2] ", None, 2, None),
        (b"(rank 3) ", 3, None, None),
        (b"[1,3]<stdout>:", 3, None, None),
        (b"[1,3]<stderr>: ", 3, None, None),
        (b"node-b07 | ", None, None, None),
        (b"node-b07 | [default3]:", None, 3, None),
        (b"[default3]:[rank11]:", None, 3, 11),
        (b"1: [default3]:", None, 3, None),
        (b"(Worker[rank=8] pid=77, ip=10.0.0.1) ", 8, None, None),
        (b"(Worker pid=77) [rank8]:", None, None, 8),
        (b"[pod/job-0/main] [default1]:", None, 1, None),
        (b"node7: [default1]:", None, 1, None),
    ],
    ids=lambda value: value.decode() if isinstance(value, bytes) else str(value),
)
@pytest.mark.parametrize(
    "time", [b"", b"2025-11-30 12:00:00,000 ", b"2025-11-30T13:00:00+01:00 ", b"[2025/11/30 12:00:00] "]
)
def test_a_prefix_tells_the_rank_and_leaves_the_text(
    prefix: bytes, rank: int | None, local: int | None, taught: int | None, time: bytes
) -> None:
    for line in (time + prefix + FRAME, prefix + b" " * bool(time) + time + FRAME):
        found = peel(line)
        assert (found.rank, found.local, found.taught) == (rank, local, taught)
        assert found.rest.lstrip() == FRAME.lstrip()
        assert found.rest.endswith(FRAME) or time
        assert found.at == (NOON if time else None)
        assert found.stream == peel(prefix + FRAME).stream != b""


@pytest.mark.parametrize(
    "line",
    [
        b"",
        FRAME,
        b"    wait (threading.py:327)",
        b'Thread 4242 (idle): "MainThread"',
        b"Process 4242: python train.py",
        b"Current thread 0x00007ff1137fe6c0 (most recent call first):",
        b"Timeout (0:00:10)!",
        b"[Rank 3] Watchdog caught collective operation timeout",
        b"[PG ID 2 PG GUID 5(tp) Rank 3] failure",
        b"loss: 3.4",
    ],
    ids=lambda line: line.decode()[:30],
)
def test_what_is_no_prefix_is_left(line: bytes) -> None:
    assert peel(line) == (b"", line, None, None, b"", None, None)


def test_hosts_around_a_local_number_are_told_apart() -> None:
    first, second = peel(b"node-1 | [default0]:x"), peel(b"node-2 | [default0]:x")
    assert first.stream != second.stream
    assert first.around != second.around
    assert peel(b"[node-1:0] x").around == b"node-1"


def test_times_without_a_date_are_taken_off_and_tell_nothing() -> None:
    for line in (b"12:00:00.123 [rank2]: hi", b"Nov 30 12:00:00 [rank2]: hi", b"2025-13-45 12:00:00 [rank2]: hi"):
        found = peel(line)
        assert (found.rank, found.rest, found.at) == (2, b" hi", None)


@pytest.mark.parametrize(
    ("text", "part", "zone", "expected"),
    [
        ("2025-11-30 12:00:00", "", "", NOON),
        ("2025-11-30 12:00:00", "5", "Z", NOON + 500_000_000),
        ("2025-11-30 12:00:00", "123456789", "", NOON + 123_456_789),
        ("2025-11-30 14:30:00", "", "+02:30", NOON),
        ("2025-11-30 05:00:00", "", "-0700", NOON),
        ("0001-01-01 00:00:00", "", "+99:00", None),
        ("2025-02-30 00:00:00", "", "", None),
    ],
)
def test_instants(text: str, part: str, zone: str, expected: int | None) -> None:
    assert instant_of(text, part, zone) == expected


@given(st.binary(max_size=120))
def test_any_line_ends_with_its_rest(line: bytes) -> None:
    assert line.endswith(peel(line).rest)
