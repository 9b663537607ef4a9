"""What is shown of a run: its outcome, and each output beside its reference and beside the run before.

Made once, away from the screen; immutable from then on.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from ..comparison.compare import compare
from ..comparison.errors import ComparisonError
from ..comparison.heatmap import error_heatmap
from ..comparison.routing import choose_standard
from ..comparison.statistics import statistics
from ..dispatch.edits import changed
from ..dispatch.inputs import Generated
from .case_standard import CaseStandard
from .references import matched

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from ..comparison.compare import Comparison
    from ..comparison.heatmap import Heatmap
    from ..comparison.judging import Standard
    from ..comparison.statistics import Statistics
    from ..dispatch.edits import Difference
    from ..run_history.records import RunState
    from .given import GivenOutput, GivenRun
    from .references import ReferenceArrays

__all__ = ["Compared", "OutputShown", "RunShown", "show_run"]

HEAT_CELLS = (64, 160)
"""Rows and columns of an error heat map at most; screens make it coarser."""
WORST_KEPT = 100


@dataclass(frozen=True, slots=True, eq=False)
class Compared:
    """An output against what it is compared with."""

    expected: NDArray[Any] | None
    expected_logical: str | None
    """The logical dtype where the array's own does not say it."""
    comparison: Comparison | None
    heatmap: Heatmap | None
    """Largest absolute errors; None where the arrays can't be laid over each other."""
    problem: str = ""
    """Why there is no comparison, one plain line; empty when there is one."""


@dataclass(frozen=True, slots=True, eq=False)
class OutputShown:
    """One output with what was found out about it."""

    name: str
    """`0`, `1`, and `2.0`, `2.1` in a list."""
    dtype: str | None
    """Logical dtype; None for an output that is None."""
    shape: tuple[int, ...]
    array: NDArray[Any] | None
    """Possibly mapped from a file; None where there are no values."""
    logical: str | None
    """The logical dtype where the array's own does not say it."""
    statistics: Statistics | None
    """None where there are no values, or they are no numbers."""
    note: str = ""
    """Why there are no values or statistics, one plain line."""
    reference: Compared | None = None
    """None when there is no reference."""
    before: Compared | None = None
    """Against the run before, bit by bit where the dtypes allow it; None when there is none."""


@dataclass(frozen=True, slots=True, eq=False)
class RunShown:
    """All that a screen says of a run."""

    run: GivenRun
    outputs: tuple[OutputShown, ...] = ()
    reference: str = ""
    """What the reference is; empty when there is none."""
    reference_problem: str = ""
    """Why the reference that was asked for is not there."""
    before: str = ""
    """What the run before is called; empty when there is none."""
    before_state: RunState | None = None
    changes: tuple[Difference, ...] = ()
    """Fields of the case that differ from the run before."""

    @property
    def passed(self) -> bool | None:
        """Whether the outputs pass against the reference: False when one is wrong, None when none is and not all could
        be compared."""
        found = [each.reference.comparison for each in self.outputs if each.reference is not None]
        if any(each is not None and not each.passed for each in found):
            return False
        return True if found and None not in found else None


def show_run(
    run: GivenRun,
    reference: ReferenceArrays | None = None,
    before: GivenRun | None = None,
    standard: CaseStandard | str | None = None,
    *,
    reference_problem: str = "",
    watch: Callable[[int], None] | None = None,
) -> RunShown:
    """Find out all that is shown of a run. Reads every array several times, block by block: not for a screen's thread.

    Args:
        reference: what the outputs should be.
        before: the run before of the same case, however it ended.
        standard: what the outputs are judged by; a name where the dtype leaves a choice; None: the default.
        reference_problem: why a reference that was asked for is not there.
        watch: called after each block with elements done; what it raises ends the work.
    """
    wanted = standard if isinstance(standard, CaseStandard) else CaseStandard(standard)
    inputs = _input_dtypes(run)
    golden = matched(run.outputs, reference) if reference is not None else {}
    earlier = {each.name: each for each in before.outputs} if before is not None else {}
    outputs = []
    for each in run.outputs:
        shown = _described(each)
        theirs = golden.get(each.name)
        against = None
        if theirs is not None:
            against = _against(each, theirs, partial(wanted.rule, each.name, each.dtype or "", inputs), watch)
        last = earlier.get(each.name)
        beside = None
        if last is not None and each.array is not None:
            then: GivenOutput | str = last if last.array is not None else f"{last.note or 'it was None'}"
            beside = _compared(each, then, partial(_bit_by_bit, each, last), watch)
        outputs.append(
            OutputShown(each.name, each.dtype, each.shape, each.array, each.logical, *shown, against, beside)
        )
    both = before is not None and before.case is not None and run.case is not None
    changes = tuple(changed(before.case, run.case)) if both else ()  # type: ignore[union-attr, arg-type]
    return RunShown(
        run,
        tuple(outputs),
        reference.said if reference is not None else "",
        reference_problem,
        before.called if before is not None else "",
        before.state if before is not None else None,
        changes,
    )


def _described(output: GivenOutput) -> tuple[Statistics | None, str]:
    if output.array is None:
        return None, output.note
    try:
        return statistics(output.array, logical=output.logical), output.note
    except ComparisonError as error:
        return None, str(error)


def _input_dtypes(run: GivenRun) -> list[str] | None:
    if run.case is None:
        return None
    leaves = [(slot.logical_dtype, leaf) for slot in run.case.inputs for leaf in slot.leaves]
    return [logical or (leaf.dtype if isinstance(leaf, Generated) else leaf.dtype.name) for logical, leaf in leaves]


def _bit_by_bit(output: GivenOutput, other: GivenOutput) -> Standard:
    """Bit by bit where that can be, else what is usual."""
    return choose_standard(output.dtype or "", requested="binary" if output.dtype == other.dtype else None)


def _against(
    output: GivenOutput, theirs: GivenOutput | str, rule: Callable[[], Standard], watch: Callable[[int], None] | None
) -> Compared | None:
    if output.array is not None:
        return _compared(output, theirs, rule, watch)
    if isinstance(theirs, str):  # neither has values
        return None
    return Compared(theirs.array, theirs.logical, None, None, output.note or "is None, and the reference has values")


def _compared(
    output: GivenOutput, theirs: GivenOutput | str, rule: Callable[[], Standard], watch: Callable[[int], None] | None
) -> Compared:
    if isinstance(theirs, str):
        return Compared(None, None, None, None, theirs)
    array, expected = output.array, theirs.array
    assert array is not None
    assert expected is not None
    ours, golden = output.logical, theirs.logical
    try:
        found = compare(array, expected, rule(), logical=ours, expected_logical=golden, k=WORST_KEPT, watch=watch)
        heat = None
        if found.measures:
            heat = error_heatmap(array, expected, *HEAT_CELLS, logical=ours, expected_logical=golden)
    except ComparisonError as error:
        return Compared(expected, theirs.logical, None, None, str(error))
    return Compared(expected, theirs.logical, found, heat)
