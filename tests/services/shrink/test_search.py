"""Shrinking against failures whose cause is known: what is left is the cause."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from xpudbg.services.dispatch.case import OpCase, Slot
from xpudbg.services.dispatch.inputs import Generated, parse_generated
from xpudbg.services.shrink.outcome import PASSED, Outcome
from xpudbg.services.shrink.search import NothingFailsError, Shrinker, ShrinkStep, Shrunk

FAILED = Outcome("OpFailed: RuntimeError", "it failed")
SIZES = Outcome("OpFailed: ValueError", "shapes do not fit")


def case(attrs: dict[str, Any] | None = None, **inputs: Any) -> OpCase:
    made = {name: parse_generated(value) if isinstance(value, str) else value for name, value in inputs.items()}
    return OpCase(api="torch.add", attrs=attrs or {}, inputs=tuple(Slot(name, value) for name, value in made.items()))


def arrays(of: OpCase) -> dict[str, NDArray[Any]]:
    """The arrays by name, generated or not."""
    return {name: leaf.make() if isinstance(leaf, Generated) else leaf for name, leaf in of.leaves()}


def size(of: OpCase) -> int:
    """Elements of `x`; 0 without it."""
    return arrays(of)["x"].size if "x" in arrays(of) else 0


async def shrunk(of: OpCase, fails: Callable[[OpCase], bool | Outcome], **options: Any) -> Shrunk:
    async def run(candidate: OpCase) -> Outcome:
        try:
            found = fails(candidate)
        except LookupError:  # an input that the operator needs is not there
            return SIZES
        if isinstance(found, Outcome):
            return found
        return FAILED if found else PASSED

    return await Shrinker(of, run, **options).go()


async def test_shared_sizes_shrink_together() -> None:
    def fails(of: OpCase) -> Outcome:
        x, y = arrays(of)["x"], arrays(of)["y"]
        if x.ndim != 2 or y.ndim != 2 or x.shape[1] != y.shape[0]:
            return SIZES
        return FAILED if x.shape[1] >= 37 else PASSED

    done = await shrunk(case(x="float32[300,512]:normal", y="float32[512,64]:normal"), fails)
    assert {name: array.shape for name, array in arrays(done.case).items()} == {"x": (1, 37), "y": (37, 1)}
    assert done.complete
    assert done.outcome is FAILED
    assert done.runs < 80


async def test_sizes_in_attributes_go_with_the_shapes() -> None:
    def fails(of: OpCase) -> Outcome:
        if math.prod(of.attrs["shape"]) != arrays(of)["x"].size:
            return SIZES
        return FAILED if of.attrs["shape"][1] >= 5 else PASSED

    done = await shrunk(case({"shape": [64, 48]}, x="float32[64,48]:normal"), fails)
    assert done.case.attrs == {"shape": [1, 5]}
    assert arrays(done.case)["x"].size == 5


async def test_one_bad_element_is_found_wherever_it_is() -> None:
    values = np.ones((32, 48), np.float32)
    values[29, 11] = np.nan
    done = await shrunk(case(x=values), lambda of: bool(np.isnan(arrays(of)["x"]).any()))
    left = arrays(done.case)["x"]
    assert left.shape == (1, 1)
    assert str(done.case.inputs[0].value) == "float32[1,1]:constant(nan):seed=0"


async def test_values_that_do_not_matter_become_zero() -> None:
    values = np.arange(1, 101, dtype=np.int64)
    done = await shrunk(
        case(x=values), lambda of: bool({3, 70} <= set(arrays(of)["x"].tolist()) and arrays(of)["x"].size == 100)
    )
    left = arrays(done.case)["x"]
    assert sorted(left[left != 0].tolist()) == [3, 70]


async def test_a_generated_input_gives_its_elements_only_when_that_makes_it_smaller() -> None:
    of = case(x="float32[400]:uniform(-1,1):seed=7")
    largest = float(arrays(of)["x"].max())
    done = await shrunk(of, lambda candidate: bool((arrays(candidate)["x"] == np.float32(largest)).any()))
    assert arrays(done.case)["x"].tolist() == [largest]
    done = await shrunk(of, lambda candidate: size(candidate) >= 7 and bool(arrays(candidate)["x"].std()))
    assert str(done.case.inputs[0].value) == "float32[7]:uniform(-1,1):seed=7"


async def test_what_has_no_part_in_it_goes() -> None:
    of = case(
        {"dim": 8, "keep": True, "eps": 2.5, "name": "a", "pads": [3, 9, 27], "neg": -40},
        x="float32[8]",
        y="float32[8]",
        z="float32[8]",
        zs=(np.ones(3), np.ones(4), np.ones(5), np.ones(6), np.ones(7)),
    )

    def fails(candidate: OpCase) -> bool:
        attrs = candidate.attrs
        return (
            {"x", "y", "zs"} <= {slot.name for slot in candidate.inputs}
            and len(candidate.inputs[-1].leaves) >= 2
            and attrs.get("dim", 0) >= 3
            and attrs.get("eps", 0) > 1
            and any(n >= 5 for n in attrs.get("pads", ()))
            and attrs.get("neg", 0) <= -7
        )

    done = await shrunk(of, fails, budget=2000)
    assert [slot.name for slot in done.case.inputs] == ["x", "y", "zs"]
    assert done.case.inputs[1].value is None
    assert len(done.case.inputs[2].leaves) == 2
    assert done.case.attrs["dim"] in (3, 4)
    assert done.case.attrs["eps"] == 2.0
    assert len(done.case.attrs["pads"]) == 1
    assert -10 <= done.case.attrs["neg"] <= -7
    assert set(done.case.attrs) == {"dim", "eps", "pads", "neg"}


async def test_another_failure_is_not_taken() -> None:
    def fails(of: OpCase) -> Outcome:
        return FAILED if size(of) >= 10 else SIZES

    done = await shrunk(case(x="float32[64]"), fails)
    assert arrays(done.case)["x"].size == 10
    done = await shrunk(case(x="float32[64]"), fails, same=lambda _wanted, outcome: outcome.failure is not None)
    assert done.case.inputs == ()


async def test_complex32_keeps_its_pairs() -> None:
    pairs = np.ones((6, 2), np.float16)
    of = OpCase(api="a.b", inputs=(Slot("x", pairs, None, "complex32"),))
    done = await shrunk(of, lambda candidate: len(candidate.inputs) == 1 and candidate.inputs[0].value is not None)
    assert arrays(done.case)["x"].shape == (1, 2)


async def test_the_budget_ends_it_with_the_best_so_far() -> None:
    told: list[ShrinkStep] = []
    done = await shrunk(case(x="float32[1000]"), lambda of: size(of) >= 10, budget=5, tell=told.append)
    assert (done.runs, done.complete, done.reason) == (5, False, "5 runs were made")
    assert arrays(done.case)["x"].size < 1000
    assert [step.runs for step in told] == [2, 3, 4, 5]
    assert any(step.accepted for step in told)
    assert told[-1].size.startswith(f"{arrays(done.case)['x'].size} elements (x[")


async def test_it_is_deterministic_and_runs_no_case_twice() -> None:
    values = np.arange(64, dtype=np.float32).reshape(8, 8)
    seen: list[list[str]] = []
    for _ in range(2):
        ran: list[str] = []

        def fails(of: OpCase, ran: list[str] = ran) -> bool:
            ran.append(f"{of.attrs} {[(slot.name, str(slot.value)) for slot in of.inputs]}")
            return float(arrays(of)["x"].sum()) > 500 if of.inputs else False

        await shrunk(case({"dim": 3}, x=values), fails)
        seen.append(ran)
    assert seen[0] == seen[1]
    assert len(set(seen[0])) >= len(seen[0]) - 1  # the text of an array leaves out a difference at most


async def test_a_case_that_passes_is_not_shrunk() -> None:
    with pytest.raises(NothingFailsError, match="does not fail"):
        await shrunk(case(x="float32[4]"), lambda _of: False)


async def test_a_server_that_is_gone_ends_it() -> None:
    runs = 0

    def fails(_of: OpCase) -> Outcome:
        nonlocal runs
        runs += 1
        return FAILED if runs == 1 else Outcome("ConnectionFailed", "nothing listens", lost=True)

    done = await shrunk(case({"a": 1, "b": 2}, x="float32[4]", y="float32[4]"), fails)
    assert (done.runs, done.complete) == (4, False)
    assert done.reason == "the server gave no answer 3 times: nothing listens"
    assert [slot.name for slot in done.case.inputs] == ["x", "y"]


async def test_a_server_that_is_not_there_is_no_failure_of_the_case() -> None:
    lost = Outcome("ConnectionFailed", "reset", lost=True)
    done = await shrunk(case(x="float32[64]"), lambda _of: lost)
    assert (done.runs, done.complete, done.reason) == (1, False, "the server gave no answer: reset")
    assert size(done.case) == 64


async def test_cancelled_it_knows_the_best_so_far() -> None:
    reached = asyncio.Event()

    async def run(of: OpCase) -> Outcome:
        if size(of) == 1:
            reached.set()
            await asyncio.Event().wait()
        return FAILED if size(of) else PASSED

    search = Shrinker(case({"dim": 1}, x="float32[64]"), run)
    task = asyncio.create_task(search.go())
    await reached.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert search.best.attrs == {}
    assert search.outcome is FAILED


@pytest.mark.parametrize("value", [0, False, 0.0, [], "text", None, float("nan"), -1, 10**400, 1e308, -0.5])
async def test_any_attribute_comes_to_an_end(value: object) -> None:
    done = await shrunk(case({"a": value}), lambda of: "a" in of.attrs)
    assert done.complete
    assert done.runs < 60
