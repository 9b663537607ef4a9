"""The outputs of a run as rows of a table, failing ones told by words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..widgets.table_layout import Column

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...services.runs.shown import Compared, OutputShown, RunShown
    from ..widgets.table_layout import Cell

__all__ = ["OutputRows", "before_sentence", "before_text", "reference_text"]

NOTHING: Cell = ("", "")


class OutputRows:
    """The outputs of one run; against a reference and the run before only where there are such."""

    def __init__(self, shown: RunShown) -> None:
        self.outputs = shown.outputs
        verdicts = (
            (any(each.reference is not None for each in self.outputs), Column("reference", "reference", max_width=24)),
            (any(each.before is not None for each in self.outputs), Column("before", "run before", max_width=24)),
        )
        self.columns: Sequence[Column] = (
            Column("name", "output", max_width=8),
            Column("dtype", "dtype", max_width=16),
            Column("shape", "shape", max_width=24),
            *(column for there, column in verdicts if there),
            *(Column(name, name, "right", max_width=13) for name in ("min", "max", "mean")),
            *(Column(name, name, "right", max_width=12) for name in ("NaN", "inf")),
            Column("note", "", max_width=60),
        )

    def cell(self, row: int, column: int) -> Cell:
        each = self.outputs[row]
        match self.columns[column].key:
            case "name":
                return each.name, "table--title"
            case "dtype":
                return each.dtype or "None", ""
            case "shape":
                return (str(list(each.shape)) if each.dtype is not None else ""), ""
            case "reference":
                return reference_text(each.reference)
            case "before":
                return before_text(each.before)
            case "note":
                return each.note, "table--muted"
            case key:
                return _statistic(each, key)


def reference_text(compared: Compared | None) -> Cell:
    """The verdict against the reference in a few words."""
    if compared is None:
        return NOTHING
    found = compared.comparison
    if found is None:
        return "not compared", "table--warning"
    if found.passed:
        return f"passes {found.standard}", ""
    if not found.measures:
        return ("WRONG shape" if found.shapes_differ else "WRONG dtype"), "table--missing"
    ratio = found.matched_ratio
    share = "" if ratio is None else f", {_share(1 - ratio)} off"
    return f"WRONG {found.standard}{share}", "table--missing"


def before_text(compared: Compared | None) -> Cell:
    """How an output differs from that of the run before."""
    if compared is None:
        return NOTHING
    found = compared.comparison
    if found is None:
        return "not compared", "table--muted"
    if found.shapes_differ:
        return f"shape was {list(found.expected_shape)}", "table--warning"
    if found.dtypes_differ:
        return f"was {found.expected_dtype}", "table--warning"
    if found.passed:
        return "the same", "table--muted"
    return (f"{found.bad:,} differ" if found.bad is not None else "differs"), "table--warning"


def before_sentence(compared: Compared) -> str:
    """How an output differs from that of the run before, in full."""
    found = compared.comparison
    if found is None:
        return compared.problem
    if found.passed:
        return "is the same as in the run before"
    if not found.measures:
        return f"can't be compared with the run before: {found.reason}"
    said = f"{found.bad:,} of {found.elements:,} elements differ" if found.bad is not None else found.sentence
    if found.worst:
        worst = found.worst[0]
        said += f", most at {list(worst.index)}: {worst.actual:.9g}, it was {worst.expected:.9g}"
    if found.shapes_differ:
        said += f"; the shape was {list(found.expected_shape)}"
    return said + (f"; the dtype was {found.expected_dtype}" if found.dtypes_differ else "")


def _statistic(each: OutputShown, key: str) -> Cell:
    found = each.statistics
    if found is None:
        return NOTHING
    if key in ("NaN", "inf"):
        count = found.nan if key == "NaN" else found.plus_inf + found.minus_inf
        return f"{count:,}", "table--warning" if count else "table--muted"
    value = {"min": found.minimum, "max": found.maximum, "mean": found.mean}[key]
    if value is None:
        return NOTHING
    return (str(value) if isinstance(value, int) else f"{value:.6g}"), ""


def _share(share: float) -> str:
    return f"{share:.2%}" if share >= 1e-4 else f"{share:.1e}"
