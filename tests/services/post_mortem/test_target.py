"""Folders of flight recorder dumps through the program's whole path, from the target to the report.

The folders are small dumps after real bug reports; who is at fault is known for each.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.fakes.flight_recorder_jobs import Call, FakeGroup, FakeJob, Fault
from tests.services.artifacts.log_texts import faulthandler_text, periodic_text
from xpudbg.services import events
from xpudbg.services.attach_options import AttachOptions
from xpudbg.services.engine import Engine
from xpudbg.services.ranksets import RankSet
from xpudbg.services.report import render_json, render_markdown, render_text
from xpudbg.services.session import Phase, Session
from xpudbg.services.targets import FilesTarget

DUMPS = Path(__file__).parents[2] / "data" / "flight_recorder"
KNOWN = "0-2"
LOGGED = """epoch 1
Current thread 0x00007f0000000000 (most recent call first):
  File "/job/train.py", line 3 in train_step
  File "/job/train.py", line 4 in <module>
"""


def opened(*paths: Path, options: AttachOptions | None = None) -> Session:
    session = Session()
    with Engine() as engine:
        engine.attach(FilesTarget(paths), options or AttachOptions())
        while True:
            event = engine.events.get(timeout=60)
            session.apply(event)
            assert not isinstance(event, events.EngineFailed), event
            if isinstance(event, events.TargetFailed) or (isinstance(event, events.LookClosed) and not event.more):
                return session


def found(session: Session) -> list[tuple[str, str, str]]:
    return [(one.kind, one.confidence.value, str(one.culprits)) for one in session.verdict.findings]


@pytest.mark.parametrize("form", ["", "pickles"])
@pytest.mark.parametrize(
    ("name", "findings", "partial"),
    [
        ("gloo-empty-pg-config", [("not_joined", "likely", "1")], False),
        ("coalesced-missing-on-one-rank", [("not_joined", "certain", "2")], False),
        ("minority-rank-is-the-outlier", [("mismatch", "likely", "0")], False),
        ("guilty-rank-left-no-dump", [("no_dump", "likely", "0")], True),
        ("completed-after-abort", [("aborted", "likely", "")], False),
        ("ring-buffers-wrapped-differently", [("not_joined", "certain", "1")], False),
        ("group-desc-differs", [("not_joined", "certain", "1")], False),
        ("broken-and-partial-files", [("not_joined", "likely", "1-2")], True),
        ("hostile-frame-text", [("not_joined", "likely", "2")], False),
        ("only-active-dump", [("not_joined", "certain", "2")], False),
    ],
)
def test_who_is_at_fault(name: str, findings: list[tuple[str, str, str]], partial: bool, form: str) -> None:
    session = opened(DUMPS / name / form)
    assert found(session) == findings
    assert json.loads(render_json(session))["partial"] is partial


@pytest.mark.parametrize("part", ["a", "b", "c"])
def test_healthy_p2p_batches_are_left_alone(part: str) -> None:
    session = opened(DUMPS / "p2p-batch-healthy" / part)
    assert found(session) == []
    assert session.verdict.summary.startswith("No problem found: the dumps of all ")


@pytest.mark.parametrize("form", ["pickles", "pickles2"])
def test_hosts_in_file_names(form: str) -> None:
    session = opened(DUMPS / "hostnames-in-file-names" / form)
    assert found(session) == [("not_joined", "certain", "9")]
    assert session.all_ranks == RankSet([5, 6, 8, 9])
    assert session.ranks[9].host in ("node-b07", "node2.pci3")


def test_a_file_that_can_not_be_used_gets_a_reason_and_no_pickle_is_run(tmp_path: Path, monkeypatch: object) -> None:
    session = opened(DUMPS / "broken-and-partial-files" / "pickles")
    assert session.latest is not None
    reasons = " | ".join(session.latest.notes)
    assert "nccl_trace_rank_3: a pickle that names code (posix.system); refused, nothing was run" in reasons
    assert "nccl_trace_rank_4: empty" in reasons
    assert not list(Path.cwd().glob("PWNED*"))


def test_the_text_has_no_classes_of_processes() -> None:
    session = opened(DUMPS / "coalesced-missing-on-one-rank")
    assert "unknown" not in render_text(session)
    assert "unknown" not in render_markdown(session)


def test_hostile_names_of_groups_are_shown_as_text() -> None:
    text = render_text(opened(DUMPS / "hostile-frame-text"))
    assert "\x1b" not in text
    assert "all_reduce #7 of TP [/x] \\x1b[31m" in text


def test_a_folder_without_dumps_fails_with_a_hint(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("hello")
    session = opened(tmp_path)
    assert session.phase is Phase.FAILED
    assert "nothing of use among 1 file (notes.txt: a text without stacks" in session.failure
    assert session.hint
    assert opened(tmp_path / "gone").phase is Phase.FAILED


def test_ranks_can_be_chosen_and_missing_ones_of_a_known_world_are_shown() -> None:
    folder = DUMPS / "coalesced-missing-on-one-rank"
    assert opened(folder, options=AttachOptions(ranks=RankSet([2]))).all_ranks == RankSet([2])
    assert opened(folder, options=AttachOptions(world_size=5)).all_ranks == RankSet.full(5)
    some = opened(folder, options=AttachOptions(ranks=RankSet([2, 9])))
    assert (some.all_ranks, some.notes[-1]) == (RankSet([2]), f"--ranks 9: the files are of ranks {KNOWN} only")
    none = opened(folder, options=AttachOptions(ranks=RankSet([9])))
    assert none.phase is Phase.FAILED
    assert none.failure.endswith(f"--ranks 9: the files are of ranks {KNOWN} only")


def test_why_a_file_is_of_no_use_is_said(tmp_path: Path) -> None:
    log, health = tmp_path / "train.log", tmp_path / "torchcomms_health_check_20260923_065505.txt"
    log.write_text(LOGGED)
    missing = (404, "Handler torchcomms_health_check not found")
    health.write_text(periodic_text("torchcomms_health_check", [missing, missing]))
    said = opened(log).failure
    assert "1 file (" in said
    assert "belongs to no known rank: the file's name says no rank: rename it to rank_N.log)" in said
    assert "no rank of the job has torchcomms, whose health checks it would hold)" in opened(health).failure
    named = tmp_path / "rank_3.log"
    named.write_bytes(log.read_bytes())
    assert 3 in opened(named).all_ranks


def test_a_store_alone_has_no_rank_and_none_to_come(tmp_path: Path) -> None:
    store = tmp_path / "tcpstore_20260923_065505.txt"
    store.write_text("foo: b'bar'\n")
    session = opened(store, tmp_path / "gone")
    assert (session.world_size, session.post_mortem, session.asks) == (0, True, False)
    assert session.verdict.summary == "no rank is known: these files hold the store's keys only (screen 7)"
    assert not session.verdict.under_way


def test_files_that_go_away_are_a_note_not_a_defect(tmp_path: Path) -> None:
    source = DUMPS / "coalesced-missing-on-one-rank"
    copies = [tmp_path / path.name for path in source.glob("rank_*.json")]
    for copy in copies:
        copy.write_bytes((source / copy.name).read_bytes())
    session = Session()
    with Engine() as engine:
        engine.attach(FilesTarget((tmp_path,)), AttachOptions())
        for number in range(2):
            closed = False
            while not closed:
                event = engine.events.get(timeout=60)
                session.apply(event)
                assert not isinstance(event, events.EngineFailed), event
                closed = isinstance(event, events.LookClosed)
            if number == 0:
                for copy in copies:
                    copy.unlink()
                engine.look()
    assert session.latest is not None
    assert session.latest.partial
    assert "could not be read again" in session.latest.notes[0]
    assert found(session) == [("not_joined", "certain", "2")]


WORLD = FakeGroup("0", "default_pg", (0, 1, 2))


def hung(calls: int, at: int) -> FakeJob:
    return FakeJob(3, [WORLD], [Call("0")] * calls, faults=[Fault(1, at, "stops")])


def write(folder: Path, job: FakeJob, ranks: range, name: str = "nccl_trace_rank_{}") -> None:
    folder.mkdir(exist_ok=True)
    for rank in ranks:
        (folder / name.format(rank)).write_bytes(job.as_json(rank))


def test_a_dump_with_nothing_in_it_is_known_and_one_that_can_not_be_read_says_why() -> None:
    session = opened(DUMPS / "broken-and-partial-files")
    assert session.verdict.missing == RankSet([3, 4, 5, 6])
    assert session.ranks[4].reason == "post mortem: no dump (empty)"
    assert session.ranks[1].reason == "post mortem: rank_1.json"


def test_dumps_with_nothing_in_them_are_no_sign_of_health(tmp_path: Path) -> None:
    for rank in range(3):
        (tmp_path / f"nccl_trace_rank_{rank}").write_text('{"version": "2.10", "entries": []}')
    assert opened(tmp_path).verdict.missing == RankSet([0, 1, 2])


def test_what_the_dumps_leave_out_or_say_in_several_ways_is_noted() -> None:
    active, differs = opened(DUMPS / "only-active-dump").latest, opened(DUMPS / "group-desc-differs").latest
    assert active is not None
    assert differs is not None
    assert any("active calls only" in note for note in active.notes)
    (note,) = (note for note in differs.notes if "several descriptions" in note)
    assert "'default_pg:split:2' on rank 1" in note


def test_dumps_of_two_jobs_for_one_rank_cost_the_certainty(tmp_path: Path) -> None:
    write(tmp_path / "one", hung(9, 5), range(3))
    assert found(opened(tmp_path / "one")) == [("not_joined", "certain", "1")]
    write(tmp_path / "two", hung(9, 5), range(3), "node-b_rank_{}")
    write(tmp_path / "two", hung(9, 5), range(1), "node-a_rank_{}")
    session = opened(tmp_path / "two")
    assert found(session) == [("not_joined", "likely", "1")]
    assert any("dumps from 2 hosts" in note for note in session.notes)


def test_dumps_of_two_runs_for_one_rank_cost_the_certainty(tmp_path: Path) -> None:
    write(tmp_path / "job", hung(9, 5), range(3), "fr_rank_{}_20250923_065510.json")
    earlier = FakeJob(3, [WORLD], [Call("0")] * 9, step_ns=7_000_000)
    write(tmp_path / "job", earlier, range(3), "fr_rank_{}_20250923_065505.json")
    session = opened(tmp_path / "job")
    assert found(session) == [("not_joined", "likely", "1")]
    assert "ranks 0-2: dumps of several runs lie together; the newest is judged" in session.notes


def test_an_older_dump_counts_as_none_and_is_said(tmp_path: Path) -> None:
    write(tmp_path, hung(9, 7), range(3))
    write(tmp_path, hung(3, 2), range(1, 2))
    session = opened(tmp_path)
    assert found(session) == [("no_dump", "possible", "1")]
    text = render_text(session)
    assert "Rank 1 left no flight recorder dump of the time of the others, and others wait in" in text
    assert "its dump is older than the others" in text


def test_everybody_inside_one_call_is_no_all_clear(tmp_path: Path) -> None:
    stuck = FakeJob(3, [WORLD], [Call("0")] * 9, faults=[Fault(rank, 4, "device") for rank in range(3)])
    write(tmp_path, stuck, range(3))
    session = opened(tmp_path)
    assert found(session) == [("device_stuck", "possible", "")]
    assert session.verdict.summary.startswith(
        "Everybody waits inside all_reduce #5 of default_pg and nobody has completed it: a device or the network"
    )


def test_answers_of_the_day_before_say_nothing_of_a_job_that_went_on(tmp_path: Path) -> None:
    """The sweep of another day found rank 2 dead and rank 0 elsewhere; since then all of them have made calls."""
    write(tmp_path, hung(9, 5), range(3))
    answers: list[str | tuple[int, str]] = [faulthandler_text(0), faulthandler_text(1), (503, "Connection refused")]
    for hour in (10, 11):
        text = periodic_text("dump_traceback", answers)
        (tmp_path / f"stacks_20261129_{hour}0000.txt").write_text(text)
    session = opened(tmp_path)
    assert found(session) == [("not_joined", "certain", "1")]
    assert session.latest is not None
    (note,) = (note for note in session.latest.notes if "left out" in note)
    assert note.startswith("of ranks 0-2 stacks or other answers are left out")
