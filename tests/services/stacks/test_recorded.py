"""Stacks that flight recorders kept of the calls that are not over."""

from __future__ import annotations

from tests.fakes.flight_recorder_jobs import Call, FakeGroup, FakeJob, Fault
from xpudbg.services.flight_recorder.decode import decode
from xpudbg.services.looks.recorders import RecorderAnalyst
from xpudbg.services.looks.stacks import StackLook
from xpudbg.services.ranksets import RankSet
from xpudbg.services.stacks.model import StackSource
from xpudbg.services.stacks.recorded import recorded_stacks

WORLD = FakeGroup("0", "default_pg", (0, 1, 2, 3))


def kept(*, frames: bool, form: str = "json") -> StackLook:
    """Rank 2 stops; rank 3 leaves no dump."""
    job = FakeJob(4, [WORLD], [Call("0")] * 4, faults=[Fault(2, 2, "stops")], frames=frames)
    make = job.as_json if form == "json" else job.as_pickle
    dumps = [decode(make(rank), rank) for rank in range(3)]
    look = RecorderAnalyst(()).judge_files(7, 0, dumps, 4, {3: "empty"})
    return recorded_stacks(look, RankSet.full(4))


def test_the_ranks_inside_a_call_have_the_stack_of_who_made_it() -> None:
    for form in ("json", "pickle"):
        look = kept(frames=True, form=form)
        assert look.look_id == 7
        assert RankSet(look.dumps) == RankSet([0, 1])
        assert {dump.source for dump in look.dumps.values()} == {StackSource.RECORDER}
        main = look.main(1)
        assert main is not None
        assert [str(frame) for frame in main.frames] == [
            "forward (/job/train_1.py:100)",
            "step (/job/train_1.py:101)",
            "<module> (/job/train_1.py:102)",
        ]
        assert look.merged.ranks == RankSet([0, 1])
        assert look.missing == {2: "its dump shows it inside no call", 3: "no dump: empty"}


def test_a_recorder_without_frames_says_so() -> None:
    look = kept(frames=False)
    assert not look.dumps
    assert look.missing[0] == "its dump has no frames of the call it is in"
