"""What the recorders of a look say of all ranks together."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.fakes.flight_recorder_jobs import Call, FakeGroup, FakeJob, Fault
from xpudbg.services.flight_recorder.analysis import Analysis, analyse
from xpudbg.services.flight_recorder.decode import decode
from xpudbg.services.flight_recorder.diagnosis import SOON_S, diagnose
from xpudbg.services.looks.recorders import RecorderLook
from xpudbg.services.ranksets import RankSet

JOB = FakeJob(3, [FakeGroup("0", "default_pg", (0, 1, 2))], [Call("0")] * 9, faults=[Fault(1, 5, "stops")])


def at(waited_s: float) -> Analysis:
    """The job some seconds after its last call."""
    dumps = [decode(JOB.as_json(rank), rank) for rank in range(3)]
    newest = max(int(dump.entries.created.max()) for dump in dumps)
    return analyse([replace(dump, taken_at=newest + int(waited_s * 1e9)) for dump in dumps])


@pytest.mark.parametrize(("waited_s", "rested"), [(3.0, RankSet()), (SOON_S, RankSet([0, 1, 2]))])
def test_ranks_have_rested_when_their_newest_call_is_older_than_a_step_may_be(waited_s: float, rested: RankSet) -> None:
    look = RecorderLook(2, {"fr_trace_json": diagnose(at(waited_s), at(waited_s - 1.5), live=True)})
    assert look.stood == RankSet([0, 1, 2])
    assert look.rested == rested
