"""The op server of the demo: a real one, in the demo's child, gone with it."""

from __future__ import annotations

import glob
import tempfile

import pytest

from xpudbg.services.console.demo_cases import demo_cases
from xpudbg.services.dispatch.client import Dispatcher
from xpudbg.services.dispatch.endpoint import OpEndpoint
from xpudbg.services.dispatch.errors import ConnectionFailedError, OpFailedError
from xpudbg.services.runs.given import run_ended
from xpudbg.services.runs.references import FileReference, load
from xpudbg.services.runs.shown import show_run
from xpudbg.services.simulate.launch import running_demo


def folders() -> set[str]:
    return set(glob.glob(f"{tempfile.gettempdir()}/xpudbg-opserver-*"))


async def test_the_demos_cases_fail_are_wrong_and_pass_on_its_op_server(tmp_path: object) -> None:
    from pathlib import Path

    there = folders()
    join, total, matmul = demo_cases(Path(str(tmp_path)))
    async with running_demo(2, "healthy") as demo:
        endpoint = OpEndpoint(*await demo.op_server())
        assert await demo.op_server() == (endpoint.host, endpoint.port)
        async with Dispatcher() as dispatcher:
            assert join.case is not None
            with pytest.raises(OpFailedError, match="axis 2 is out of bounds") as failed:
                await dispatcher.run(join.case, endpoint, lambda _latest: None)
            assert failed.value.kind == "AxisError"
            verdicts = []
            for case in (total, matmul):
                assert case.case is not None
                assert isinstance(case.reference, FileReference)
                run = await dispatcher.run(case.case, endpoint, lambda _latest: None)
                verdicts.append(show_run(run_ended(run), load(case.reference)).passed)
            assert verdicts == [False, True]
    assert folders() <= there
    async with Dispatcher() as dispatcher:
        assert matmul.case is not None
        from xpudbg.services.dispatch.endpoint import DispatchSettings

        once = DispatchSettings(connection_retries=0)
        with pytest.raises(ConnectionFailedError):
            await dispatcher.run(matmul.case, endpoint, lambda _latest: None, settings=once)
