"""What a file is, by what stands in it; its name decides only where that leaves it open."""

from __future__ import annotations

import gzip
import json
import pickle
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.fakes.flight_recorder_jobs import Call, FakeGroup, FakeJob
from xpudbg.services.artifacts.artifact import Artifact
from xpudbg.services.artifacts.rank_names import rank_in_name
from xpudbg.services.artifacts.recognise import HEAD, ArtifactKind, Recognised, recognise, recognise_head
from xpudbg.services.artifacts.recorder_dump import read_artifact
from xpudbg.services.flight_recorder.dump import DumpError
from xpudbg.services.spool import Body

JOB = FakeJob(2, [FakeGroup("0", "default_pg", (0, 1))], [Call("0")] * 3)
STAMP = 1_758_610_505_000_000_000
FAULTHANDLER = b"""Thread 0x00007ff000001000 (most recent call first):
  File "/usr/lib/python3.11/threading.py", line 327 in wait

Current thread 0x00007ff13d9c7b80 (most recent call first):
  File "/job/train.py", line 211 in step
  File "/job/train.py", line 300 in <module>
"""
PYSPY = b"""Process 4242: python train.py
Python v3.11.7 (/usr/bin/python3.11)

Thread 4242 (active+gil): "MainThread"
    step (train.py:12)
    <module> (train.py:20)
"""
WATCHDOG = (
    b"[rank3]:[E1130 10:00:00.123456789 ProcessGroupNCCL.cpp:683] [Rank 3] Watchdog caught collective operation "
    b"timeout: WorkNCCL(SeqNum=311, OpType=ALLREDUCE, NumelIn=1, NumelOut=1, Timeout(ms)=600000) ran for 600029 "
    b"milliseconds before timing out.\n"
)
COUNTERS = b'{"pytorch.wait_counter.x": {"active_count": 1, "max_time_us": 2, "total_calls": 1, "total_time_us": 2}}'
TABLES = b"--- Groups ---\nid    desc    size\n--- Memberships ---\n"


def of(data: bytes, name: str) -> Recognised:
    return recognise(Artifact(name, Body(size=len(data), inline=data), 0))


def parts(handler: bytes, *answers: bytes, head: bytes = b"") -> bytes:
    """A periodic dump as torch writes it: a part for each rank."""
    lines = [head] if head else []
    for rank, answer in enumerate(answers):
        lines += [b"=== Rank %d: http://node:%d/handler/%s ===" % (rank, 40_000 + rank, handler), answer]
    return b"\n".join(lines)


@pytest.mark.parametrize(
    ("name", "data", "kind"),
    [
        ("rank_1.json", JOB.as_json(1), ArtifactKind.RECORDER),
        ("nccl_trace_rank_1", JOB.as_pickle(1), ArtifactKind.RECORDER),
        ("part_1", JOB.as_json(1), ArtifactKind.RECORDER),
        ("rank_1", b' [\n{"record_id": 0, "pg_id": 0}]', ArtifactKind.RECORDER),
        (
            "rank_1.json",
            b'\xef\xbb\xbf{"version": "2.10", "nccl_comm_state": {}, "entries": []}',
            ArtifactKind.RECORDER,
        ),
        ("rank_1.txt", FAULTHANDLER, ArtifactKind.STACKS),
        ("rank_1.log", b"Fatal Python error: Aborted\n\n" + FAULTHANDLER, ArtifactKind.STACKS),
        ("rank_1.txt", b"Timeout (0:00:10)!\n" + FAULTHANDLER, ArtifactKind.STACKS),
        ("pyspy_rank_1.txt", PYSPY, ArtifactKind.STACKS),
        ("rank_1.json", PYSPY, ArtifactKind.STACKS),
        ("rank_1.txt", b"[2026-01-02T03:04:05Z WARN  py_spy] Failed\n" + PYSPY, ArtifactKind.STACKS),
        ("rank_1.txt", b"sh: 1: py-spy: not found\n", ArtifactKind.STACKS),
        ("rank_1.txt", b"", ArtifactKind.STACKS),
        ("a", parts(b"dump_traceback?", FAULTHANDLER, b"Error: 408"), ArtifactKind.PERIODIC_STACKS),
        ("a", parts(b"pyspy_dump?nonblocking=1", PYSPY), ArtifactKind.PERIODIC_PYSPY),
        ("a", parts(b"wait_counter_values?", COUNTERS, COUNTERS), ArtifactKind.PERIODIC_COUNTERS),
        ("a", parts(b"torchcomms_health_check?", b'{"healthy": true}'), ArtifactKind.PERIODIC_HEALTH),
        (
            "a",
            parts(b"dump_traceback?", b"Error: 408", head=b"PARTIAL DATA: 0/1 workers responded\n  Rank 0: Timeout\n"),
            ArtifactKind.PERIODIC_STACKS,
        ),
        ("stacks_20250923_065505.txt", b"PARTIAL DATA: 0/1 workers responded", ArtifactKind.PERIODIC_STACKS),
        ("a", b"=== FR Trace ===\n" + TABLES, ArtifactKind.PERIODIC_RECORDER),
        (
            "a",
            b"PARTIAL DATA: 1/2 workers responded\n  Rank 1: x\n\n=== FR Trace ===\n" + TABLES,
            ArtifactKind.PERIODIC_RECORDER,
        ),
        ("a", b"=== TorchComms FR Trace ===\n" + TABLES, ArtifactKind.PERIODIC_RECORDER),
        ("a", b"init/: b'1'\nrank0: b'http://h:1'\nodd: key: b\"it's\"", ArtifactKind.PERIODIC_STORE),
        ("tcpstore_20250923_065505.txt", b"", ArtifactKind.PERIODIC_STORE),
        ("wait_counters_rank_1.json", COUNTERS, ArtifactKind.COUNTERS),
        ("wait_counters_rank_1.json", b"{}\n", ArtifactKind.COUNTERS),
        ("rank_1", b'{"x": {"total_calls": 1}}', ArtifactKind.COUNTERS),
        ("train.log", b"step 1\nstep 2\n" + WATCHDOG, ArtifactKind.LOG),
        ("train.log", b"[default0]: " + FAULTHANDLER.replace(b"\n", b"\n[default0]: "), ArtifactKind.LOG),
        ("train.log", b"\0" * 900 + WATCHDOG, ArtifactKind.LOG),
        ("train.log", FAULTHANDLER + b"and then\nother\nwords\n" * 9, ArtifactKind.LOG),
        ("rank_1.json", WATCHDOG, ArtifactKind.LOG),
        ("x", b'{"schemaVersion": 1, "distributedInfo": {"pg_config": []}, "traceEvents": []}', ArtifactKind.TRACE),
        ("x", b'[{"name": "a", "ph": "X", "ts": 1}]', ArtifactKind.TRACE),
    ],
)
@pytest.mark.parametrize("packed", [False, True])
def test_kinds(name: str, data: bytes, kind: ArtifactKind, packed: bool) -> None:
    found = of(gzip.compress(data), f"{name}.gz") if packed else of(data, name)
    assert (found.kind, found.usable) == (kind, True)
    assert found.reason


@pytest.mark.parametrize(
    ("name", "data", "reason", "partial"),
    [
        ("README.md", b"# words", 'nothing that a job leaves: it begins with "# words"', False),
        ("notes", b"\x1b[31mred", 'nothing that a job leaves: it begins with "\\x1b[31mred"', False),
        ("notes.txt", b"words", "a text without stacks and without lines of NCCL's watchdog", False),
        ("rank_4.txt", b"words", "a text without stacks and without lines of NCCL's watchdog", True),
        ("config.json", b'{"lr": 1, "a": {"b": 2}}', "JSON that is none of what a job leaves (it has lr, a)", False),
        ("x.json", b"[1, 2]", "JSON without any names", False),
        ("x", b"", "empty", False),
        ("x", b" \n", "nothing but blanks", False),
        ("index", b"<!DOCTYPE html><title>x</title>", "an HTML page", False),
        ("core", b"\x7fELF\0\0\0", "binary data of an unknown kind", False),
        ("w.pt", b"\x80\x02\x8a\nl\xfc\x9cF\xf9 j\xa8P\x19.\x80\x02", "a checkpoint of torch.save; not read", False),
        (
            "state.pkl",
            pickle.dumps({"weights": 1}),
            "a pickle that is no flight recorder dump by its name or beginning; not loaded",
            False,
        ),
        ("rank_1.zst", b"\x28\xb5\x2f\xfd\0", "compressed with zstd; unpack it first", True),
        (
            "stack.txt",
            FAULTHANDLER,
            "stacks of one rank, but its name does not say of which: rename it to rank_N.txt",
            True,
        ),
        (
            "pyspy_4242.txt",
            PYSPY,
            "stacks of one rank, but its name does not say of which: rename it to rank_N.txt",
            True,
        ),
        (
            "counters",
            COUNTERS,
            "wait counters of one rank, but its name does not say of which: rename it to rank_N.json",
            True,
        ),
    ],
)
def test_what_cannot_be_used_gets_a_reason(name: str, data: bytes, reason: str, partial: bool) -> None:
    found = of(data, name)
    assert (found.reason, found.partial, found.usable) == (reason, partial, False)


@pytest.mark.parametrize("data", [b"", b"<html>502</html>", b'{"ok": false, "reason": "off"}', b"words", b"\0\1\2"])
def test_a_broken_file_named_as_a_dump_is_left_to_the_decoder(data: bytes) -> None:
    """It names the rank of which there is nothing, and has the better words."""
    found = of(data, "nccl_trace_rank_5")
    assert (found.kind, found.rank, found.usable) == (ArtifactKind.RECORDER, 5, True)
    with pytest.raises(DumpError):
        read_artifact(Artifact("nccl_trace_rank_5", Body(size=len(data), inline=data), 0))


class _Runs:
    def __reduce__(self) -> tuple[object, tuple[str]]:
        return Path.touch, (Path("ran"),)  # type: ignore[return-value]


@pytest.mark.parametrize("protocol", range(6))
def test_a_pickle_that_runs_commands_is_told_by_its_first_bytes_and_not_loaded(
    protocol: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    data = pickle.dumps({"entries": _Runs()}, protocol)
    found = of(data, "nccl_trace_rank_2")
    assert (found.kind, found.rank) == (ArtifactKind.RECORDER, 2)
    with pytest.raises(DumpError, match="pickle"):
        read_artifact(Artifact("nccl_trace_rank_2", Body(size=len(data), inline=data), 0))
    assert list(tmp_path.iterdir()) == []


def test_a_log_whose_lines_of_interest_stand_behind_the_first_part() -> None:
    filler = b"step 1 loss 0.5\n" * (HEAD // 8)
    assert of(filler, "train.log").kind is ArtifactKind.UNKNOWN
    assert of(filler + WATCHDOG + filler, "train.log").kind is ArtifactKind.LOG
    many = b"PARTIAL DATA: 0/9000 workers responded\n" + b"".join(
        b"  Rank %d: Timeout on reading\n" % n for n in range(9000)
    )
    assert len(many) > HEAD
    assert of(many + b"\n" + parts(b"dump_traceback?", b"Error: 408"), "a").kind is ArtifactKind.PERIODIC_STACKS


def test_rank_host_and_time_from_names() -> None:
    found = of(FAULTHANDLER, "stacks_rank3_20250923_065505.txt")
    assert (found.rank, found.host, found.taken_at) == (3, "", STAMP)
    found = of(JOB.as_pickle(1), "a/b/nccl_trace_rank_node-a02_5_20250923_065505.gz")
    assert (found.rank, found.host, found.taken_at) == (5, "node-a02", STAMP)
    found = of(parts(b"dump_traceback?", b"x"), "stacks_20250923_065505.txt")
    assert (found.rank, found.taken_at) == (None, STAMP)


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("rank_3.txt", (3, "")),
        ("rank3.stderr.log", (3, "")),
        ("node1_rank_9.log", (9, "node1")),
        ("pyspy_dump_rank_12.txt.gz", (12, "")),
        ("stacks_rank_3_pid_4242.txt", (3, "")),
        ("global_rank7.out", (7, "")),
        ("pyspy_48213.txt", None),
        ("frank_3x.txt", None),
        ("rank_9999999.txt", None),
        ("48213.txt", None),
    ],
)
def test_ranks_in_names_of_texts(name: str, told: tuple[int, str] | None) -> None:
    assert rank_in_name(name) == told


def test_one_that_cannot_be_read_says_so(tmp_path: Path) -> None:
    gone = Artifact("rank_1.txt", Body(size=5, path=tmp_path / "gone"), 0)
    found = recognise(gone)
    assert (found.kind, found.usable, found.partial) == (ArtifactKind.UNKNOWN, False, True)
    assert found.reason == "cannot be read: No such file or directory"


SEEDS = [JOB.as_json(0), FAULTHANDLER, PYSPY, WATCHDOG, COUNTERS, b"PARTIAL DATA: 1/2 workers responded\n", TABLES]
NAMES = ["rank_1.json", "rank_2.txt", "stacks_20250923_065505.txt", "x", "", "a" * 300, "tcpstore_20250923_065505.txt"]


@given(
    st.one_of(st.binary(max_size=600), st.text(max_size=300).map(str.encode), st.sampled_from(SEEDS)),
    st.binary(max_size=30),
    st.integers(0, 700),
    st.sampled_from(NAMES),
    st.booleans(),
)
@example(b"\x1f\x8b", b"", 0, "x", False)
@example(b"PK\x03\x04", b"", 0, "x", False)
@settings(deadline=None)
def test_any_bytes_are_recognised(data: bytes, noise: bytes, at: int, name: str, packed: bool) -> None:
    made = data[:at] + noise + data[at:]
    found = of(gzip.compress(made)[: len(made) + at] if packed else made, name)
    assert isinstance(found.kind, ArtifactKind)
    assert found.reason
    assert found.reason.isprintable()
    assert (found.kind is ArtifactKind.UNKNOWN) <= (not found.usable)


@pytest.mark.parametrize(
    "hostile",
    [
        b"{" + b'\\"' * 130_000,
        b'{"' + b'\\"' * 130_000,
        b"[" * 260_000,
        b'{"a":' * 50_000,
        b"x: b'" * 50_000,
        b"=== Rank 0: " * 20_000,
        b"Thread 0x1 [" + b"] " * 120_000,
        b'"' * 260_000,
    ],
    ids=["escapes", "open text", "brackets", "nested", "store", "parts", "names", "quotes"],
)
def test_hostile_texts_take_linear_time(hostile: bytes) -> None:
    """Quadratic search would take minutes on these."""
    recognise_head("rank_1", hostile[:HEAD], whole=False)
    recognise_head("rank_1", (b"[" + hostile)[:HEAD], whole=True)


def test_keys_deep_inside_do_not_count() -> None:
    inner = json.dumps({"a": {"b": {"entries": 1, "traceEvents": [], "active_count": 2}}}).encode()
    assert of(inner, "x").kind is ArtifactKind.UNKNOWN
