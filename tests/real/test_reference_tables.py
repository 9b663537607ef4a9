"""The four tables against torch's own analysis of the same dumps: the same rows wherever that gets through.

Well-formed means what it gets through and reads rightly: every rank's dump goes back to the first call, all ranks are
at the same state of a call, sends and receives are in groups of two that have no collectives. The rest is in
docs/flight-recorder-differences.md.
"""

from __future__ import annotations

import json
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.fakes.flight_recorder_jobs import Call, FakeGroup, FakeJob, Fault
from tests.services.flight_recorder.looking import analysed
from xpudbg.services.flight_recorder.analysis import Analysis
from xpudbg.services.flight_recorder.tables import (
    CollectivesTable,
    GroupsTable,
    MembershipsTable,
    NCCLCallsTable,
    rows_of,
)

pytestmark = pytest.mark.torch

BUILD_DB = Path(__file__).parent / "jobs" / "build_db.py"
TIME_LIMIT_S = 60
"""The reference can loop for ever."""

OPS = [
    Call("", "all_reduce"),
    Call("", "broadcast", ((3,),), ((3,),), "Long"),
    Call("", "barrier", (), ()),
    Call("", "all_to_all", ((6, 2),), ((6, 2),)),
    Call("", "_all_gather_base", ((4, 2),), ((0, 0),)),
    Call("", "_reduce_scatter_base", ((0, 0),), ((5,),)),
]


@st.composite
def well_formed_jobs(draw: st.DrawFn) -> FakeJob:
    columns, rows = draw(st.integers(1, 4)), draw(st.integers(1, 3))
    world = columns * rows
    groups = [FakeGroup("0", "default_pg", tuple(range(world)))]
    for row in range(rows):
        groups.append(FakeGroup(str(len(groups)), "tp", tuple(range(row * columns, (row + 1) * columns))))
    for column in range(columns):
        groups.append(FakeGroup(str(len(groups)), "undefined", tuple(range(column, world, columns))))
    pair = FakeGroup("pp", "pp", (0, world - 1)) if world > 1 else None
    program = []
    for _ in range(draw(st.integers(1, 12))):
        if pair is not None and draw(st.integers(0, 4)) == 0:
            way = draw(st.sampled_from([(0, 1), (1, 0)]))
            program.append(Call("pp", pairs=(way,), batched=False))
            continue
        group = draw(st.sampled_from(groups))
        program.append(_sized(draw(st.sampled_from(OPS)), group))
    faults = []
    if draw(st.booleans()):
        faults.append(Fault(draw(st.integers(0, world - 1)), draw(st.integers(0, 8)), "stops"))
    return FakeJob(
        world,
        [*groups, pair] if pair else groups,
        program,
        version=draw(st.sampled_from(["2.5", "2.7", "2.9", "2.10"])),
        faults=faults,
        timing=draw(st.booleans()),
        frames=draw(st.booleans()),
    )


def _sized(call: Call, group: FakeGroup) -> Call:
    size = len(group.ranks)
    inputs, outputs = call.inputs, call.outputs
    if call.op == "_all_gather_base":
        outputs = ((4 * size, 2),)
    elif call.op == "_reduce_scatter_base":
        inputs = ((5 * size,),)
    return Call(group.name, call.op, inputs, outputs, call.dtype)


def reference(torch_python: str, job: FakeJob) -> dict[str, list[Any]]:
    with tempfile.TemporaryDirectory() as folder:
        for rank in range(job.world):
            (Path(folder) / f"_dump_{rank}").write_bytes(job.as_pickle(rank))
        ran = subprocess.run(
            [torch_python, str(BUILD_DB), folder], capture_output=True, text=True, timeout=TIME_LIMIT_S, check=False
        )
    assert ran.returncode == 0, ran.stderr[-3000:]
    rows: dict[str, list[Any]] = json.loads(ran.stdout)
    return rows


def ours(look: Analysis) -> dict[str, list[Any]]:
    collectives = CollectivesTable(look)
    tables = {
        "groups": list(rows_of(GroupsTable(look))),
        "memberships": list(rows_of(MembershipsTable(look))),
        "collectives": [collectives[index]._asdict() for index in range(len(collectives))],
        "nccl_calls": list(rows_of(NCCLCallsTable(look, collectives))),
    }
    rows: dict[str, list[Any]] = json.loads(json.dumps(tables, default=str))
    return rows


@given(well_formed_jobs())
@settings(max_examples=12, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)
def test_the_rows_are_those_of_the_reference(torch_python: str, job: FakeJob) -> None:
    expected, found = reference(torch_python, job), ours(analysed(job, form="pickle"))
    assert found["groups"] == expected["groups"]
    assert found["memberships"] == expected["memberships"]
    assert found["collectives"] == expected["collectives"]
    # The reference lists the ranks of one call as a set happens to give them, and numbers them along.
    assert _unnumbered(found["nccl_calls"]) == _unnumbered(expected["nccl_calls"])


def _unnumbered(calls: list[list[Any]]) -> list[list[Any]]:
    return sorted((call[1:] for call in calls), key=json.dumps)
