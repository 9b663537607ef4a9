"""A healthy job of any shape, any backend and any group layout accuses nobody."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.fakes.flight_recorder_jobs import FakeJob
from xpudbg.services.flight_recorder.diagnosis import diagnose
from xpudbg.services.flight_recorder.slow import find_slow

from .job_shapes import BACKENDS, group_layouts, programs, rings
from .looking import analysed


@given(st.data())
@settings(max_examples=120, deadline=None)
def test_no_finding(data: st.DataObject) -> None:
    world, groups = data.draw(group_layouts())
    backend = data.draw(st.sampled_from(BACKENDS))
    job = FakeJob(
        world,
        groups,
        data.draw(programs(groups)),
        backend=backend,
        version=data.draw(st.sampled_from(["2.1", "2.4", "2.7", "2.9", "2.10", "3.0"])),
        run_ahead=data.draw(st.integers(1, 4)),
        rings=data.draw(rings(world)),
        timing=data.draw(st.booleans()),
        first_record=data.draw(st.dictionaries(st.integers(0, world - 1), st.integers(0, 2**63))),
        first_seq=data.draw(st.sampled_from([0, 1000, 2**40])),
        frames=data.draw(st.booleans()),
    )
    assert job.open_ranks == set()
    only_active = backend != "gloo" and data.draw(st.booleans())
    form = data.draw(st.sampled_from(["json", "pickle"]))
    look = analysed(job, form=form, only_active=only_active)
    for diagnosis in (diagnose(look), diagnose(look, live=True), diagnose(look, look)):
        assert diagnosis.findings == ()
        assert diagnosis.passing == ()
    assert find_slow(look) == ()


@given(st.data())
@settings(max_examples=60, deadline=None)
def test_a_moving_job_is_no_hang(data: st.DataObject) -> None:
    """Caught twice between two calls: what would be a finding if it stayed so is none."""
    world, groups = data.draw(group_layouts())
    program = data.draw(programs(groups, longest=10)) + data.draw(programs(groups, longest=10))
    caught = [data.draw(st.integers(0, len(program))) for _ in range(2)]
    looks = [
        analysed(
            FakeJob(world, groups, program[:stop], faults=[], backend=data.draw(st.sampled_from(["nccl", "gloo"]))),
        )
        for stop in sorted(caught)
    ]
    assert diagnose(looks[1], looks[0], live=True).findings == ()
