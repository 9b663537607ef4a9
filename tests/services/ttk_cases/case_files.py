"""Case files written anew for each test, in the forms that spreadsheets and the test kit write."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING, Any

import openpyxl

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["E2E_ROWS", "KERNEL_ROWS", "RESULT_ROWS", "csv_bytes", "e2e_row", "xlsx_bytes"]

F32 = "('float32','float32')"
HOSTILE = """__import__("os").system("touch PWNED")"""


def e2e_row(name: str = "case", api: str = "torch.abs", shapes: str = "((2,),)", **cells: str) -> dict[str, str]:
    return {
        "testcase_name": name,
        "api_name": api,
        "tensor_view_shapes": shapes,
        "tensor_dtypes": "('float32',)",
        **cells,
    }


E2E_ROWS = (
    e2e_row("scaled", "torch.sub", "((8,16),(8,16))", attributes="{'alpha':0.5}", input_data_ranges="((-2,2),(-1,1))"),
    e2e_row("broadcast", "torch.sub", "((8,1,4),(3,4))", tensor_dtypes="('bfloat16',)", attributes="{'alpha':2.0}"),
    e2e_row("softmax", "torch.nn.functional.softmax", "((32,128),)", precision_tolerances="((0.002,0.002),)"),
    e2e_row("list", "torch.cat", "(((4,5),(2,5),(1,5)),)", tensor_dtypes="(('fp16','fp16','fp16'),)"),
    e2e_row("out", "torch.matmul", "((6,7),(7,3),(6,3))", attributes="{}", output_tensor_indexes="(2,)"),
    e2e_row("in_place", "torch.Tensor.tanh_", "((5,),)"),
    e2e_row("no_axes", "torch.add", "((),(3,))", tensor_dtypes="('int64','int64')", input_data_ranges="((1,9),(1,9))"),
    e2e_row("bad_shape", "torch.add", "((2,3),(4,))", tensor_dtypes=F32),
    e2e_row("hostile", attributes=HOSTILE),
    e2e_row("off", is_enabled="False", team_note="keep me"),
)
"""Ten rows, one of which can't be read."""

KERNEL_ROWS = (
    {
        "testcase_name": "mul",
        "op_name": "mul",
        "input_shapes": "((64, 128), (1,))",
        "input_dtypes": "('float16',)",
        "input_formats": "('ND',)",
        "output_shapes": "((64, 128),)",
        "output_dtypes": "('float16',)",
        "input_data_ranges": "((-1, inf), (0, 0))",
        "absolute_precision": "1e-08",
    },
    {
        "testcase_name": "reduce",
        "op_name": "reduce_sum",
        "input_shapes": "((4, 5, 6), None)",
        "input_dtypes": "('float32', None)",
        "output_shapes": "((4, 6),)",
        "output_dtypes": "('float32',)",
        "attributes": "{'axes': [1], 'keep_dims': False}",
    },
)

PASSED_IN_TORCH = '{"torch": {"status": "PASS", "api": "torch.abs", "device_us": 3.1}}'
FAILED_IN_TORCH = '{"torch": {"status": "FAIL", "api": "torch.add", "error": "RuntimeError: sizes 3 and 4"}}'
RESULT_ROWS = (
    e2e_row("good", precision_status="PASS", eager_precision="100.0%", xpu_metrics=PASSED_IN_TORCH),
    e2e_row("wrong", precision_status="FAIL", eager_precision="97.42%"),
    e2e_row("broken", precision_status="GOLDEN_FAILURE", xpu_metrics=FAILED_IN_TORCH),
    e2e_row("quiet", precision_status="SUPPRESSED", xpu_metrics="{}"),
    e2e_row("waiting"),
)


def columns_of(rows: Sequence[Mapping[str, str]]) -> list[str]:
    return list(dict.fromkeys(column for row in rows for column in row))


def csv_bytes(
    rows: Sequence[Mapping[str, str]], *, encoding: str = "utf-8", delimiter: str = ",", end: str = "\n"
) -> bytes:
    text = io.StringIO()
    writer = csv.DictWriter(text, columns_of(rows), restval="", delimiter=delimiter, lineterminator=end)
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue().encode(encoding)


def xlsx_bytes(sheets: Mapping[str, Sequence[Mapping[str, Any]]]) -> bytes:
    """A workbook; cells that look like numbers or truth values are written as such, as a spreadsheet would."""
    book = openpyxl.Workbook()
    assert book.active is not None
    book.remove(book.active)
    for title, rows in sheets.items():
        sheet = book.create_sheet(title)
        columns = columns_of(rows)
        sheet.append(columns)
        for row in rows:
            sheet.append([_typed(row.get(column, "")) for column in columns])
    buffer = io.BytesIO()
    book.save(buffer)
    return buffer.getvalue()


def _typed(cell: Any) -> Any:
    if cell in ("True", "False"):
        return cell == "True"
    try:
        return float(cell)
    except ValueError:
        return cell or None
