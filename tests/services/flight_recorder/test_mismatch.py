"""What counts as a disagreement, by the rule of each operation, and what does not."""

from __future__ import annotations

from typing import Any

import pytest

from tests.fakes.flight_recorder_jobs import Call, FakeGroup, FakeJob, Fault
from xpudbg.services.flight_recorder.analysis import analyse
from xpudbg.services.flight_recorder.mismatch import Mismatch, What

from .looking import diagnosed, the_finding
from .recorded import dump_of, entry

Sides = tuple[list[list[int]], list[list[int]]]


def mismatches(op: str, *sides: Sides, dtypes: list[str] | None = None, **fields: Any) -> tuple[Mismatch, ...]:
    """The mismatches of one call, given input and output sizes of each rank."""
    ranks = str(list(range(len(sides))))
    dumps = []
    for rank, (inputs, outputs) in enumerate(sides):
        dtype = (dtypes or ["Float"] * len(sides))[rank]
        made = entry(
            f"nccl:{op}",
            1,
            input_sizes=inputs,
            output_sizes=outputs,
            input_dtypes=[dtype] * len(inputs),
            output_dtypes=[dtype] * len(outputs),
            **fields,
        )
        dumps.append(dump_of(rank, [made], ranks))
    return analyse(dumps).mismatches


@pytest.mark.parametrize(
    ("op", "sides"),
    [
        ("all_reduce", [([[2, 3]], [[2, 3]]), ([[6]], [[6]]), ([[3, 2]], [[3, 2]])]),
        ("broadcast", [([[6]], [[6]]), ([], [[6]]), ([], [])]),
        ("broadcast", [([[6]], []), ([], [[6]]), ([], [[6]])]),
        ("_all_gather_base", [([[2]], [[6]])] * 3),
        ("all_gather", [([[3]], [[3, 3]]), ([[3]], [[3, 3]])]),
        ("all_gather", [([[2]], [[2], [5]]), ([[5]], [[2], [5]])]),
        ("reduce_scatter", [([[2], [5]], [[2]]), ([[2], [5]], [[5]])]),
        ("_reduce_scatter_base", [([[6]], [[3]]), ([[6]], [[3]])]),
        ("gather", [([[4]], [[4, 4]]), ([[4]], [])]),
        ("scatter", [([[4, 4]], [[4]]), ([], [[4]])]),
        ("all_to_all", [([[8]], [[3]]), ([[6]], [[11]])]),
        ("all_to_all", [([[0]], [[6]]), ([[6]], [[0]])]),
        ("barrier", [([], []), ([], [])]),
        ("barrier", [([[1]], [[1]]), ([], [])]),
        ("brand_new", [([[1]], [[1]]), ([[2]], [[7]])]),
        ("all_gather_v", [([[1]], [[3]]), ([[2]], [[3]])]),
    ],
)
def test_what_fits(op: str, sides: list[Sides]) -> None:
    assert mismatches(op, *sides) == ()


@pytest.mark.parametrize(
    ("op", "sides", "odd"),
    [
        ("all_reduce", [([[6]], [[6]]), ([[6]], [[6]]), ([[7]], [[7]])], "2"),
        ("all_reduce", [([[6]], [[6]]), ([[7]], [[7]])], ""),
        ("broadcast", [([], [[6]]), ([], [[6]]), ([], [[5]])], "2"),
        ("_all_gather_base", [([[2]], [[6]]), ([[2]], [[6]]), ([[1]], [[3]])], "2"),
        ("_all_gather_base", [([[2]], [[6]]), ([[2]], [[6]]), ([[2]], [[7]])], "2"),
        ("_reduce_scatter_base", [([[6]], [[2]]), ([[9]], [[3]]), ([[6]], [[2]])], "1"),
        ("all_gather", [([[2]], [[2], [5]]), ([[4]], [[2], [5]])], ""),
        ("gather", [([[4]], [[4, 4, 4]]), ([[4]], []), ([[5]], [])], "2"),
        ("scatter", [([[4, 4, 4]], [[4]]), ([], [[4]]), ([], [[9]])], "2"),
        ("all_to_all", [([[8]], [[8]]), ([[8]], [[6]])], ""),
    ],
)
def test_sizes_that_do_not_fit(op: str, sides: list[Sides], odd: str) -> None:
    (mismatch,) = mismatches(op, *sides)
    assert (mismatch.what, str(mismatch.odd)) == (What.SIZE, odd)


def test_dtypes() -> None:
    same: list[Sides] = [([[4]], [[4]])] * 3
    (mismatch,) = mismatches("all_reduce", *same, dtypes=["Float", "Half", "Float"])
    assert (mismatch.what, str(mismatch.odd)) == (What.DTYPE, "1")
    assert mismatches("scatter", ([[4, 4]], [[4]]), ([], [[4]])) == ()
    assert mismatches("brand_new", ([[0]], [[0]]), ([[4]], [[4]]), dtypes=["Half", "Float"]) == ()


def test_states_are_no_mismatch() -> None:
    dumps = [dump_of(0, [entry("nccl:barrier", 1)]), dump_of(1, [entry("nccl:barrier", 1, state="started")])]
    assert analyse(dumps).mismatches == ()


def test_a_tie_names_nobody() -> None:
    sides: list[Sides] = [([[6]], [[6]]), ([[6]], [[6]]), ([[7]], [[7]]), ([[7]], [[7]])]
    (mismatch,) = mismatches("all_reduce", *sides)
    assert (str(mismatch.odd), [str(variant.ranks) for variant in mismatch.variants]) == ("", ["0-1", "2-3"])


def test_the_one_rank_in_all_wrong_pairs_is_odd() -> None:
    good = [[2], [2], [2]]
    (mismatch,) = mismatches("all_to_all", (good, good), ([[5], [2], [5]], good), (good, good))
    assert ([(pair.source, pair.target) for pair in mismatch.pairs], str(mismatch.odd)) == ([(1, 0), (1, 2)], "1")


def test_sizes_beyond_floats_are_exact() -> None:
    big = 2**60
    assert mismatches("all_to_all", ([[big]], [[big + 1]]), ([[big + 1]], [[big]])) == ()
    (mismatch,) = mismatches("all_to_all", ([[big]], [[big + 1]]), ([[big]], [[big]]))
    assert mismatch.totals == (2 * big, 2 * big + 1)


def test_members_of_a_coalesced_call_are_compared() -> None:
    def batch(*sizes: int, first: int = 0) -> list[dict[str, Any]]:
        rows = [
            entry("nccl:_broadcast_oop", 1, record_id=first + place, input_sizes=[[size]], output_sizes=[[size]])
            for place, size in enumerate(sizes)
        ]
        end = entry("nccl:ALLGATHER_coalesced", 1, record_id=first + 9, input_sizes=[], output_sizes=[])
        return [*rows, end]

    assert analyse([dump_of(rank, batch(1, 2, 3)) for rank in (0, 1)]).mismatches == ()
    (mismatch,) = analyse([dump_of(0, batch(1, 2, 3)), dump_of(1, batch(1, 2, 4))]).mismatches
    assert mismatch.what is What.SIZE
    # A ring that has lost the beginning of the batch, and a batch whose end is not there yet, say nothing.
    assert analyse([dump_of(0, batch(1, 2, 3)), dump_of(1, batch(2, 3, first=40))]).mismatches == ()
    assert analyse([dump_of(0, batch(1, 2, 3)), dump_of(1, batch(1, 2, 3)[:2])]).mismatches == ()


@pytest.mark.parametrize(("second", "dtype", "what"), [(9, "Float", What.SIZE), (8, "Half", What.DTYPE)])
def test_a_coalesced_call_is_told_by_what_it_is_made_of(second: int, dtype: str, what: What) -> None:
    group = FakeGroup("0", "default_pg", (0, 1, 2))
    calls = [Call("0", "ALLREDUCE_coalesced", inner=(("allreduce_", 4), ("allreduce_", 8)))] * 3
    wrong = Call("0", "ALLREDUCE_coalesced", inner=(("allreduce_", 4), ("allreduce_", second)), dtype=dtype)
    mismatch = the_finding(diagnosed(FakeJob(3, [group], calls, faults=[Fault(1, 1, "wrong", wrong)]))).mismatch
    assert mismatch is not None
    assert (mismatch.what, str(mismatch.odd)) == (what, "1")
    assert [variant.said.inputs for variant in mismatch.variants] == [((4,), (8,)), ((4,), (second,))]


@pytest.mark.parametrize(("plain", "differs"), [("broadcast", True), ("_broadcast_oop", False), ("all_gather", False)])
def test_another_call_than_a_closed_batch_is_told_from_the_beginning_of_that_batch(plain: str, differs: bool) -> None:
    waits = {"state": "started", "retired": False}
    batch = [
        entry("nccl:_broadcast_oop", 1, record_id=0, **waits),
        entry("nccl:ALLGATHER_coalesced", 1, record_id=1, input_sizes=[], output_sizes=[], **waits),
    ]
    dumps = [dump_of(rank, batch, "[0, 1, 2]") for rank in range(2)]
    dumps.append(dump_of(2, [entry(f"nccl:{plain}", 1, record_id=0, **waits)], "[0, 1, 2]"))
    made = analyse(dumps).mismatches
    assert [(one.what, str(one.odd)) for one in made] == ([(What.OPERATION, "2")] if differs else [])
