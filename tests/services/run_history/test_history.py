"""Rows of runs: before they start, when they end, and in every way they can end."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import numpy as np
import pytest

from tests.services.run_history.made_runs import ENDPOINT, case, floats, output, run_of
from xpudbg.services.comparison.compare import compare
from xpudbg.services.dispatch import progress
from xpudbg.services.dispatch.endpoint import OpEndpoint, TlsSettings
from xpudbg.services.dispatch.errors import ConnectionFailedError, DispatchError, OpFailedError, RunCancelledError
from xpudbg.services.dispatch.inputs import parse_generated
from xpudbg.services.run_history.errors import NotKeptError, UnknownRunError
from xpudbg.services.run_history.history import HistoryLimits, RunHistory
from xpudbg.services.run_history.records import RunState


def test_a_finished_run_comes_back_with_its_values(tmp_path: Path) -> None:
    history = RunHistory(tmp_path, clock=iter([0, 10, 10 + 2 * 10**9]).__next__)
    of = case(floats(1), parse_generated("float32[16]:ones"), attrs={"alpha": 2})
    run_id = history.begin(of, ENDPOINT)
    assert history.get(run_id).state is RunState.UNDER_WAY
    history.finish(run_id, run_of(of, output(floats(2)), (output(np.arange(3)), output(np.arange(2))), None))
    history.close()

    history = RunHistory(tmp_path)
    found = history.get(run_id)
    assert (found.state, found.title, found.endpoint, found.took_s) == (RunState.OK, "torch.add", "127.0.0.1:9090", 2)
    assert found.result is not None
    assert found.result["perf"] == {"device_us": 12.5, "peak_memory_mb": None}
    assert found.result["notes"] == ["a note"]
    assert [(one.name, one.dtype, one.shape) for one in found.outputs] == [
        ("0", "float32", (16,)),
        ("1.0", "int64", (3,)),
        ("1.1", "int64", (2,)),
        ("2", None, ()),
    ]
    assert found.outputs[1].statistics is not None
    assert found.outputs[1].statistics["maximum"] == 2
    kept = history.outputs(run_id)
    assert kept[0].array is not None
    assert kept[0].array.tobytes() == floats(2).tobytes()
    assert kept[3].array is None
    again = history.case(run_id)
    assert again == of
    assert isinstance(again.inputs[0].value, np.ndarray)
    assert again.inputs[0].value.tobytes() == floats(1).tobytes()
    assert str(again.inputs[1].value) == "float32[16]:ones:seed=0"


OP_FAILED = OpFailedError("it failed", status=500, kind="RuntimeError", text="bad size", hint="look there")


@pytest.mark.parametrize(
    ("error", "state", "kind", "exception"),
    [
        (OP_FAILED, RunState.FAILED, "OpFailed", "RuntimeError"),
        (ConnectionFailedError("refused", hint="start it"), RunState.FAILED, "ConnectionFailed", ""),
        (RunCancelledError("was cancelled"), RunState.CANCELLED, "RunCancelled", ""),
    ],
    ids=["op", "connection", "cancelled"],
)
def test_a_run_without_a_result_says_why(
    tmp_path: Path, error: DispatchError, state: RunState, kind: str, exception: str
) -> None:
    history = RunHistory(tmp_path)
    run_id = history.begin(case(), ENDPOINT)
    history.fail(run_id, error)
    found = history.get(run_id)
    assert found.state is state
    assert found.error is not None
    assert (found.error.kind, found.error.message, found.error.hint) == (kind, str(error), error.hint)
    assert found.error.exception == exception
    assert found.bad == (state is RunState.FAILED)


def test_the_endpoint_comes_back_without_what_its_files_hold(tmp_path: Path) -> None:
    key = tmp_path / "key.pem"
    key.write_text("-----BEGIN SECRET")
    endpoint = OpEndpoint("::1", 9443, TlsSettings(tmp_path / "ca.pem", tmp_path / "cert.pem", key, True), None, "npu")
    history = RunHistory(tmp_path / "h")
    run_id = history.begin(case(), endpoint)
    assert history.endpoint(run_id) == endpoint
    assert history.get(run_id).endpoint == "[::1]:9443"
    history.close()
    assert all(b"BEGIN SECRET" not in file.read_bytes() for file in (tmp_path / "h").glob("runs.db*"))


def test_runs_are_listed_and_found_by_what_people_say(tmp_path: Path) -> None:
    history = RunHistory(tmp_path)
    with pytest.raises(UnknownRunError, match="no run"):
        history.find("last")
    fine, bad, wrong, waiting = (history.begin(case(), ENDPOINT) for _ in range(4))
    history.finish(fine, run_of(case()))
    history.fail(bad, OP_FAILED)
    history.finish(wrong, run_of(case(), output(np.zeros(3))))
    found = compare(np.zeros(3), np.array([0, 1.0, 0]))
    history.compared(wrong, {"0": found})
    assert [record.id for record in history.latest()] == [waiting, wrong, bad, fine]
    assert [record.id for record in history.latest(limit=1)] == [waiting]
    assert [record.id for record in history.latest(failed=True)] == [wrong, bad]
    assert [history.find(word).id for word in ("last", "last-failed", str(fine), f"#{bad}")] == [
        *(waiting, wrong, fine, bad)
    ]
    said = history.get(wrong).comparison
    assert said is not None
    assert (said["0"]["passed"], said["0"]["max_absolute"], said["0"]["worst_index"]) == (False, 1.0, [1])
    for word in ("99", "x", "", "-1", "9" * 40):
        with pytest.raises(UnknownRunError):
            history.find(word)


def test_progress_is_kept_in_order_up_to_a_number(tmp_path: Path) -> None:
    history = RunHistory(tmp_path, limits=HistoryLimits(progress=3), clock=iter(range(100)).__next__)
    run_id = history.begin(case(), ENDPOINT)
    for step in (progress.Connecting(1), progress.Syncing(("a.py",), 10), progress.Running(), progress.Connecting(2)):
        history.progress(run_id, step)
    assert [(one.kind, dict(one.detail)) for one in history.progress_of(run_id)] == [
        ("Connecting", {"attempt": 1}),
        ("Syncing", {"files": ["a.py"], "size": 10}),
        ("Running", {}),
    ]


def test_large_arrays_are_described_not_kept(tmp_path: Path) -> None:
    history = RunHistory(tmp_path, limits=HistoryLimits(array_bytes=1 << 20))
    large = np.zeros((1 << 20) + 1, np.uint8)
    run_id = history.begin(case(large), ENDPOINT)
    history.finish(run_id, run_of(case(large), output(large), output(np.array([object()]), "object")))
    (kept, odd) = history.outputs(run_id)
    assert kept.array is None
    assert kept.note == "larger than the 1 MiB that are kept"
    assert odd.array is None
    described = history.get(run_id).outputs[0]
    assert described.shape == large.shape
    assert described.statistics is not None
    assert described.statistics["zeros"] == large.size
    with pytest.raises(NotKeptError, match="x1 was not kept"):
        history.case(run_id)


def test_an_array_that_can_not_be_written_is_a_note_of_its_run(tmp_path: Path) -> None:
    history = RunHistory(tmp_path)
    (tmp_path / "arrays").write_text("a file where the folder should be")
    run_id = history.begin(case(), ENDPOINT)
    history.finish(run_id, run_of(case(), output(np.zeros(3))))
    assert history.get(run_id).state is RunState.OK
    assert history.outputs(run_id)[0].note.startswith("it could not be written: ")


def test_several_processes_worth_of_histories_write_at_once(tmp_path: Path) -> None:
    faults: list[BaseException] = []

    def work() -> None:
        try:
            history = RunHistory(tmp_path)
            for _ in range(10):
                run_id = history.begin(case(floats(1)), ENDPOINT)
                history.finish(run_id, run_of(case(), output(floats(2))))
            history.close()
        except BaseException as error:
            faults.append(error)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert faults == []
    found = RunHistory(tmp_path).latest(limit=100)
    assert len(found) == 40
    assert {record.state for record in found} == {RunState.OK}
    assert len(list((tmp_path / "arrays").glob("*.npy"))) == 2


def test_a_run_is_interrupted_when_its_process_is_gone_and_only_then(tmp_path: Path) -> None:
    history = RunHistory(tmp_path)
    mine, other, elsewhere, long_ago = (history.begin(case(), ENDPOINT) for _ in range(4))
    with history._database.writing() as connection:
        # a process number that another process has now, and one of another machine
        connection.execute("UPDATE runs SET process_start = '1', pid = ? WHERE id = ?", (os.getpid(), other))
        connection.execute("UPDATE runs SET process_place = 'node-b' WHERE id IN (?, ?)", (elsewhere, long_ago))
        connection.execute("UPDATE runs SET started_ns = 0 WHERE id = ?", (long_ago,))
    reopened = RunHistory(tmp_path)
    assert [record.id for record in reopened.interrupted()] == [other, long_ago]
    assert reopened.get(mine).state is RunState.UNDER_WAY
    assert reopened.get(elsewhere).state is RunState.UNDER_WAY
    assert RunHistory(tmp_path).interrupted() == []
