"""Runs of the engine that are kept in the history: each ends there as it ended for whoever waits."""

from __future__ import annotations

from pathlib import Path

from tests.fakes.op_servers import adds, fails, silent
from tests.services.dispatch.dispatching import ADD
from tests.services.dispatch.test_runs import Servers, ended, servers
from xpudbg.services import events
from xpudbg.services.dispatch.progress import Running
from xpudbg.services.engine import Engine
from xpudbg.services.run_history.history import RunHistory
from xpudbg.services.run_history.recorder import Recorder
from xpudbg.services.run_history.records import RunState

__all__ = ["servers"]


def test_what_is_told_is_in_the_history(servers: Servers, tmp_path: Path) -> None:
    fine, bad = servers.start(adds), servers.start(fails("500 Internal Server Error", {"error": "ValueError: bad"}))
    with Engine(recorder=Recorder(tmp_path)) as engine:
        for name, server in (("fine", fine), ("bad", bad)):
            engine.run_op(name, ADD, server.endpoint)
            end = ended(engine, name)
            assert end.history_note == ""
            assert end.number is not None
            # it is there when it is told, not only when the engine ends
            found = RunHistory(tmp_path).get(end.number)
            assert found.state is (RunState.OK if name == "fine" else RunState.FAILED)
    (_, first) = RunHistory(tmp_path).latest()
    (output,) = RunHistory(tmp_path).outputs(first.id)
    assert output.array is not None
    assert output.array.tolist() == [2, 2, 2]


def test_cancelled_runs_are_cancelled_in_the_history(servers: Servers, tmp_path: Path) -> None:
    stuck = servers.start(silent)
    with Engine(recorder=Recorder(tmp_path)) as engine:
        engine.run_op("stuck", ADD, stuck.endpoint)
        while not (
            isinstance(event := engine.events.get(timeout=10), events.OpProgressed)
            and isinstance(event.progress, Running)
        ):
            pass
        engine.cancel_op("stuck")
        engine.cancel_op("stuck")
        end = ended(engine, "stuck")
        engine.run_op("at once", ADD, stuck.endpoint)
        engine.cancel_op("at once")
        ended(engine, "at once")
        engine.run_op("last", ADD, stuck.endpoint)
        servers.wait(stuck, idle=False)
    assert end.number is not None
    found = RunHistory(tmp_path).latest()
    assert found[-1].id == end.number
    assert {record.state for record in found} == {RunState.CANCELLED}
    assert RunHistory(tmp_path).interrupted() == []


def test_a_run_without_a_history_says_so_and_gives_its_result(servers: Servers, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    server = servers.start(adds)
    with Engine(recorder=Recorder(tmp_path / "file")) as engine:
        engine.run_op("a", ADD, server.endpoint)
        end = ended(engine, "a")
    assert end.run is not None
    assert end.number is None
    assert end.history_note.startswith("not in the history")
