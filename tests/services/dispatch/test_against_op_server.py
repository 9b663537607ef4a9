"""The client against the server of this program, with real children."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tests.services.dispatch.dispatching import Time, dispatcher
from tests.services.dispatch.test_client import first
from tests.services.dispatch.test_spec_modules import tree
from xpudbg.services.dispatch.case import Mode, OpCase, Slot, SpecSource
from xpudbg.services.dispatch.endpoint import OpEndpoint
from xpudbg.services.dispatch.errors import DeadlinePassedError, OpFailedError
from xpudbg.services.dispatch.inputs import parse_generated
from xpudbg.services.dispatch.progress import Progress, Running
from xpudbg.services.opserver.serve import serving
from xpudbg.services.opserver.settings import ServerSettings

x = np.arange(6, dtype=np.float32).reshape(2, 3)


def ignore(_line: str) -> None:
    """The server's log."""


OP = """
from helper import twice

class Op:
    def __call__(self, x):
        return [twice(x)]
"""
SLOW = """
import time

class Op:
    def __call__(self):
        time.sleep(60)
"""
ADD = OpCase(api="numpy.add", provider="numpy", inputs=(Slot("x1", x), Slot("x2", parse_generated("float32[3]:ones"))))


async def test_runs_failures_sources_and_the_deadline(tmp_path: Path) -> None:
    tree(tmp_path, op=OP, helper="def twice(x):\n    return 2 * x", slow=SLOW)
    time = Time()

    def late(latest: Progress) -> None:
        if isinstance(latest, Running):
            time.pass_deadline()

    settings = ServerSettings(port=0, allow_code=True)
    async with serving(settings, ignore) as server, dispatcher(time) as client:
        endpoint = OpEndpoint(server.host, server.port)
        said = await client.probe(endpoint)
        assert "numpy" in said.providers
        run = await client.run(ADD, endpoint)
        assert (run.api, run.reconnected, run.notes) == ("numpy.add", 0, ())
        assert np.array_equal(first(run), x + 1)
        assert (await client.run(replace(ADD, mode=Mode.DATA | Mode.PERF), endpoint)).perf is not None
        with pytest.raises(OpFailedError, match="nosuch") as failed:
            await client.run(replace(ADD, api="numpy.nosuch"), endpoint)
        assert failed.value.kind == "AttributeError"
        spec = OpCase(op_name="op", provider="numpy", spec=SpecSource(tmp_path / "op.py", "Op"), inputs=(Slot("x", x),))
        run = await client.run(spec, endpoint)
        assert run.synced == 2
        assert np.array_equal(first(run), 2 * x)
        slow = OpCase(op_name="slow", provider="numpy", spec=SpecSource(tmp_path / "slow.py", "Op"))
        with pytest.raises(DeadlinePassedError, match="the server had it all"):
            await client.run(slow, endpoint, late)
        assert np.array_equal(first(await client.run(ADD, endpoint)), x + 1)
