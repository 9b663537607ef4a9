"""References from files, from the history, from servers."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import ml_dtypes
import numpy as np
import pytest

from tests.services.run_history.made_runs import ENDPOINT, case, floats, output, run_of
from tests.services.shown_runs import AXIS, ended, golden
from xpudbg.services.dispatch.case import Mode, OpCase, Slot
from xpudbg.services.dispatch.client import Dispatcher
from xpudbg.services.run_history.history import RunHistory
from xpudbg.services.runs import references
from xpudbg.services.runs.given import GivenOutput
from xpudbg.services.runs.references import (
    ComputedReference,
    FileReference,
    HistoryReference,
    ReferenceArrays,
    ReferenceMissingError,
    ServerReference,
    load,
    matched,
    obtain,
    reference_case,
)

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from xpudbg.services.dispatch.endpoint import OpEndpoint
    from xpudbg.services.dispatch.run_loop import OpRun


def values(found: GivenOutput | str) -> NDArray[Any]:
    assert isinstance(found, GivenOutput), found
    assert found.array is not None
    return found.array


@pytest.mark.parametrize("mapped", [False, True])
@pytest.mark.parametrize("order", ["C", "F"])
def test_a_npy_file_is_the_first_output(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mapped: bool, order: Any
) -> None:
    monkeypatch.setattr(references, "MAPPED_BYTES", 0 if mapped else 1 << 20)
    array = np.asarray(floats(1, 24).reshape(2, 3, 4), order=order)
    np.save(tmp_path / "golden.npy", array)
    found = load(FileReference(tmp_path / "golden.npy"))
    assert found.said == "golden.npy"
    loaded = values(matched(ended(array).outputs, found)["0"])
    assert isinstance(loaded, np.memmap) == mapped
    assert loaded.dtype == array.dtype
    assert np.array_equal(loaded, array)


def test_members_are_found_by_name_and_in_order(tmp_path: Path) -> None:
    named: dict[str, Any] = {"1": floats(1), "a0": floats(0), "2.0": floats(2), "other": floats(9)}
    np.savez(tmp_path / "named.npz", **named)
    found = matched(ended(floats(5), floats(5)).outputs, load(FileReference(tmp_path / "named.npz")))
    assert np.array_equal(values(found["0"]), floats(0))
    assert np.array_equal(values(found["1"]), floats(1))
    np.savez(tmp_path / "free.npz", first=floats(3), second=floats(4))
    found = matched(ended(floats(5), None, floats(5)).outputs, load(FileReference(tmp_path / "free.npz")))
    assert np.array_equal(values(found["0"]), floats(3))
    assert np.array_equal(values(found["2"]), floats(4))
    assert found["1"] == "the reference has no output 1; it has first, second"


def test_bits_of_a_dtype_that_numpy_lacks_are_read_as_the_output() -> None:
    bits = np.arange(4).astype(ml_dtypes.bfloat16)
    for raw in (bits.view("V2"), bits.view(np.uint16), bits):
        found = matched(ended(bits).outputs, golden(raw))["0"]
        assert values(found).tolist() == bits.tolist()
    wide = matched(ended(bits).outputs, golden(np.arange(4.0)))["0"]
    assert values(wide).dtype == np.float64
    pairs = output(np.ones((3, 2), np.float16), "complex32")
    found = matched(ended(pairs).outputs, golden(np.ones((3, 2), np.float16)))["0"]
    assert isinstance(found, GivenOutput)
    assert (found.logical, found.shape) == ("complex32", (3,))


def _broken(path: Path, content: bytes) -> Path:
    path.write_bytes(content)
    return path


def test_files_that_give_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    objects = tmp_path / "objects.npy"
    np.save(objects, np.array([{}], object), allow_pickle=True)
    short = tmp_path / "short.npy"
    np.save(short, np.zeros(100))
    short.write_bytes(short.read_bytes()[:-8])
    np.savez(tmp_path / "empty.npz")
    for path, said in (
        (tmp_path / "none.npy", "none.npy can't be read: No such file"),
        (tmp_path / "\0.npy", "no file can have such a name"),
        (tmp_path / "\0.npz", "no file can have such a name"),
        (objects, "objects.npy"),
        (short, "short.npy"),
        (_broken(tmp_path / "text.npz", b"not a zip"), "text.npz"),
        (tmp_path / "empty.npz", "empty.npz"),
    ):
        with pytest.raises(ReferenceMissingError, match=said):
            load(FileReference(path))
    monkeypatch.setattr(references, "MAPPED_BYTES", 0)
    for path in (objects, short, _broken(tmp_path / "little.npy", b"\x93NUM")):
        with pytest.raises(ReferenceMissingError, match=path.name):
            load(FileReference(path))


def test_a_run_of_the_history(tmp_path: Path) -> None:
    history = RunHistory(tmp_path)
    number = history.begin(case(), ENDPOINT)
    history.finish(number, run_of(case(), output(floats(2))))
    history.fail(history.begin(case(), ENDPOINT), AXIS)
    found = load(HistoryReference(number), history)
    assert np.array_equal(values(matched(ended(floats(0)).outputs, found)["0"]), floats(2))
    with pytest.raises(ReferenceMissingError, match="gave no outputs"):
        load(HistoryReference(2), history)
    with pytest.raises(ReferenceMissingError, match="no run 99"):
        load(HistoryReference(99), history)
    history.close()
    with pytest.raises(ReferenceMissingError, match="no history"):
        load(HistoryReference(1))


def test_the_case_that_gives_a_reference_has_the_same_inputs() -> None:
    of = case(floats(1), provider="torch", attrs={"axis": 1}, mode=Mode.DATA | Mode.PERF)
    made = reference_case(ComputedReference(api="numpy.add"), of)
    assert (made.provider, made.api, made.mode) == ("numpy", "numpy.add", Mode.DATA)
    assert (made.inputs, made.attrs) == (of.inputs, of.attrs)
    assert reference_case(ServerReference(ENDPOINT), of).provider == "torch"


async def test_another_server_gives_it_or_says_why_not() -> None:
    async def gives(of: OpCase, endpoint: OpEndpoint) -> OpRun:
        assert endpoint is ENDPOINT
        return run_of(of, output(floats(3)))

    async def fails(_case: OpCase, _endpoint: OpEndpoint) -> OpRun:
        raise AXIS

    reference = ServerReference(ENDPOINT, "numpy")
    found = await obtain(reference, case(), gives)
    assert found.said == "numpy on 127.0.0.1:9090"
    assert np.array_equal(values(matched(ended(floats(0)).outputs, found)["0"]), floats(3))
    with pytest.raises(ReferenceMissingError, match=r"the reference, numpy on .* failed: .*AxisError") as caught:
        await obtain(reference, case(), fails)
    assert caught.value.hint == "look at the attribute"


async def test_computed_on_this_machine() -> None:
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    of = OpCase(api="torch.add", inputs=(Slot("x1", x), Slot("x2", x)))
    async with Dispatcher() as dispatcher:
        found = await obtain(ComputedReference(api="numpy.add"), of, dispatcher.run)
    assert values(found.outputs[0]).tolist() == (x + x).tolist()
    assert found.said == "numpy.add on this machine"


async def test_an_interpreter_that_is_not_there_is_said() -> None:
    async with Dispatcher() as dispatcher:
        with pytest.raises(ReferenceMissingError, match="could not be started"):
            await obtain(ComputedReference(python="/no/such/python"), case(), dispatcher.run)


async def test_a_file_by_the_same_way(tmp_path: Path) -> None:
    np.save(tmp_path / "golden.npy", floats(1))
    async with asyncio.timeout(30), Dispatcher() as dispatcher:
        found = await obtain(FileReference(tmp_path / "golden.npy"), case(), dispatcher.run)
    assert isinstance(found, ReferenceArrays)
