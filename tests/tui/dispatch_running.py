"""The application at the dispatch screen, headless, on cases and runs made by hand."""

from __future__ import annotations

from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from tests.services.console.console_cases import console_case, op_case, unusable
from tests.services.run_history.made_runs import ENDPOINT
from tests.services.shown_runs import failed
from tests.tui.running import Clock, Running, made
from tests.tui.scripted import NOW, SECOND
from xpudbg.services.console import events, orders
from xpudbg.services.dispatch.case import OpCase, Slot
from xpudbg.services.dispatch.endpoint import OpEndpoint
from xpudbg.services.dispatch.inputs import Generated
from xpudbg.services.dispatch.replies import Output
from xpudbg.services.dispatch.run_loop import OpRun
from xpudbg.services.runs.given import run_ended
from xpudbg.services.runs.references import FileReference, ReferenceArrays
from xpudbg.services.runs.shown import RunShown, show_run
from xpudbg.services.ttk_cases.case import Outcome
from xpudbg.tui.dispatch.desk import DispatchStart
from xpudbg.tui.screens.dispatch import DispatchScreen

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from xpudbg.services.console.case import ConsoleCase

TOTAL = OpCase(
    api="numpy.cumsum",
    provider="numpy",
    attrs={"axis": 1, "dtype": "float16"},
    inputs=(Slot("a", Generated("float32", (4, 64), "uniform", (0.0, 1.0), 3)),),
)
HOSTILE = "bad [/]\x1b[31m[bold]節\u202e"
OTHER = OpEndpoint("10.0.0.6", 9090)


def cases() -> tuple[ConsoleCase, ...]:
    """One that fails, one that is wrong, one that its file says failed, one that can't run."""
    return (
        console_case("join_shards", op_case()),
        console_case("running_total", TOTAL, reference=FileReference(Path("/cases/total.npy"))),
        console_case("from_file", op_case(api="numpy.stack"), said=Outcome.FAILED, reason=HOSTILE),
        unusable(),
    )


def gave(
    case: OpCase, array: np.ndarray, endpoint: OpEndpoint = ENDPOINT, expected: np.ndarray | None = None
) -> RunShown:
    """What a run that gave an array shows."""
    output = Output(array.dtype.name, array)
    run = OpRun(case, endpoint, (output,), None, case.title, NOW - 3 * SECOND, 0.04, 1, 1, 0, 0, 0, ())
    reference = None
    if expected is not None:
        golden = OpRun(case, endpoint, (Output(expected.dtype.name, expected),), None, "", NOW, 0.1, 1, 1, 0, 0, 0, ())
        reference = ReferenceArrays("total.npy", run_ended(golden).outputs)
    return show_run(run_ended(run, 7), reference)


class Dispatching(Running):
    """A running application whose orders are kept; answers are given by hand."""

    def __init__(self, run: Running) -> None:
        super().__init__(run.app, run.engine, run.clock)
        self.ordered: list[orders.Order] = []

    @property
    def screen(self) -> DispatchScreen:
        assert isinstance(self.app.screen, DispatchScreen)
        return self.app.screen

    def starts(self) -> list[orders.StartRun]:
        return [order for order in self.ordered if isinstance(order, orders.StartRun)]

    async def over(self, shown: RunShown | None = None) -> None:
        """All runs under way are over."""
        keys = list(self.app.attachment.console.under_way)
        await self.say([events.RunCompared(key, shown or show_run(failed())) for key in keys])


@asynccontextmanager
async def dispatching(
    folder: Path, *, size: tuple[int, int] = (80, 24), servers: tuple[OpEndpoint, ...] = (ENDPOINT,)
) -> AsyncIterator[Dispatching]:
    """The dispatch screen without a job, with cases open and an op server chosen."""
    start = DispatchStart((), servers)
    run = made([], folder, target=None, dispatch=start)
    there = Dispatching(run)
    run.engine.on_console = there.ordered.append
    async with run.app.run_test(size=size, notifications=True) as pilot:
        there.pilot = pilot
        await there.settled()
        await there.say([events.CasesOpened("cases", cases())])
        yield there


__all__ = ["HOSTILE", "OTHER", "TOTAL", "Clock", "Dispatching", "cases", "dispatching", "gave"]
