"""The recorded cases: each was reported by somebody whom an analyzer led astray or left without an answer."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from xpudbg.services.findings import Confidence, Severity
from xpudbg.services.flight_recorder.causes import Kind
from xpudbg.services.flight_recorder.decode import stack_of
from xpudbg.services.flight_recorder.mismatch import What
from xpudbg.services.flight_recorder.sizes import PairDifference
from xpudbg.services.flight_recorder.tables import CollectivesTable

from .looking import DATA, analysed, diagnosed, loaded, said, the_finding

both_forms = pytest.mark.parametrize("form", [".", "pickles"])


@both_forms
def test_gloo_with_an_empty_group_table(form: str) -> None:
    diagnosis = diagnosed(f"gloo-empty-pg-config/{form}")
    finding = the_finding(diagnosis)
    assert said(finding) == ("not_joined", "1", "0,2", "all_reduce", 4)
    assert finding.group is not None
    assert finding.group.inferred
    assert str(finding.group.members) == "0-2"
    assert finding.confidence is Confidence.LIKELY
    assert diagnosis.analysis.mismatches == ()
    assert diagnosis.analysis.matched.ended.sum() == 9


@both_forms
def test_a_coalesced_collective_is_one_call(form: str) -> None:
    finding = the_finding(diagnosed(f"coalesced-missing-on-one-rank/{form}"))
    assert said(finding) == ("not_joined", "2", "0-1", "all_gather", 2)
    assert finding.inner == 3
    assert finding.confidence is Confidence.CERTAIN
    assert [(follower.seq, follower.op, follower.current) for follower in finding.followers] == [
        (3, "nccl:all_reduce", False)
    ]


@both_forms
@pytest.mark.parametrize("part", ["a", "b", "c"])
def test_healthy_batches_of_sends_and_receives(part: str, form: str) -> None:
    diagnosis = diagnosed(f"p2p-batch-healthy/{part}/{form}")
    assert diagnosis.findings == diagnosis.passing == ()


@both_forms
@pytest.mark.parametrize("part", ["a", "c"])
def test_uneven_all_to_all_is_fine(part: str, form: str) -> None:
    assert diagnosed(f"all-to-all-uneven/{part}/{form}").findings == ()


@both_forms
def test_all_to_all_pairs_that_disagree_are_named(form: str) -> None:
    finding = the_finding(diagnosed(f"all-to-all-uneven/b/{form}"))
    assert said(finding) == ("mismatch", "", "0-1", "all_to_all", 1)
    assert finding.mismatch is not None
    assert finding.mismatch.pairs == (PairDifference(0, 1, 3, 1), PairDifference(1, 0, 1, 3))
    assert [evidence.text for evidence in finding.evidence[:2]] == [
        "0 -> 1: 3 elements sent, 1 expected",
        "1 -> 0: 1 elements sent, 3 expected",
    ]


@both_forms
def test_all_to_all_totals_that_disagree_name_nobody(form: str) -> None:
    finding = the_finding(diagnosed(f"all-to-all-uneven/d/{form}"))
    assert said(finding) == ("mismatch", "", "0-1", "all_to_all", 1)
    assert finding.mismatch is not None
    assert finding.mismatch.totals == (16, 14)


@both_forms
def test_the_minority_is_the_odd_one_out(form: str) -> None:
    finding = the_finding(diagnosed(f"minority-rank-is-the-outlier/{form}"))
    assert said(finding) == ("mismatch", "0", "1-7", "all_reduce", 39)
    assert finding.mismatch is not None
    assert finding.mismatch.what is What.SIZE
    assert [(str(variant.ranks), variant.said.inputs) for variant in finding.mismatch.variants] == [
        ("1-7", ((262144,),)),
        ("0", ((1025,),)),
    ]
    assert any(evidence.text.endswith("no stack recorded on rank 0") for evidence in finding.evidence)


@pytest.mark.parametrize(("folder", "host"), [("pickles", "node-b07"), ("pickles2", "node2.pci3")])
def test_hosts_in_file_names(folder: str, host: str, tmp_path: Path) -> None:
    shutil.copytree(DATA / "hostnames-in-file-names" / folder, tmp_path / "dumps")
    (tmp_path / "dumps" / ".nccl_trace.json.swp").write_text("{}")
    finding = the_finding(diagnosed(tmp_path / "dumps"))
    assert said(finding) == ("not_joined", "9", "5-6,8", "all_reduce", 2)
    read = loaded(tmp_path / "dumps")
    assert [(dump.rank, dump.host) for dump in read.dumps][-1] == (9, host)
    assert (".nccl_trace.json.swp", "a hidden file") in [(one.name, one.reason) for one in read.left_aside]
    assert read.failed == ()


@both_forms
def test_the_guilty_rank_left_no_dump(form: str) -> None:
    finding = the_finding(diagnosed(f"guilty-rank-left-no-dump/{form}"))
    assert said(finding) == ("no_dump", "0", "1", "all_reduce", 2)
    assert finding.confidence is Confidence.LIKELY
    assert finding.severity is Severity.WARNING


@both_forms
def test_completed_because_of_the_abort(form: str) -> None:
    finding = the_finding(diagnosed(f"completed-after-abort/{form}"))
    assert said(finding) == ("aborted", "", "0-2", "all_reduce", 2)
    assert (finding.overran_s, finding.timeout_s) == (1860.0, 1800.0)
    assert [follower.seq for follower in finding.followers] == [3]


@both_forms
def test_rings_that_wrapped_at_different_points(form: str) -> None:
    analysis = analysed(f"ring-buffers-wrapped-differently/{form}")
    table = CollectivesTable(analysis)
    rows = {row.collective_seq_id: row for row in map(table.__getitem__, range(len(table)))}
    assert [rows[seq].missing_ranks for seq in (50, 51, 52, 53, 54)] == [None, None, None, None, (1,)]
    finding = the_finding(diagnosed(f"ring-buffers-wrapped-differently/{form}"))
    assert said(finding) == ("not_joined", "1", "0,2-3", "reduce_scatter_base", 54)
    assert finding.confidence is Confidence.CERTAIN


@both_forms
def test_a_group_described_differently_is_one_group(form: str) -> None:
    diagnosis = diagnosed(f"group-desc-differs/{form}")
    assert said(the_finding(diagnosis)) == ("not_joined", "1", "0", "all_reduce", 2)
    assert len(diagnosis.analysis.job.groups) == 1
    assert any("several descriptions" in note for note in diagnosis.notes)


def test_broken_files_do_not_stop_the_good_ones() -> None:
    read = loaded("broken-and-partial-files")
    assert {one.name: one.reason for one in read.failed} == {
        "rank_3.json": 'not a dump: "flight recorder is off on this rank (buffer size 0)"',
        "rank_4.json": "empty",
        "rank_5.json": "cut at byte 843",
        "rank_6.json": "not a dump: an HTML page titled '502 Bad Gateway'",
    }
    assert read.partial
    finding = the_finding(diagnosed("broken-and-partial-files"))
    assert said(finding) == ("not_joined", "1-2", "0,7", "all_reduce", 2)
    assert finding.confidence is Confidence.LIKELY
    assert str(finding.silent) == "1-2"
    assert str(finding.unknown) == "3-6"


def test_a_hostile_pickle_is_never_run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    read = loaded("broken-and-partial-files/pickles")
    assert {one.name: one.reason for one in read.failed} == {
        "nccl_trace_rank_3": "a pickle that names code (posix.system); refused, nothing was run",
        "nccl_trace_rank_4": "empty",
        "nccl_trace_rank_5": "a pickle cut at byte 617",
        "nccl_trace_rank_7": "a pickle that names code (torch_npu_private.trace.Dump); refused, nothing was run",
    }
    assert list(tmp_path.iterdir()) == []
    assert said(the_finding(diagnosed("broken-and-partial-files/pickles"))) == (
        *("not_joined", "1-2", "0,6", "all_reduce"),
        2,
    )


@both_forms
def test_hostile_texts_are_kept_as_they_are(form: str) -> None:
    diagnosis = diagnosed(f"hostile-frame-text/{form}")
    finding = the_finding(diagnosis)
    assert said(finding) == ("not_joined", "2", "0-1", "all_reduce", 7)
    assert (finding.confidence, str(finding.silent)) == (Confidence.LIKELY, "2")
    assert finding.group is not None
    assert finding.group.desc == "TP [/x] \x1b[31m"
    first, second = (dump.entries.tables for dump in diagnosis.analysis.job.dumps[:2])
    assert any("[/rank0]" in frame.name for frame in stack_of(first.stacks[0]))
    assert len(stack_of(second.stacks[0])) == 1000


@both_forms
def test_a_dump_of_active_calls_only(form: str) -> None:
    diagnosis = diagnosed(f"only-active-dump/{form}")
    finding = the_finding(diagnosis)
    assert said(finding) == ("not_joined", "2", "0", "broadcast", 9)
    assert finding.kind is Kind.NOT_JOINED
    assert any("active calls only" in note for note in diagnosis.notes)
    assert any(evidence.text == "rank 1 has completed it" for evidence in finding.evidence)
