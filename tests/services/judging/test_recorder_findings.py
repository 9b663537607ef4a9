"""The sentences of the flight recorder's findings, on made-up jobs whose fault is known."""

from __future__ import annotations

from dataclasses import replace

from tests.fakes.flight_recorder_jobs import Call, FakeGroup, FakeJob, Fault
from tests.services.flight_recorder.looking import analysed
from xpudbg.services.findings import Confidence, Finding, Severity
from xpudbg.services.flight_recorder.analysis import Analysis, analyse
from xpudbg.services.flight_recorder.decode import decode
from xpudbg.services.flight_recorder.diagnosis import SOON_S, FlightFinding, diagnose
from xpudbg.services.flight_recorder.slow import SlowRank, Statistic
from xpudbg.services.judging.recorder_findings import recorder_findings
from xpudbg.services.judging.witness import Witness
from xpudbg.services.looks.recorders import DUMP_FILE, RecorderLook, SlowIn
from xpudbg.services.ranksets import RankSet
from xpudbg.services.snapshot import RankAddress, RankState

WORLD = FakeGroup("0", "default_pg", (0, 1, 2, 3))
TP = (FakeGroup("1", "tp", (0, 1)), FakeGroup("2", "tp", (2, 3)))
STEP = [Call("1"), Call("2"), Call("0")]


class Seen(Witness):
    """What a test says of the stacks."""

    def __init__(
        self,
        waits: tuple[int, ...] = (),
        stands: tuple[int, ...] = (),
        may_wait: tuple[int, ...] = (),
        gone: tuple[int, ...] = (),
    ) -> None:
        super().__init__()
        self._waits, self._stands, self._may_wait, self._gone = waits, (*stands, *gone), may_wait, gone

    def waits(self, rank: int) -> bool:
        return rank in self._waits

    def stands(self, rank: int) -> bool:
        return rank in self._stands

    def may_wait(self, rank: int) -> bool:
        return rank in self._may_wait

    def gone(self, rank: int) -> bool:
        return rank in self._gone


def found(
    *faults: Fault, waits: tuple[int, ...] = (), may_wait: tuple[int, ...] = (), backend: str = "nccl"
) -> list[Finding]:
    job = FakeJob(4, [WORLD, *TP], STEP * 3, faults=faults, backend=backend)
    look = RecorderLook(1, {"dump_nccl_trace_json": diagnose(analysed(job))})
    return recorder_findings(
        look, lambda ranks: f"rank{'s' if len(ranks) > 1 else ''} {ranks}", Seen(waits=waits, may_wait=may_wait)
    )


def test_not_joined() -> None:
    (one,) = found(Fault(3, 2, "stops"))
    assert one.text.startswith("Rank 3 has not joined all_reduce #2 of tp; ranks 0-2 wait")
    assert one.text.endswith("1 other group waits behind it.")
    assert (one.kind, one.seq, str(one.waiting)) == ("not_joined", 2, "0-2")
    assert one.group is not None
    assert (one.group.desc, one.group.ranks) == ("tp", RankSet([2, 3]))


def without_dumps(*ranks: int, asked: tuple[int, ...], source: str = "fr_trace_json") -> Finding:
    """What is said of a job whose rank 3 has not come to a call, where some ranks brought no dump."""
    job = FakeJob(4, [WORLD], [Call("0")] * 3, faults=[Fault(3, 1, "stops")])
    dumps = [decode(job.as_json(rank), rank) for rank in range(4) if rank not in ranks]
    table = {rank: RankState(rank, RankAddress(rank, "", "", "")) for rank in asked}
    look = RecorderLook(1, {source: diagnose(analyse(dumps))})
    (one,) = recorder_findings(look, lambda some: f"ranks {some}", Witness(table))
    return one


def test_ranks_that_nobody_asked_are_not_accused_of_having_no_dump() -> None:
    assert without_dumps(3, asked=(0, 1, 2, 3)).culprits == RankSet([3])
    one = without_dumps(3, asked=(0, 1, 2))
    assert (one.kind, one.culprits, one.confidence) == ("no_dump", RankSet(), Confidence.POSSIBLE)
    assert one.text.startswith("Who holds up all_reduce #2 of default_pg is not to be seen: rank 3 is not among ")
    some = without_dumps(2, 3, asked=(0, 1, 2))
    assert some.culprits == RankSet([2])
    assert some.text.endswith(" But rank 3 is not among the ranks looked at.")
    assert without_dumps(3, asked=(0, 1, 2), source=DUMP_FILE).culprits == RankSet([3]), "of files nobody is asked"


def test_a_rank_that_waits_by_its_stack_is_held_up_beside_the_one_that_does_not() -> None:
    (one,) = found(Fault(1, 3, "stops"), Fault(3, 3, "stops"), waits=(1,))
    assert (one.culprits, one.waiting) == (RankSet([3]), RankSet([0, 1, 2]))
    assert one.text.startswith("Rank 3 has not joined ")
    assert one.severity is Severity.CRITICAL


def test_where_all_that_have_not_joined_wait_themselves_it_is_only_possible() -> None:
    (one,) = found(Fault(3, 2, "stops"), waits=(3,))
    assert (one.culprits, one.severity, one.confidence) == (RankSet([3]), Severity.WARNING, Confidence.POSSIBLE)
    assert one.text.endswith("By its stack it waits in communication itself.")


def test_a_rank_at_a_line_that_waits_in_c_is_held_up_and_nothing_is_certain() -> None:
    (one,) = found(Fault(1, 3, "stops"), Fault(3, 3, "stops"))
    assert (one.culprits, one.confidence) == (RankSet([1, 3]), Confidence.CERTAIN)
    (one,) = found(Fault(1, 3, "stops"), Fault(3, 3, "stops"), may_wait=(1,))
    assert (one.culprits, one.waiting, one.confidence) == (RankSet([3]), RankSet([0, 1, 2]), Confidence.LIKELY)
    (one,) = found(Fault(1, 3, "stops"), Fault(3, 3, "stops"), waits=(3,), may_wait=(1,))
    assert (one.culprits, one.confidence) == (RankSet([1, 3]), Confidence.POSSIBLE)
    assert one.text.endswith("By their stacks they wait in communication themselves.")


def test_where_gloo_accuses_several_ranks_it_is_said_that_one_may_wait_for_another() -> None:
    stops = Fault(1, 3, "stops"), Fault(3, 3, "stops")
    (one,) = found(*stops, backend="gloo")
    assert one.culprits == RankSet([1, 3])
    assert "One of these may wait for another one in what neither Gloo's recorder nor" in one.refutation
    (one,) = found(*stops)
    assert "One of these may wait" not in one.refutation


def early(beside: Witness, waited_s: float = 4.0) -> Finding:
    """What is said of a job that stands in its first step, at the second look."""
    job = FakeJob(4, [WORLD], [Call("0")] * 3, faults=[Fault(1, 1, "stops"), Fault(3, 1, "stops")])

    def at(waited: float) -> Analysis:
        dumps = [decode(job.as_json(rank), rank) for rank in range(4)]
        newest = max(int(dump.entries.created.max()) for dump in dumps)
        return analyse([replace(dump, taken_at=newest + int(waited * 1e9)) for dump in dumps])

    look = RecorderLook(2, {"fr_trace_json": diagnose(at(waited_s), at(waited_s - 1.5), live=True)})
    (one,) = recorder_findings(look, lambda ranks: f"rank {ranks}", beside)
    return one


def test_in_a_young_job_a_rank_that_only_is_not_there_yet_is_not_accused() -> None:
    one = early(Seen(stands=(1,)))  # and nobody knows what 3 does
    assert (one.severity, one.confidence, one.culprits) == (Severity.INFO, Confidence.POSSIBLE, RankSet([1, 3]))
    assert one.text.endswith("The job has not run for long enough to tell a rank that hangs from a slow one.")
    assert early(Seen(stands=(1,)), waited_s=40.0).severity is Severity.CRITICAL


def test_in_a_young_job_a_stack_that_stands_still_speaks_against_a_rank_after_some_time() -> None:
    """A first batch of some seconds stands at one line too: at first nobody is accused, then it is only possible."""
    assert early(Seen(stands=(1, 3))).severity is Severity.INFO
    later = early(Seen(stands=(1, 3)), waited_s=SOON_S)
    assert (later.severity, later.confidence) == (Severity.WARNING, Confidence.POSSIBLE)
    assert later.refutation.endswith("The job has just begun, and a first step that takes long looks the same.")
    beside_one_that_waits = early(Seen(stands=(1,), waits=(3,)), waited_s=SOON_S)
    assert (beside_one_that_waits.severity, beside_one_that_waits.culprits) == (Severity.WARNING, RankSet([1]))
    assert early(Seen(waits=(1, 3)), waited_s=SOON_S).severity is Severity.INFO


def test_long_times_are_told_in_minutes() -> None:
    one = early(Seen(stands=(1, 3)), waited_s=340.4)
    assert one.text.endswith(" wait for 5 m 40 s.")
    assert "its timeout of 10 m 00 s strikes in 4 m 20 s" in [line.text for line in one.evidence]


def test_in_a_young_job_a_rank_that_is_gone_is_accused_at_once() -> None:
    assert early(Seen(gone=(1, 3))).severity is Severity.CRITICAL
    assert early(Seen(gone=(1,), waits=(3,))).severity is Severity.CRITICAL
    assert early(Seen(gone=(1,), stands=(3,))).severity is Severity.INFO


def after_many_steps(beside: Witness, waited_s: float) -> Finding:
    """What is said of rank 1, which stops after many short steps, at the second look."""
    job = FakeJob(4, [WORLD], [Call("0")] * 40, faults=[Fault(1, 30, "stops")], step_ns=500_000_000)

    def at(waited: float) -> Analysis:
        dumps = [decode(job.as_json(rank), rank) for rank in range(4)]
        newest = max(int(dump.entries.created.max()) for dump in dumps)
        return analyse([replace(dump, taken_at=newest + int(waited * 1e9)) for dump in dumps])

    look = RecorderLook(2, {"fr_trace_json": diagnose(at(waited_s), at(waited_s - 1.5), live=True)})
    (one,) = recorder_findings(look, lambda ranks: f"rank {ranks}", beside)
    return one


def test_a_wait_of_seconds_is_only_possible_to_be_a_hang_after_many_short_steps_too() -> None:
    soon = after_many_steps(Seen(stands=(1,)), 3.0)
    assert (soon.severity, soon.confidence, soon.culprits) == (Severity.WARNING, Confidence.POSSIBLE, RankSet([1]))
    assert soon.refutation.endswith("So soon, a step or an evaluation that takes some seconds looks the same.")
    assert after_many_steps(Seen(stands=(1,)), SOON_S).severity is Severity.CRITICAL
    assert after_many_steps(Seen(gone=(1,)), 3.0).severity is Severity.CRITICAL


class Excusing(Witness):
    def excuses(self, one: FlightFinding) -> bool:
        return one.kind == "not_joined"


def test_a_rank_at_what_takes_long_in_every_job_is_named_and_not_accused() -> None:
    one = after_many_steps(Excusing(), 20.0)
    assert (one.severity, one.confidence, one.culprits) == (Severity.INFO, Confidence.POSSIBLE, RankSet([1]))
    assert one.text.endswith("Compiling, imports and checkpoints take long in every job.")


def test_device_stuck() -> None:
    (one,) = found(Fault(2, 1, "device"))
    assert one.kind == "device_stuck"
    assert one.text.startswith("Rank 2 has joined all_reduce #1 of default_pg and not completed it on the device; ")


def test_mismatch_says_in_what() -> None:
    wrong = Call("0", inputs=((512,),), outputs=((512,),))
    (one,) = found(Fault(1, 1, "wrong", wrong))
    assert one.kind == "mismatch"
    assert "Rank 1 calls something else than the others in all_reduce #1 of default_pg" in one.text
    assert "they differ in size (ranks 0,2-3 in [1024] out [1024]; rank 1 in [512] out [512])" in one.text


def test_a_slow_rank_is_told_and_not_accused() -> None:
    slow = SlowRank(3, 0, Statistic.WAITS, 200, 0.97, 0.031, 0.002, RankSet([0, 1, 2]), {})
    group = analysed(FakeJob(4, [WORLD], [Call("0")])).job.groups[0]
    (one,) = recorder_findings(RecorderLook(1, {}, slow=(SlowIn(slow, group),)), lambda ranks: f"rank {ranks}")
    assert (one.kind, one.severity, one.confidence) == ("slow_rank", Severity.INFO, Confidence.LIKELY)
    assert one.text == ("Rank 3 is slow: it comes last in 97% of 200 collectives, by 31 ms in the median (default_pg).")


def test_a_healthy_job_has_none() -> None:
    assert found() == []
