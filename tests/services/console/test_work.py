"""The engine's part of the console, against op servers on real sockets and a real history."""

from __future__ import annotations

import asyncio
import contextlib
import queue
import threading
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from tests.fakes.op_servers import OpServer, adds, fails, op_server, silent
from tests.services.console.console_cases import console_case
from tests.services.dispatch.dispatching import ADD
from xpudbg.services.console import events, orders
from xpudbg.services.console.case import ConsoleCase
from xpudbg.services.console.case_export import write_case
from xpudbg.services.console.console import Console
from xpudbg.services.console.events import ConsoleEvent
from xpudbg.services.console.kept_runs import key_of
from xpudbg.services.console.status import CaseStatus
from xpudbg.services.console.work import ConsoleWork
from xpudbg.services.dispatch.endpoint import OpEndpoint
from xpudbg.services.events import Event, OpProgressed
from xpudbg.services.run_history.records import RunState
from xpudbg.services.runs.references import FileReference, HistoryReference, Reference, ServerReference

CASE: ConsoleCase = console_case("add", ADD, key="add.toml")


@dataclass
class Desk:
    """A console with its work, without a screen."""

    work: ConsoleWork
    console: Console
    came: queue.SimpleQueue[Event]
    faults: list[BaseException]
    keys: int = 0
    seen: list[Event] = field(default_factory=list)

    async def until(self, condition: Callable[[], object]) -> None:
        async with asyncio.timeout(20):
            while not condition():
                try:
                    event = self.came.get_nowait()
                except queue.Empty:
                    await asyncio.sleep(0.001)
                    continue
                self.seen.append(event)
                assert isinstance(event, ConsoleEvent | OpProgressed)
                self.console.apply(event)

    def start(self, server: OpServer | OpEndpoint, reference: Reference | None = None) -> str:
        self.keys += 1
        key = f"r{self.keys}"
        endpoint = server if isinstance(server, OpEndpoint) else server.endpoint
        self.console.apply(events.RunBegun(key, CASE.id, ADD, endpoint, self.keys))
        latest = self.console.latest(CASE.id)
        before = latest.number if latest is not None else None
        self.work.carry_out(orders.StartRun(key, ADD, endpoint, reference, None, before, case_key=CASE.key))
        return key

    async def run(self, server: OpServer | OpEndpoint, reference: Reference | None = None) -> str:
        key = self.start(server, reference)
        await self.until(lambda: key not in self.console.under_way)
        return key


@contextlib.asynccontextmanager
async def desk(folder: Path, *cases: ConsoleCase, analyses: ThreadPoolExecutor | None = None) -> AsyncIterator[Desk]:
    came: queue.SimpleQueue[Event] = queue.SimpleQueue()
    faults: list[BaseException] = []
    pool = analyses or ThreadPoolExecutor(1)
    work = ConsoleWork(came.put, pool, lambda _doing, error: faults.append(error), history=folder)
    made = Desk(work, Console(), came, faults)
    made.console.apply(events.CasesOpened("cases", cases or (CASE,)))
    try:
        yield made
    finally:
        await work.close()
        pool.shutdown()
        assert faults == []


async def test_a_run_is_compared_with_its_reference_and_with_the_run_before(tmp_path: Path) -> None:
    np.save(tmp_path / "expected.npy", np.full(3, 2, np.float32))
    reference = FileReference(tmp_path / "expected.npy")
    async with desk(tmp_path / "runs") as made, op_server(adds, adds) as server:
        await made.run(server, reference)
        key = await made.run(server, reference)
        shown = made.console.shown[key]
        assert made.console.status(CASE.id) is CaseStatus.PASSED
        assert (shown.passed, shown.reference, shown.before) == (True, "expected.npy", "run #1")
        assert shown.changes == ()
        assert any(isinstance(event, OpProgressed) for event in made.seen)


async def test_a_wrong_result_is_found_at_its_worst_element(tmp_path: Path) -> None:
    np.save(tmp_path / "expected.npy", np.array([2, 9, 2], np.float32))
    async with desk(tmp_path / "runs") as made, op_server(adds) as server:
        await made.run(server, FileReference(tmp_path / "expected.npy"))
        line = made.console.latest(CASE.id)
        assert line is not None
        assert line.passed is False
        assert "worst at [1]: 2 instead of 9" in line.said


async def test_a_failed_run_has_the_servers_own_words(tmp_path: Path) -> None:
    refusal = fails("500 Internal Server Error", {"error": "AxisError: axis 2 is out of bounds"})
    async with desk(tmp_path / "runs") as made, op_server(refusal) as server:
        await made.run(server)
        line = made.console.latest(CASE.id)
        assert line is not None
        assert (line.state, line.number, made.console.status(CASE.id)) == (RunState.FAILED, 1, CaseStatus.FAILED)
        assert "axis 2 is out of bounds" in line.said
        assert line.took_s is not None


async def test_a_run_can_be_ended_on_the_server_and_is_kept_as_cancelled(tmp_path: Path) -> None:
    async with desk(tmp_path / "runs") as made, op_server(silent) as server:
        key = made.start(server)
        await made.until(lambda: made.console.under_way[key].latest is not None)
        for _ in range(2):
            made.work.carry_out(orders.CancelRun(key))
        await made.until(lambda: not made.console.under_way)
        assert [line.state for line in made.console.runs[CASE.id]] == [RunState.CANCELLED]
        made.console.runs.clear()
        made.work.carry_out(orders.ReadKeptRuns((CASE,)))
        await made.until(lambda: made.console.history_read)
        assert [line.state for line in made.console.runs[CASE.id]] == [RunState.CANCELLED]


async def test_a_run_that_has_not_begun_can_be_ended(tmp_path: Path) -> None:
    async with desk(tmp_path / "runs") as made, op_server(silent) as server:
        key = made.start(server)
        made.work.carry_out(orders.CancelRun(key))
        await made.until(lambda: not made.console.under_way)
        assert [line.state for line in made.console.runs[CASE.id]] == [RunState.CANCELLED]


async def test_a_comparison_can_be_ended_and_the_result_stays(tmp_path: Path) -> None:
    pool, busy = ThreadPoolExecutor(1), threading.Event()
    pool.submit(busy.wait)
    async with desk(tmp_path / "runs", analyses=pool) as made, op_server(adds) as server:
        key = made.start(server)
        await made.until(lambda: made.console.under_way[key].comparing)
        made.work.carry_out(orders.CancelRun(key))
        await made.until(lambda: not made.console.under_way)
        busy.set()
        line = made.console.latest(CASE.id)
        assert line is not None
        assert (line.state, line.said) == (RunState.OK, "not compared: the comparison was cancelled")


async def test_the_next_session_has_the_runs_and_can_show_them(tmp_path: Path) -> None:
    async with desk(tmp_path / "runs") as made, op_server(adds, adds) as server:
        await made.run(server)
        await made.run(server)
    async with desk(tmp_path / "runs") as made:
        made.work.carry_out(orders.ReadKeptRuns((CASE,)))
        await made.until(lambda: made.console.history_read)
        assert [line.number for line in made.console.runs[CASE.id]] == [2, 1]
        made.work.carry_out(orders.ReadKeptRuns((replace(CASE, key="moved.toml"),)))
        await made.until(lambda: len(made.seen) > 1)
        assert isinstance(made.seen[-1], events.KeptRunsRead)
        assert made.seen[-1].lines == {}
        made.work.carry_out(orders.ShowKeptRun(key_of(2), 2, HistoryReference(1), None, 1))
        await made.until(lambda: made.console.shown)
        shown = made.console.shown[key_of(2)]
        assert (shown.passed, shown.before, shown.reference) == (True, "run #1", "run #1")
        assert made.console.status(CASE.id) is CaseStatus.PASSED
        made.work.carry_out(orders.ShowRunAgain(key_of(2), shown.run))
        await made.until(lambda: made.console.shown[key_of(2)] is not shown)
        assert made.console.shown[key_of(2)].reference == ""


async def test_another_server_is_a_reference(tmp_path: Path) -> None:
    async with desk(tmp_path / "runs") as made, op_server(adds) as server, op_server(adds) as other:
        await made.run(server, ServerReference(other.endpoint))
        assert made.console.status(CASE.id) is CaseStatus.PASSED


async def test_a_reference_that_is_not_there_is_said_beside_the_result(tmp_path: Path) -> None:
    async with desk(tmp_path / "runs") as made, op_server(adds) as server:
        await made.run(server, FileReference(tmp_path / "none.npy"))
        line = made.console.latest(CASE.id)
        assert line is not None
        assert (line.state, line.passed) == (RunState.OK, None)
        assert line.said.startswith("not compared: none.npy can't be read")


async def test_without_a_history_the_run_goes_on_and_it_is_said(tmp_path: Path) -> None:
    (tmp_path / "runs").write_text("no folder")
    np.save(tmp_path / "expected.npy", np.full(3, 2, np.float32))
    async with desk(tmp_path / "runs") as made, op_server(adds) as server:
        await made.run(server, FileReference(tmp_path / "expected.npy"))
        assert made.console.status(CASE.id) is CaseStatus.PASSED
        assert made.console.history_problem
        made.work.carry_out(orders.ReadKeptRuns((CASE,)))
        await made.until(lambda: made.console.history_read)
        assert made.console.history_problem
        made.work.carry_out(orders.ShowKeptRun("#1", 1))
        await made.until(lambda: made.console.said)


async def test_files_are_opened_edited_from_and_written(tmp_path: Path) -> None:
    write_case(tmp_path / "one.toml", ADD)
    np.save(tmp_path / "new.npy", np.zeros((2, 2), np.int8))
    async with desk(tmp_path / "runs") as made:
        made.work.carry_out(orders.OpenCases((tmp_path / "one.toml", tmp_path / "none.csv")))
        await made.until(lambda: made.console.said)
        (refused,) = made.console.said
        assert isinstance(refused, events.ConsoleRefused)
        opened = made.console.cases[str(tmp_path / "one.toml")]
        assert opened.case is not None
        made.work.carry_out(orders.EditFromFile(opened.id, opened.case, "input.x", "new.npy", opened.folder))
        await made.until(lambda: made.console.cases[opened.id].edits)
        assert [one.after for one in made.console.cases[opened.id].edits] == ["int8[2,2] array"]
        made.work.carry_out(orders.EditFromFile(opened.id, opened.case, "input.x", "gone.npy", opened.folder))
        await made.until(lambda: made.console.refused)
        for _ in range(2):
            made.work.carry_out(orders.WriteCase(opened.case, tmp_path / "two.toml"))
        await made.until(lambda: len(made.console.said) == 3)
        kinds = {type(one) for one in made.console.said[1:]}
        assert kinds == {events.Said, events.ConsoleRefused}


async def test_without_a_demo_there_are_no_cases_of_it(tmp_path: Path) -> None:
    async def none() -> OpEndpoint | None:
        return None

    came: queue.SimpleQueue[Event] = queue.SimpleQueue()
    with ThreadPoolExecutor(1) as pool:
        faults: list[BaseException] = []
        work = ConsoleWork(
            came.put, pool, lambda _doing, error: faults.append(error), history=tmp_path, demo_server=none
        )
        work.carry_out(orders.OpenDemoCases())
        await asyncio.sleep(0)
        await work.close()
    assert came.empty()
    assert faults == []
