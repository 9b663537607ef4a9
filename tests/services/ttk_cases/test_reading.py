"""Case files and result files: CSV and XLSX, whole and broken, honest and hostile."""

from __future__ import annotations

import io
import math
import zipfile
from dataclasses import replace
from pathlib import Path

import openpyxl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from xpudbg.services.ttk_cases import sheets, tables
from xpudbg.services.ttk_cases.case import Outcome, TTKCase
from xpudbg.services.ttk_cases.columns import CaseKind
from xpudbg.services.ttk_cases.errors import CaseFileError
from xpudbg.services.ttk_cases.reading import CaseFile, read_case_bytes, read_case_file
from xpudbg.services.ttk_cases.slots import CaseSlot, Range

from .case_files import E2E_ROWS, KERNEL_ROWS, RESULT_ROWS, csv_bytes, e2e_row, xlsx_bytes

WHOLE_FILES = (csv_bytes(E2E_ROWS), csv_bytes(RESULT_ROWS, encoding="utf-16"), xlsx_bytes({"T": KERNEL_ROWS}))


def read(content: bytes, name: str = "cases.csv") -> CaseFile:
    return read_case_bytes(content, name)


def one(**cells: str) -> TTKCase:
    found = read(csv_bytes([e2e_row(**cells)]))
    assert found.problems == ()
    return found.cases[0]


def problem(**cells: str) -> str:
    """What is said of a row; it makes no case."""
    found = read(csv_bytes([e2e_row(**cells)]))
    assert found.cases == ()
    (said,) = found.problems
    assert said.refused
    return str(said)


def test_api_rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "cases.csv").write_bytes(csv_bytes(E2E_ROWS))
    found = read_case_file(tmp_path / "cases.csv")
    assert (found.kinds, found.has_results, len(found.cases)) == ((CaseKind.E2E,), False, 9)
    by_name = {case.name: case for case in found.cases}
    assert list(by_name) == [row["testcase_name"] for row in E2E_ROWS if row["testcase_name"] != "hostile"]
    assert by_name["broadcast"].inputs == (
        CaseSlot(False, ((8, 1, 4),), ("bfloat16",), (None,), (None,)),
        CaseSlot(False, ((3, 4),), ("bfloat16",), (None,), (None,)),
    )
    assert by_name["list"].inputs == (
        CaseSlot(True, ((4, 5), (2, 5), (1, 5)), ("float16",) * 3, (None,) * 3, (None,) * 3),
    )
    assert by_name["no_axes"].inputs[0] == CaseSlot(False, ((),), ("int64",), (None,), (Range(1, 9),))
    assert by_name["scaled"].attrs == {"alpha": 0.5}
    assert by_name["softmax"].limits_of(0) == {"rtol": 0.002, "ptol": 0.002, "atol": None}
    assert (by_name["out"].output_indexes, by_name["in_place"].output_indexes) == ((2,), (0,))
    assert [case.name for case in found.cases if not case.enabled] == ["off"]
    assert by_name["off"].raw["team_note"] == "keep me"
    assert by_name["off"].unknown_columns == ("team_note",)
    (said,) = found.problems
    assert (said.line, said.column, said.name, said.refused) == (10, "attributes", "hostile", True)
    assert str(said).startswith("line 10, attributes (hostile): attributes is not a literal: no value begins at")
    assert list(tmp_path.iterdir()) == [tmp_path / "cases.csv"], "nothing was run"


def test_kernel_rows() -> None:
    found = read(csv_bytes(KERNEL_ROWS))
    assert found.kinds == (CaseKind.KERNEL,)
    mul, reduce = found.cases
    assert (mul.target, mul.absolute_precision, mul.limits_of(3)["atol"]) == ("mul", (1e-8,), 1e-8)
    assert [slot.ranges for slot in mul.inputs if slot] == [(Range(-1, math.inf),), (Range(0, 0),)]
    assert [slot.formats for slot in mul.inputs if slot] == [("ND",), ("ND",)]
    assert [slot.shapes for slot in mul.outputs if slot] == [((64, 128),)]
    assert reduce.inputs[1] is None
    assert reduce.attrs == {"axes": [1], "keep_dims": False}


def test_results_come_with_what_failed_first() -> None:
    found = read(csv_bytes(RESULT_ROWS))
    assert found.has_results
    assert [case.name for case in found.cases] == ["broken", "wrong", "waiting", "good", "quiet"]
    assert [case.reason for case in found.cases] == ["torch: RuntimeError: sizes 3 and 4", "97.42%", "", "", ""]
    assert found.cases[3].xpu_metrics["torch"].device_us == 3.1


@pytest.mark.parametrize(
    ("status", "outcome"),
    [
        ("PASS", Outcome.PASSED),
        ("('PASS', 'FAIL')", Outcome.FAILED),
        ("PASS,GOLDEN_OFF", Outcome.PASSED),
        ("GOLDEN_UNSUPPORTED", Outcome.PASSED),
        ("FAIL,NO_OUTPUT", Outcome.BROKEN),
        ("UNKNOWN", Outcome.BROKEN),
        ("COMPARE_FAILURE", Outcome.BROKEN),
        ("nan", Outcome.NOT_RUN),
        ("", Outcome.NOT_RUN),
    ],
)
def test_outcomes(status: str, outcome: Outcome) -> None:
    assert one(precision_status=status).outcome is outcome


def test_results_that_can_not_be_read_keep_the_case() -> None:
    found = read(csv_bytes([e2e_row(precision_status="FAIL", xpu_metrics="{'torch': oops}")]))
    assert [case.outcome for case in found.cases] == [Outcome.FAILED]
    assert [(said.column, said.refused) for said in found.problems] == [("xpu_metrics", False)]


def plain_cases(found: CaseFile) -> list[TTKCase]:
    """Without where they stand; empty cells at a row's end are no difference."""
    return [
        replace(case, line=0, sheet="", raw={key: text for key, text in case.raw.items() if text}, unknown_columns=())
        for case in found.cases
    ]


def test_a_workbook_gives_the_same_cases() -> None:
    found = read(xlsx_bytes({"T1": E2E_ROWS, "T2": KERNEL_ROWS, "notes": [{"what": "lunch"}]}), "cases.xlsx")
    assert found.kinds == (CaseKind.E2E, CaseKind.KERNEL)
    assert plain_cases(found) == plain_cases(read(csv_bytes(E2E_ROWS))) + plain_cases(read(csv_bytes(KERNEL_ROWS)))
    assert [(case.sheet, case.line) for case in found.cases][-2:] == [("T2", 2), ("T2", 3)]
    assert str(found.problems[0]).startswith("T1, row 10, attributes (hostile)")
    assert found.notes == ("sheet notes: no known columns; has: what",)


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-32", "gb18030"])
@pytest.mark.parametrize("end", ["\r\n", "\r"], ids=["CRLF", "CR"])
def test_encodings_and_line_ends(encoding: str, end: str) -> None:
    found = read(csv_bytes([e2e_row("用例 1")], encoding=encoding, end=end))
    assert [case.name for case in found.cases] == ["用例 1"]
    assert found.columns[0] == "testcase_name"
    assert found.notes == (("read as GB 18030: it is not UTF-8",) if encoding == "gb18030" else ())


@pytest.mark.parametrize("delimiter", [";", "\t", "|"])
def test_other_separators(delimiter: str) -> None:
    assert len(read(csv_bytes(E2E_ROWS, delimiter=delimiter)).cases) == 9


NO_CASE_FILE = [
    (b"name;op;shape\nx;torch.abs;(2,3)\n", "no known columns; has: name;op;shape \\(separated by ;\\)"),
    (b"", "is empty"),
    (b"\n\n  ,\n", "is empty"),
    (b"a\0b", "zero bytes"),
    (b"\xff\xff\xff", "no text in UTF-8 \\(byte 0\\) or GB 18030"),
    (b"\xef\xbb\xbf\xff", "marked as utf-8, but byte 0 is not"),
    (b"PK\x03\x04 and no more", "is no workbook"),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an old or an encrypted workbook"),
    (b'"testcase_name,api_name\n', "its header can't be read"),
]


@pytest.mark.parametrize(("content", "text"), NO_CASE_FILE)
def test_what_is_no_case_file(content: bytes, text: str) -> None:
    with pytest.raises(CaseFileError, match=text):
        read(content)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(CaseFileError, match=r"gone\.csv: No such file"):
        read_case_file(tmp_path / "gone.csv")


def test_the_name_of_a_file_is_shown_plain() -> None:
    with pytest.raises(CaseFileError, match=r"^a\\x1b\[2Jb: is empty"):
        read(b"", "a\x1b[2Jb")


def test_a_blank_before_a_quote() -> None:
    content = b'testcase_name, api_name, tensor_view_shapes, tensor_dtypes\na, torch.abs, "((2, 3),)", "(\'int8\',)"\n'
    assert [slot.shapes for slot in read(content).cases[0].inputs if slot] == [((2, 3),)]


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_broken_files_are_read_or_refused(data: st.DataObject) -> None:
    """Some bytes changed, or the end missing: cases and problems, or a sentence that names the file."""
    content = bytearray(data.draw(st.sampled_from(WHOLE_FILES)))
    for _ in range(data.draw(st.integers(1, 8))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    cut = bytes(content[: data.draw(st.integers(len(content) // 2, len(content)))])
    try:
        said = [str(problem) for problem in read(cut).problems]
    except CaseFileError as error:
        said = [str(error)]
    assert all(text.isprintable() for text in said)


def test_a_quote_that_is_never_closed_costs_the_rest_and_is_said() -> None:
    content = csv_bytes([e2e_row("one")]) + b'"two,torch.abs\nthree,torch.abs\n'
    found = read(content)
    assert [case.name for case in found.cases] == ["one"]
    assert str(found.problems[0]) == "line 3: a quote that is opened here is never closed; lines 3 to 4 are left out"


def test_a_huge_cell_costs_its_row() -> None:
    found = read(csv_bytes([e2e_row("x" * (tables.CELL_LIMIT + 1)), e2e_row("good")]))
    assert [case.name for case in found.cases] == ["good"]
    assert "line 2: a cell of over 131,072 characters" in str(found.problems[0])


def test_too_many_rows_are_left_out_and_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables, "ROW_LIMIT", 2)
    monkeypatch.setattr(sheets, "ROW_LIMIT", 2)
    rows = [e2e_row(str(number)) for number in range(4)]
    for content in (csv_bytes(rows), xlsx_bytes({"T": rows})):
        found = read(content)
        assert len(found.cases) == 2
        assert "only the first 2 rows are read" in found.notes[0]


def test_lines_are_counted_through_cells_of_several_lines() -> None:
    found = read(csv_bytes([e2e_row("a", remark="two\nlines"), {}, e2e_row("b", attributes="oops")]))
    assert [case.line for case in found.cases] == [2]
    assert [said.line for said in found.problems] == [5]


def test_cells_beyond_the_header_and_columns_twice() -> None:
    content = b"testcase_name,api_name,tensor_view_shapes,tensor_dtypes,api_name\n"
    found = read(
        content + b"a,torch.abs,((2,)),('float32',),torch.neg\n" + b'b,torch.abs,"((2,),)",float32,torch.neg\n'
    )
    assert found.notes == ("api_name: there twice; the first counts",)
    assert "more cells than columns; quote cells that hold a separator" in str(found.problems[0])
    assert found.cases == (), "float32 without quotes is no literal"


PROBLEMS = [
    ({"shapes": ""}, "tensor_view_shapes (case): is empty; write () for an operator without inputs"),
    ({"shapes": "(2, 3)"}, "(2, 3) is one shape, not a tuple of shapes; write ((2, 3),)"),
    ({"shapes": "((2, -1),)"}, "input 0: (2, -1) has an extent that is not known"),
    ({"shapes": "((2.5,),)"}, "input 0: (2.5,) is no shape"),
    ({"shapes": "((1000000, 1000000, 1000000),)"}, "larger than any tensor"),
    ({"shapes": "((0, 99999999999999999999),)"}, "larger than any tensor"),
    ({"absolute_precision": "9" * 400}, "absolute_precision is not a literal: a number of 400 characters"),
    ({"shapes": "((2,),(3,),(4,))", "tensor_dtypes": "('int8','int8')"}, "2 dtypes for 3 shapes"),
    (
        {"shapes": "(((2,),(3,)),)", "tensor_dtypes": "(('int8','int8','int8'),)"},
        "3 dtypes for the 2 tensors of input 0",
    ),
    ({"tensor_dtypes": ""}, "tensor_dtypes (case): the dtype of tensor 0 is missing"),
    ({"tensor_dtypes": "(1,)"}, "input 0: 1 is no name"),
    ({"api": ""}, "api_name (case): is empty"),
    ({"attributes": "[1]"}, "[1] is no dictionary"),
    ({"attributes": "{1: 2}"}, "a key is not a text"),
    ({"input_data_ranges": "((3, 1),)"}, "input 0: no number lies between 3 and 1"),
    ({"input_data_ranges": "((1, nan),)"}, "input 0: no number lies between 1 and nan"),
    ({"input_data_ranges": "(1, 2)"}, "(1, 2) is one range, not a tuple of ranges"),
    ({"output_tensor_indexes": "(1,)"}, "(1,): there are only the inputs 0 to 0"),
    ({"output_tensor_indexes": "('a',)"}, "is no tuple of input numbers"),
    ({"precision_tolerances": "((1, 2, 3),)"}, "(1, 2, 3) is no (rtol, ptol)"),
    ({"absolute_precision": "'low'"}, "'low' is no number"),
    ({"is_enabled": "'maybe'"}, "'maybe' is neither True nor False"),
]


@pytest.mark.parametrize(("cells", "text"), PROBLEMS, ids=[text for _, text in PROBLEMS])
def test_problems_name_line_column_and_cause(cells: dict[str, str], text: str) -> None:
    said = problem(**cells)
    assert said.startswith("line 2, ")
    assert text in said


def test_one_entry_holds_for_all_and_ranges_may_be_missing() -> None:
    case = one(
        shapes="((2,), None, ((3,), (4,)))",
        tensor_dtypes="('fp16',)",
        tensor_formats="('ND', None, ('NCHW',))",
        input_data_ranges="((None, 5), None, ((0, 1, 0.5), None))",
    )
    assert case.inputs == (
        CaseSlot(False, ((2,),), ("float16",), ("ND",), (Range(-2, 5),)),
        None,
        CaseSlot(True, ((3,), (4,)), ("float16",) * 2, ("NCHW",) * 2, (Range(0, 1, (0.5,)), None)),
    )
    short = one(shapes="((2,), (3,), (4,))", input_data_ranges="((0, 1), (5, 6))")
    assert [slot.ranges for slot in short.inputs if slot] == [(Range(0, 1),), (Range(5, 6),), (None,)]


def workbook(*rows: list[object]) -> bytes:
    book = openpyxl.Workbook()
    assert book.active is not None
    book.active.append(["testcase_name", "api_name", "tensor_view_shapes", "tensor_dtypes"])
    for row in rows:
        book.active.append(row)
    buffer = io.BytesIO()
    book.save(buffer)
    return buffer.getvalue()


def test_a_formula_is_no_value() -> None:
    found = read(workbook(['=HYPERLINK("http://a","b")', "torch.abs", "((2,),)", "('float32',)"]))
    assert found.cases == ()
    assert (
        str(found.problems[0]) == "Sheet, row 2, testcase_name: a formula, which is not worked out; put its value there"
    )


def test_what_looks_like_a_formula_in_csv_is_text() -> None:
    assert one(name="=cmd|calc").name == "=cmd|calc"


def repacked(content: bytes, change: dict[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            new.writestr(name, change.get(name, old.read(name)))
    return buffer.getvalue()


SHEET = "xl/worksheets/sheet1.xml"


def test_a_zip_bomb_is_not_unpacked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sheets, "UNPACKED_LIMIT", 1 << 20)
    bomb = repacked(workbook(), {SHEET: b" " * (2 << 20)})
    assert len(bomb) < 20_000
    with pytest.raises(CaseFileError, match="bytes are read"):
        read(bomb)


def test_entities_are_not_expanded() -> None:
    bomb = b'<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b "cccc">]><worksheet/>'
    with pytest.raises(CaseFileError, match=r"sheet1\.xml declares entities"):
        read(repacked(workbook(), {SHEET: bomb}))


@pytest.mark.parametrize("part", [SHEET, "xl/workbook.xml", "[Content_Types].xml"])
@pytest.mark.parametrize("content", [b"", b"<a><b></a>", b"<a/>"], ids=["empty", "broken", "something else"])
def test_a_broken_workbook_is_said(part: str, content: bytes) -> None:
    with pytest.raises(CaseFileError, match=r"^cases\.csv: "):
        read(repacked(workbook(), {part: content}))


def test_a_cell_in_the_last_row_costs_no_million_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sheets, "GAP_LIMIT", 5)
    name = openpyxl.load_workbook(io.BytesIO(workbook()))
    assert name.active is not None
    name.active["A2"] = "a"
    name.active["B2"], name.active["C2"], name.active["D2"] = "torch.abs", "((2,),)", "('float32',)"
    name.active["A1048576"] = "far away"
    buffer = io.BytesIO()
    name.save(buffer)
    found = read(buffer.getvalue())
    assert [case.name for case in found.cases] == ["a"]
    assert found.notes == ("Sheet: rows after 5 empty ones are not read",)


def test_a_sheet_that_claims_to_be_huge() -> None:
    content = workbook(["a", "torch.abs", "((2,),)", "('float32',)"])
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        sheet = archive.read(SHEET)
    claimed = sheet.replace(b'ref="A1:D2"', b'ref="A1:XFD1048576"')
    assert claimed != sheet
    assert [case.name for case in read(repacked(content, {SHEET: claimed})).cases] == ["a"]
