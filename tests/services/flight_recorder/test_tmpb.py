from hypothesis import given, settings
from hypothesis import strategies as st

from tests.fakes.flight_recorder_jobs import *
from xpudbg.services.ranksets import RankSet

from .job_shapes import group_layouts, programs, rings
from .looking import *


@given(st.data())
@settings(max_examples=4000, deadline=None)
def test_x(data):
    world, groups = data.draw(group_layouts())
    backend = data.draw(st.sampled_from(["nccl", "gloo"]))
    program = [call for call in data.draw(programs(groups, longest=16)) if backend != "gloo" or not call.pairs]
    guilty = data.draw(st.integers(0, world - 1))
    kind=data.draw(st.sampled_from(["stops","device"]))
    if kind=='device': program=[c for c in program if c.op!='brand_new_op' and not c.pairs]
    j = FakeJob(world,groups,program,backend=backend,faults=[Fault(guilty, data.draw(st.integers(0, 8)), kind)],run_ahead=data.draw(st.integers(1, 3)),rings=data.draw(rings(world,15)),
       first_record=data.draw(st.dictionaries(st.integers(0, world - 1), st.integers(0, 2**20))),timing=data.draw(st.booleans()))
    named = RankSet()
    ds=diagnosed(j, form=data.draw(st.sampled_from(["json", "pickle"])),only_active=backend=='nccl' and data.draw(st.booleans()))
    for f in ds.findings: named |= f.culprits
    assert named <= RankSet((guilty,)), [said(f) for f in ds.findings]
