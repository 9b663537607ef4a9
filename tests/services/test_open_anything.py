"""What a job left behind, opened as a folder, as archives of it and mixed: the same answer each time."""

from __future__ import annotations

import gzip
import os
import pickle
import shutil
import tarfile
import tempfile
import zipfile
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import pytest

from tests.fakes.flight_recorder_jobs import Call, FakeGroup, FakeJob, Fault
from tests.fakes.replies import START
from tests.services.artifacts.log_texts import faulthandler_text, periodic_text, signal, status, timeout
from tests.services.artifacts.packed import tar_of, tar_record
from tests.services.bundle.making import whole
from tests.services.post_mortem.test_target import DUMPS, found, opened
from xpudbg.services import events
from xpudbg.services.attach_options import AttachOptions
from xpudbg.services.engine import Engine
from xpudbg.services.ranksets import RankSet
from xpudbg.services.report import document, render_text
from xpudbg.services.session import Phase, Session
from xpudbg.services.snapshot import RankClass
from xpudbg.services.targets import FilesTarget
from xpudbg.tui.commands.report import exit_code

STACKS = Path(__file__).parents[1] / "data" / "stacks"
RECORDED = Path(__file__).parents[3] / "shared" / "data" / "nvrx"
JOB = FakeJob(3, [FakeGroup("0", "default_pg", (0, 1, 2))], [Call("0")] * 9, faults=[Fault(1, 5, "stops")])


def packed(folder: Path, into: Path) -> dict[str, Path]:
    """Archives of a folder, by their form."""
    made = {"tar": into / "job.tar", "tgz": into / "job.tgz", "zip": into / "job.zip"}
    for form, mode in (("tar", "w"), ("tgz", "w:gz")):
        with tarfile.open(made[form], mode) as archive:  # type: ignore[call-overload]
            archive.add(folder, "job")
    with zipfile.ZipFile(made["zip"], "w", zipfile.ZIP_DEFLATED) as archive:
        for path in folder.rglob("*"):
            archive.write(path, f"job/{path.relative_to(folder)}")
    return made


def told(session: Session) -> tuple[object, ...]:
    """What a session says, without names of files."""
    made = document(session)
    return (
        found(session),
        [(one["text"], one["waiting"]) for one in made["findings"]],
        made["verdict"],
        made["partial"],
        made["missing"],
        len(made["files"]["could_not_be_used"]),
        exit_code(session),
    )


def job_files(folder: Path, ranks: Iterable[int] = range(3), job: FakeJob | None = None) -> Path:
    folder.mkdir(exist_ok=True)
    for rank in ranks:
        (folder / f"nccl_trace_rank_{rank}").write_bytes((job or JOB).as_json(rank))
    return folder


@pytest.mark.parametrize(
    ("name", "findings", "code"),
    [
        ("all-to-all-uneven/a", [], 0),
        ("all-to-all-uneven/b", [("mismatch", "certain", "")], 1),
        ("all-to-all-uneven/c", [], 0),
        ("all-to-all-uneven/d", [("mismatch", "likely", "")], 1),
        ("broken-and-partial-files", [("not_joined", "likely", "1-2")], 1),
        ("coalesced-missing-on-one-rank", [("not_joined", "certain", "2")], 1),
        ("completed-after-abort", [("aborted", "likely", "")], 1),
        ("gloo-empty-pg-config", [("not_joined", "likely", "1")], 1),
        ("group-desc-differs", [("not_joined", "certain", "1")], 1),
        ("guilty-rank-left-no-dump", [("no_dump", "likely", "0")], 1),
        ("hostile-frame-text", [("not_joined", "likely", "2")], 1),
        ("hostnames-in-file-names/pickles", [("not_joined", "certain", "9")], 1),
        ("minority-rank-is-the-outlier", [("mismatch", "likely", "0")], 1),
        ("only-active-dump", [("not_joined", "certain", "2")], 1),
        ("p2p-batch-healthy/a", [], 0),
        ("p2p-batch-healthy/b", [], 0),
        ("p2p-batch-healthy/c", [], 0),
        ("ring-buffers-wrapped-differently", [("not_joined", "certain", "1")], 1),
    ],
)
def test_dumps_say_the_same_in_any_packing(
    tmp_path: Path, name: str, findings: list[tuple[str, str, str]], code: int
) -> None:
    folder = tmp_path / "job"
    shutil.copytree(DUMPS / name, folder)
    session = opened(folder)
    assert (found(session), exit_code(session)) == (findings, code)
    for archive in packed(folder, tmp_path).values():
        assert told(opened(archive)) == told(session), archive.name


@pytest.mark.parametrize(
    ("kind", "text", "notes"),
    [
        (
            "faulthandler",
            "while 1 other waits in all_reduce at train_step (job/train.py:211)",
            [
                "stack of rank 3: the answer is empty",
                "stack of rank 1: cut at 100 threads, main thread not in the dump",
            ],
        ),
        (
            "pyspy",
            "while 1 other waits in all_reduce at train_step (train.py:211)",
            ["stack of rank 4: py-spy is not installed on this rank"],
        ),
    ],
)
def test_stacks_say_the_same_in_any_packing(tmp_path: Path, kind: str, text: str, notes: list[str]) -> None:
    folder = tmp_path / "job"
    folder.mkdir()
    for path in (STACKS / kind).glob("rank_*.txt"):
        shutil.copy(path, folder)
    session = opened(folder)
    assert text in session.verdict.summary
    assert session.latest is not None
    for note in notes:
        assert any(said.startswith(note) for said in session.latest.notes), session.latest.notes
    assert exit_code(session) == 4
    for archive in packed(folder, tmp_path).values():
        assert told(opened(archive)) == told(session), archive.name


@pytest.mark.skipif(not RECORDED.is_dir(), reason="the dumps of a real job of 16 ranks are not here")
@pytest.mark.parametrize(("name", "culprits"), [("gpu_error_1st", {12, 14}), ("lock_gil_1st", {9, 14})])
def test_a_real_job_of_16_ranks(tmp_path: Path, name: str, culprits: set[int]) -> None:
    session = opened(RECORDED / name)
    assert {rank for one in session.verdict.findings for rank in one.culprits} == culprits
    for archive in packed(RECORDED / name, tmp_path).values():
        assert told(opened(archive)) == told(session)


def test_paths_of_all_kinds_together(tmp_path: Path) -> None:
    """A folder, a packed file and an archive, each with one rank's dump: the same as all in one folder."""
    whole_job = opened(job_files(tmp_path / "all"))
    folder = job_files(tmp_path / "one", [0])
    alone = tmp_path / "nccl_trace_rank_1.gz"
    alone.write_bytes(gzip.compress(JOB.as_json(1)))
    job_files(tmp_path / "two", [2])
    archive = packed(tmp_path / "two", tmp_path)["tgz"]
    session = opened(folder, alone, archive)
    assert told(session) == told(whole_job)
    assert found(session) == [("not_joined", "certain", "1")]
    gone = opened(folder, alone, archive, tmp_path / "gone.json")
    assert found(gone) == found(session)
    assert document(gone)["files"]["could_not_be_used"][0]["reason"] == "does not exist"


def test_what_has_nothing_to_do_with_the_job_limits_nothing(tmp_path: Path) -> None:
    folder = tmp_path / "job"
    shutil.copytree(DUMPS / "p2p-batch-healthy" / "a", folder)
    (folder / "README").write_text("words")
    session = opened(folder)
    assert session.verdict.summary == "No problem found: the dumps of all 4 ranks agree."
    assert session.asides == ("1 sub-folder left aside, since the folder has files itself (-r takes them too)",)
    assert [one.name for one in session.unused] == ["README"]
    assert exit_code(session) == 0
    assert "aside    README: " in render_text(session)
    (folder / "nccl_trace_rank_9").write_bytes(b"")
    partial = opened(folder)
    assert partial.verdict.missing == RankSet([9])
    assert document(partial)["notes"] == [*partial.asides, "nccl_trace_rank_9: empty"]
    assert exit_code(partial) == 4


def test_of_very_many_other_files_some_are_named(tmp_path: Path) -> None:
    folder = job_files(tmp_path / "job")
    for number in range(1_200):
        (folder / f"file_{number:04}.txt").write_text("x")
    session = opened(folder)
    files = document(session)["files"]
    assert (len(files["left_aside"]), files["left_out"]) == (1_000, 200)
    assert "aside    990 more files" in render_text(session)
    assert not session.verdict.partial


def test_new_dumps_appear_when_the_files_are_read_again(tmp_path: Path) -> None:
    folder = tmp_path / "job"
    folder.mkdir()
    calls = iter((3, 6))

    def dump(stamp: str) -> None:
        job = FakeJob(3, [FakeGroup("0", "default_pg", (0, 1, 2))], [Call("0")] * next(calls))
        for rank in range(3):
            (folder / f"fr_rank_{rank}_{stamp}.json").write_bytes(job.as_json(rank))

    session = Session()
    dump("20250923_065505")
    with Engine() as engine:
        engine.attach(FilesTarget((folder,)), AttachOptions())
        _until_closed(engine, session)
        dump("20250923_065515")
        engine.look()
        _until_closed(engine, session)
    assert [look.id for look in session.looks] == [1, 2]
    first, second = session.looks
    assert second.taken_at - first.taken_at == 10 * 10**9
    assert session.recorder.moved == RankSet(range(3))


def _until_closed(engine: Engine, session: Session) -> list[events.Event]:
    said = []
    while True:
        event = engine.events.get(timeout=60)
        session.apply(event)
        said.append(event)
        assert not isinstance(event, events.EngineFailed), event
        if isinstance(event, events.TargetFailed) or (isinstance(event, events.LookClosed) and not event.more):
            return said


def test_looks_that_were_told_are_not_told_again(tmp_path: Path) -> None:
    for second, calls in ((5, 3), (15, 6), (25, 9)):
        job = FakeJob(2, [FakeGroup("0", "default_pg", (0, 1))], [Call("0")] * calls)
        for rank in range(2):
            (tmp_path / f"fr_rank_{rank}_20250923_0655{second:02}.json").write_bytes(job.as_json(rank))
    session = Session()
    with Engine() as engine:
        engine.attach(FilesTarget((tmp_path,)), AttachOptions())
        said = _until_closed(engine, session)
        assert [one.more for one in said if isinstance(one, events.LookClosed)] == [True, True, False]
        engine.look()
        _until_closed(engine, session)
    assert [look.id for look in session.looks] == [1, 2, 3, 4]
    assert session.looks[3].taken_at == session.looks[2].taken_at
    assert session.recorder.moved == RankSet(range(2))


def test_how_far_the_reading_is_is_told(tmp_path: Path) -> None:
    session = Session()
    with Engine() as engine:
        engine.attach(FilesTarget((job_files(tmp_path / "job"),)), AttachOptions())
        said = _until_closed(engine, session)
    told_so_far = [(one.done, one.count) for one in said if isinstance(one, events.TargetProgress) and one.count]
    assert told_so_far == [(1, 3), (2, 3), (3, 3)]
    assert session.reading is None


def test_a_bundle_beside_other_files_is_judged_with_them(tmp_path: Path) -> None:
    folder = job_files(tmp_path / "job", job=replace(JOB, start_ns=START))
    whole(folder / "incident.xpudbg")
    session = opened(folder)
    assert found(session) == [("not_joined", "certain", "1")]
    assert set(session.stacks.dumps) == {0, 1}
    assert set(session.stacks.missing) == {2}
    (note,) = session.asides
    assert note.startswith("incident.xpudbg: bundle of ")
    assert "opened alone it shows the ranks' classes too" in note
    assert len(session.looks) == 2
    assert told(opened(packed(folder, tmp_path)["tgz"])) == told(session)


def test_a_bundle_of_another_job_costs_the_certainty(tmp_path: Path) -> None:
    group = FakeGroup("0", "default_pg", (0, 1, 2, 3))
    job = FakeJob(4, [group], [Call("0")] * 9, faults=[Fault(1, 5, "stops")])
    for rank in range(4):
        (tmp_path / f"nccl_trace_rank_{rank}").write_bytes(job.as_json(rank))
    assert found(opened(tmp_path)) == [("not_joined", "certain", "1")]
    whole(tmp_path / "other.xpudbg")
    session = opened(tmp_path)
    assert found(session) == [("not_joined", "likely", "1")]
    assert session.notes[0] == (
        "other.xpudbg is of a job of 3 ranks, and there are files of rank 3: two jobs lie together"
    )


def test_a_bundle_that_is_cut_or_none_is_told(tmp_path: Path) -> None:
    folder = job_files(tmp_path / "job")
    data = whole(tmp_path / "whole.xpudbg").read_bytes()
    (folder / "cut.xpudbg").write_bytes(data[: len(data) // 2])
    (folder / "head.xpudbg").write_bytes(data[:90])
    session = opened(folder)
    assert found(session)[0] == ("not_joined", "certain", "1")
    reasons = {one.name: one.reason for one in session.unused if one.partial}
    assert reasons["cut.xpudbg"].startswith("cut: ")
    assert set(reasons) == {"cut.xpudbg", "head.xpudbg"}


def test_counters_from_before_a_traceback_that_did_not_come_tell_nothing(tmp_path: Path) -> None:
    late: list[str | tuple[int, str]] = [faulthandler_text(0), (408, "TimeoutError: ")]
    (tmp_path / "stacks_20250923_065510.txt").write_text(periodic_text("dump_traceback", late))
    counters = tmp_path / "wait_counters_20250923_065500.txt"
    counters.write_text(periodic_text("wait_counter_values", ["{}", "{}"]))
    assert opened(tmp_path).ranks[1].rank_class is RankClass.UNKNOWN
    counters.rename(tmp_path / "wait_counters_20250923_065512.txt")
    assert opened(tmp_path).ranks[1].rank_class is RankClass.GIL_HELD


def test_a_log_that_all_ranks_wrote_into_is_no_partial_answer(tmp_path: Path) -> None:
    lines = [text for rank in range(3) for text in (timeout(rank), status(rank, 311, 311, 310))]
    (tmp_path / "job.log").write_text("\n".join([*lines, signal(3, 310, 310)]))
    session = opened(tmp_path / "job.log")
    assert found(session) == [("not_joined", "likely", "3")]
    assert not session.verdict.missing
    assert session.recorded_stacks is None


def test_profiler_traces_alone_are_ranks_of_which_nothing_else_is_known(tmp_path: Path) -> None:
    for rank in range(2):
        (tmp_path / f"rank{rank}.pt.trace.json").write_text('{"schemaVersion": 1, "traceEvents": []}')
    session = opened(tmp_path)
    assert session.phase is Phase.OPEN
    assert session.post_mortem
    assert [state.address.file for state in session.ranks.values()] == ["rank0.pt.trace.json", "rank1.pt.trace.json"]
    assert "screen 6 shows them" in session.asides[0]
    assert exit_code(session) == 4


def test_a_text_that_is_cut_is_read_and_told(tmp_path: Path) -> None:
    whole_text = gzip.compress("\n".join(faulthandler_text(0, *range(1, 400)) for _ in range(3)).encode(), 1)
    (tmp_path / "rank_0.txt.gz").write_bytes(whole_text[: len(whole_text) * 3 // 4])
    session = opened(tmp_path)
    assert session.latest is not None
    assert session.latest.partial
    assert session.unused[0].reason.endswith("; what came is read")
    assert document(session)["partial"]


class _Runs:
    """A pickle that would make a file where it is loaded."""

    def __init__(self, file: Path) -> None:
        self._file = file

    def __reduce__(self) -> tuple[object, tuple[str, str]]:
        return open, (str(self._file), "w")


def test_hostile_files_get_a_reason_each_and_nothing_is_left_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    temporary, here = tmp_path / "tmp", tmp_path / "here"
    temporary.mkdir()
    here.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    monkeypatch.chdir(here)
    folder = job_files(tmp_path / "job")
    os.mkfifo(folder / "rank_10.json")
    (folder / "rank_11.json").symlink_to("/dev/zero")
    (folder / "nccl_trace_rank_12").write_bytes(pickle.dumps(_Runs(here / "RUN")))
    (folder / "nccl_trace_rank_13").write_bytes(pickle.dumps({"entries": [_Runs(here / "RUN")]}, 0))
    (folder / "rank_14.json.gz").write_bytes(gzip.compress(bytes(80 << 20)))
    members = [
        tar_record("../RUN", b"x"),
        tar_record("/RUN", b"x"),
        tar_record("rank_16", b"", tarfile.SYMTYPE),
        tar_record("rank_17.json", b"{}", size=1 << 50),
    ]
    (folder / "rank_15.tar").write_bytes(tar_of(members))
    (folder / "rank_18.txt").write_bytes(b"\0\xff" * 1_000)
    session = opened(folder)
    assert found(session) == [("not_joined", "certain", "1")]
    reasons = {one.name: one.reason for one in session.unused}
    assert reasons["rank_10.json"] == "a FIFO; not opened"
    assert reasons["rank_11.json"] == "a link to a character device; not opened"
    assert reasons["nccl_trace_rank_12"].endswith("refused, nothing was run")
    assert "refused" in reasons["nccl_trace_rank_13"]
    assert reasons["rank_14.json.gz"] == "gzip that expands more than 500 times; the rest is not read"
    assert reasons["rank_15.tar: ../RUN"] == "its name leads upwards (..); not read"
    assert reasons["rank_15.tar: /RUN"] == "its name is an absolute path; not read"
    assert reasons["rank_15.tar/rank_16"] == "a symbolic link; not followed"
    assert "rank_18.txt" in reasons
    assert session.latest is not None
    assert session.latest.partial
    assert [*temporary.iterdir(), *here.iterdir()] == []
