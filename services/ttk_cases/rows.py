"""A row's texts made into a case; what can't be read becomes a problem that names line and column."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..plain_text import plain
from .case import ProviderResult, TTKCase
from .columns import KNOWN, CaseKind, shapes_column
from .errors import CellError, RowProblem
from .literals import parse_literal
from .slots import CaseSlot, lay_over, logical_name, read_dtypes, read_ranges, read_shapes

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from .tables import Row, Table

__all__ = ["read_row"]

_ABSENT = ("", "nan", "None", "none", "null")
_PRECISION_COLUMNS = ("eager_precision", "graph_cst_precision", "graph_dyn_precision", "graph_aclgraph_precision")
_KERNEL_PRECISION = ("dyn_precision", "cst_precision", "bin_precision")


def read_row(
    table: Table, row: Row, columns: tuple[str, ...], kind: CaseKind
) -> tuple[TTKCase | None, list[RowProblem]]:
    """Read one row.

    Args:
        table: where the row is from.
        row: its cells.
        columns: the header's names.
        kind: what the header makes it.

    Returns:
        The case, None when a cell that it is made of can't be read; and what is wrong.
    """
    return _RowReader(table.sheet, row, columns, kind).read()


class _RowReader:
    def __init__(self, sheet: str, row: Row, columns: tuple[str, ...], kind: CaseKind) -> None:
        self._sheet, self._line, self._kind = sheet, row.line, kind
        self._raw: dict[str, str] = {}
        for column, cell in zip(columns, row.cells, strict=False):
            self._raw.setdefault(column, cell)  # of two columns of one name the first counts
        self._extra = [cell for cell in row.cells[len(columns) :] if cell.strip()]
        self._name = self._text("testcase_name")
        self._problems: list[RowProblem] = []

    def read(self) -> tuple[TTKCase | None, list[RowProblem]]:
        e2e = self._kind is CaseKind.E2E
        if self._extra:
            self._problem("", f"{len(self._extra)} more cells than columns; quote cells that hold a separator")
        target = self._text("api_name" if e2e else "op_name")
        if not target:
            self._problem("api_name" if e2e else "op_name", "is empty")
        inputs = self._slots("tensor_view_shapes" if e2e else "input_shapes", "tensor" if e2e else "input")
        outputs = () if e2e else self._slots("output_shapes", "output")
        case = TTKCase(
            self._line,
            self._sheet,
            self._name or f"row {self._line}",
            self._kind,
            target,
            inputs,
            outputs,
            self._output_indexes(target, len(inputs)),
            self._cell("attributes", _attributes, {}),
            self._cell("precision_tolerances", _tolerances, ()),
            self._cell("absolute_precision", _absolute, ()),
            self._cell("is_enabled", _truth, True),
            self._text("remark"),
            self._text("golden_api"),
            self._text("precision_status"),
            self._precision(),
            self._cell("xpu_metrics", _providers, {}, refuse=False),
            self._raw,
            tuple(column for column in self._raw if column not in KNOWN),
        )
        return (None if any(each.refused for each in self._problems) else case), self._problems

    def _text(self, column: str) -> str:
        text = self._raw.get(column, "").strip()
        return "" if text in ("nan", "None") else text

    def _problem(self, column: str, text: str, *, refuse: bool = True) -> None:
        self._problems.append(
            RowProblem(self._sheet, self._line, plain(column, 80), plain(text, 400), plain(self._name, 120), refuse)
        )

    def _cell(self, column: str, read: Callable[[Any], Any], absent: Any, *, refuse: bool = True) -> Any:
        text = self._raw.get(column, "").strip()
        if text in _ABSENT:
            return absent
        try:
            value = parse_literal(text)
        except CellError as error:
            self._problem(column, f"{column} is {error}", refuse=refuse)
            return absent
        try:
            return absent if value is None else read(value)
        except CellError as error:
            self._problem(column, str(error), refuse=refuse)
            return absent

    def _slots(self, shapes_name: str, prefix: str) -> tuple[CaseSlot | None, ...]:
        shapes = self._cell(shapes_name, read_shapes, None)
        if shapes is None:
            if shapes_name == shapes_column(self._kind) and not any(p.column == shapes_name for p in self._problems):
                self._problem(shapes_name, "is empty; write () for an operator without inputs")
            return ()
        dtypes = self._laid(f"{prefix}_dtypes", read_dtypes, shapes, "dtypes")
        formats = self._laid(f"{prefix}_formats", read_dtypes, shapes, "formats")
        ranges_name = "" if prefix == "output" else "input_data_ranges"
        ranges = self._laid(ranges_name, read_ranges, shapes, "ranges", fill=True)
        slots: list[CaseSlot | None] = []
        for number, shape in enumerate(shapes):
            if shape is None:
                slots.append(None)
                continue
            if None in dtypes[number] and not any(p.column == f"{prefix}_dtypes" for p in self._problems):
                self._problem(f"{prefix}_dtypes", f"the dtype of {prefix} {number} is missing")
            is_list = isinstance(shape, list)
            slots.append(
                CaseSlot(
                    is_list,
                    tuple(shape) if is_list else (shape,),
                    tuple(logical_name(name) if name else "" for name in dtypes[number]),
                    tuple(formats[number]),
                    tuple(ranges[number]),
                )
            )
        return tuple(slots)

    def _laid(
        self, column: str, read: Callable[[Any], Any], shapes: tuple[Any, ...], what: str, *, fill: bool = False
    ) -> tuple[Any, ...]:
        given = self._cell(column, read, ())
        try:
            return lay_over(shapes, given, what, fill=fill)
        except CellError as error:
            self._problem(column, str(error))
            return lay_over(shapes, (), what)

    def _output_indexes(self, target: str, inputs: int) -> tuple[int, ...]:
        def read(value: Any) -> tuple[int, ...]:
            indexes = (value,) if _is_int(value) else value
            if not isinstance(indexes, tuple | list) or not all(_is_int(each) for each in indexes):
                raise CellError(f"{value!r} is no tuple of input numbers; write (2,)")
            if any(not 0 <= each < inputs for each in indexes):
                raise CellError(f"{tuple(indexes)}: there are only the inputs 0 to {inputs - 1}")
            return tuple(dict.fromkeys(indexes))

        if self._kind is CaseKind.KERNEL:
            return ()
        given: tuple[int, ...] = self._cell("output_tensor_indexes", read, ())
        in_place = target.endswith("_") and not target.endswith("__") and inputs > 0
        return given or ((0,) if in_place else ())

    def _precision(self) -> str:
        columns = _PRECISION_COLUMNS if self._kind is CaseKind.E2E else _KERNEL_PRECISION
        return next((text for text in map(self._text, columns) if text), "")


def _attributes(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise CellError(f"{value!r} is no dictionary; write {{'dim': 0}}")
    if not all(isinstance(key, str) for key in value):
        raise CellError("a key is not a text")
    return value


def _tolerances(value: Any) -> tuple[Any, ...]:
    if not isinstance(value, tuple | list):
        raise CellError(f"{value!r} is no tuple of (rtol, ptol)")
    if len(value) == 2 and all(_is_number(each) for each in value):
        value = (value,)
    for each in value:
        pair = isinstance(each, tuple | list) and len(each) == 2
        if each is not None and not (pair and all(part is None or _is_number(part) for part in each)):
            raise CellError(f"{each!r} is no (rtol, ptol)")
    return tuple(None if each is None else tuple(each) for each in value)


def _absolute(value: Any) -> tuple[float, ...]:
    values = value if isinstance(value, tuple | list) else (value,)
    if not all(_is_number(each) for each in values):
        raise CellError(f"{value!r} is no number")
    return tuple(float(each) for each in values)


def _truth(value: Any) -> bool:
    if isinstance(value, bool) or value in (0, 1):
        return bool(value)
    if isinstance(value, str) and value.lower() in ("true", "false"):
        return value.lower() == "true"
    raise CellError(f"{value!r} is neither True nor False")


def _providers(value: Any) -> Mapping[str, ProviderResult]:
    if not isinstance(value, dict):
        raise CellError("is no dictionary of providers")
    made: dict[str, ProviderResult] = {}
    for provider, said in value.items():
        if not isinstance(provider, str) or not isinstance(said, dict):
            raise CellError(f"{provider!r}: is no dictionary")
        status, api, error = (str(said.get(key) or "") for key in ("status", "api", "error"))
        made[provider] = ProviderResult(status, api, error, _number(said, "device_us"), _number(said, "peak_memory_mb"))
    return made


def _number(said: Mapping[Any, Any], key: str) -> float | None:
    value = said.get(key)
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def _is_int(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
