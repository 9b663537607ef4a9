"""Shrinking on a real op server, with every run in the history."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from pathlib import Path

import numpy as np
import pytest

from tests.fakes.op_servers import adds, closes, op_server, silent
from xpudbg.services.comparison.compare import Comparison, compare
from xpudbg.services.dispatch.case import OpCase, Slot
from xpudbg.services.dispatch.client import Dispatcher
from xpudbg.services.dispatch.endpoint import DispatchSettings, OpEndpoint
from xpudbg.services.dispatch.inputs import parse_generated
from xpudbg.services.dispatch.replies import Output
from xpudbg.services.dispatch.run_loop import OpRun
from xpudbg.services.opserver.serve import serving
from xpudbg.services.opserver.settings import ServerSettings
from xpudbg.services.run_history.history import RunHistory
from xpudbg.services.run_history.recorder import Recorder
from xpudbg.services.run_history.records import RunState
from xpudbg.services.shrink.runner import RecordedRuns, judged_by
from xpudbg.services.shrink.search import Shrinker


@pytest.fixture
async def dispatcher() -> AsyncIterator[Dispatcher]:
    async with Dispatcher() as made:
        yield made


async def test_an_op_that_fails_is_shrunk_on_a_server(tmp_path: Path, dispatcher: Dispatcher) -> None:
    case = OpCase(
        api="numpy.matmul",
        provider="numpy",
        inputs=(Slot("x1", parse_generated("float32[4,6]:normal")), Slot("x2", parse_generated("float32[5,4]:normal"))),
    )
    async with serving(ServerSettings(port=0, workers=1), lambda _line: None) as server:
        recorder = Recorder(tmp_path)
        runs = RecordedRuns(dispatcher, OpEndpoint(server.host, server.port), recorder=recorder)
        done = await Shrinker(case, runs, budget=40).go()
        await recorder.close()
    shapes = [slot.value.shape for slot in done.case.inputs]  # type: ignore[union-attr]
    assert done.outcome.failure == "OpFailed: ValueError"
    assert np.prod(shapes[0]) * np.prod(shapes[1]) <= 4
    assert shapes[0][-1] != shapes[1][0]
    history = RunHistory(tmp_path)
    assert len(history.latest(limit=1000)) == done.runs
    assert done.outcome.run_id is not None
    assert str(history.case(done.outcome.run_id).inputs[0].value) == str(done.case.inputs[0].value)


async def test_wrong_values_are_shrunk_by_their_comparison(tmp_path: Path, dispatcher: Dispatcher) -> None:
    async def judge(run: OpRun) -> Mapping[str, Comparison]:
        (output,) = run.outputs
        assert isinstance(output, Output)
        wanted = output.array.copy()
        wanted[wanted > 100] = 100  # the operator should have cut large values off
        return {"0": compare(output.array, wanted)}

    values = np.ones(16, np.float32)
    values[11] = 500
    inputs = (Slot("x1", values), Slot("x2", values))
    case = OpCase(api="numpy.add", provider="numpy", attrs={"casting": "same_kind"}, inputs=inputs)
    async with serving(ServerSettings(port=0, workers=1), lambda _line: None) as server:
        recorder = Recorder(tmp_path)
        endpoint = OpEndpoint(server.host, server.port)
        done = await Shrinker(case, RecordedRuns(dispatcher, endpoint, recorder=recorder, judge=judge), budget=40).go()
        await recorder.close()
    assert done.outcome.failure == "wrong values"
    assert done.case.attrs == {}
    total = sum(float(np.sum(leaf if isinstance(leaf, np.ndarray) else leaf.make())) for _, leaf in done.case.leaves())
    assert total > 100
    assert max((leaf.shape for _, leaf in done.case.leaves()), default=()) == (1,)
    assert len(RunHistory(tmp_path).latest(limit=1000)) == done.runs


async def test_cancelled_it_leaves_a_cancelled_run(tmp_path: Path, dispatcher: Dispatcher) -> None:
    async with op_server(silent) as server:
        recorder = Recorder(tmp_path)
        runs = RecordedRuns(dispatcher, server.endpoint, recorder=recorder)
        task = asyncio.create_task(runs(OpCase(api="torch.add", inputs=(Slot("x", np.ones(2)),))))
        await server.until(lambda: server.open > 0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await recorder.close()
    (found,) = RunHistory(tmp_path).latest()
    assert found.state is RunState.CANCELLED


AT_ONCE = DispatchSettings(backoff_base_s=0, backoff_max_s=0, connection_retries=0)


async def test_a_connection_that_a_case_breaks_is_its_failure(dispatcher: Dispatcher) -> None:
    case = OpCase(api="torch.add", inputs=(Slot("x", np.ones(2)),))
    async with op_server(closes) as server:
        broken = await RecordedRuns(dispatcher, server.endpoint, settings=AT_ONCE)(case)
        endpoint = server.endpoint
    gone = await RecordedRuns(dispatcher, endpoint, settings=AT_ONCE)(case)
    assert (broken.failure, broken.lost) == ("ConnectionFailed", False)
    assert (gone.failure, gone.lost) == ("ConnectionFailed", True)


async def test_another_server_is_the_judge(dispatcher: Dispatcher) -> None:
    ones = np.ones(3, np.float32)
    case = OpCase(api="torch.add", inputs=(Slot("x", ones), Slot("y", ones)))
    async with op_server(adds) as server, op_server(adds) as right, op_server(closes) as broken:
        for reference, failure in ((right, None), (broken, "reference: ConnectionFailed")):
            judge = judged_by(dispatcher, reference.endpoint, settings=AT_ONCE)
            outcome = await RecordedRuns(dispatcher, server.endpoint, judge=judge)(case)
            assert outcome.failure == failure
