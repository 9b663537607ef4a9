"""Case files of every kind as cases of the console."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.services.console.console_cases import op_case
from xpudbg.services.comparison.routing import standard_named
from xpudbg.services.console.case_export import write_case
from xpudbg.services.console.case_files import CaseFilesError, open_cases
from xpudbg.services.ttk_cases.case import Outcome

RESULTS = """testcase_name,api_name,tensor_view_shapes,tensor_dtypes,attributes,precision_status,my_column
good,torch.add,"((2,3),(2,3))","('float32','float32')",{},PASS,kept
bad,torch.mul,"((2,3),(2,3))","('float32','float32')",{},FAIL,also
odd,torch.mul,"((2,3),)","('float7',)",{},,
"""


def test_a_toml_file_is_one_case(tmp_path: Path) -> None:
    write_case(tmp_path / "join.toml", op_case())
    found = open_cases(tmp_path / "join.toml")
    (case,) = found.cases
    assert (case.name, case.origin, case.folder, case.title) == ("join", "join.toml", tmp_path, "numpy.concatenate")
    assert case.loaded is case.case


def test_rows_of_results_come_failing_first_with_all_their_columns(tmp_path: Path) -> None:
    (tmp_path / "results.csv").write_text(RESULTS)
    found = open_cases(tmp_path / "results.csv")
    by_name = {case.name: case for case in found.cases}
    assert [case.said for case in found.cases] == sorted(case.said for case in found.cases)
    assert found.cases[0].name == "bad"
    assert by_name["bad"].said is Outcome.FAILED
    assert by_name["good"].raw["my_column"] == "kept"
    assert by_name["good"].origin == "results.csv:2"
    assert len({case.id for case in found.cases}) == len(found.cases)


LIMITS = """testcase_name,api_name,tensor_view_shapes,tensor_dtypes,precision_tolerances,absolute_precision
same,torch.split,"((2,),)","('float32',)","((0.5,0.25),(None,0.125))",1e-3
same,torch.neg,"((2,),)","('float32',)",,
other,torch.neg,"((2,),)","('float32',)",,"(1e-3,1e-2)"
"""


def test_the_limits_of_a_row_judge_its_outputs_and_its_key_outlives_its_line(tmp_path: Path) -> None:
    path = tmp_path / "cases.csv"
    path.write_text(LIMITS)
    one, two, three = open_cases(path).cases
    assert one.standard is not None
    assert three.standard is not None
    assert two.standard is None
    asked = replace(one.standard, requested="close")
    close = [asked.rule(name, "float32") for name in ("0", "1.3", "2")]
    usual = {"rtol": 1e-4, "ptol": 1e-4}
    assert close == [
        standard_named("close", "float32", {"rtol": 0.5, "ptol": 0.25, "atol": 1e-3}),
        standard_named("close", "float32", {"rtol": 1e-4, "ptol": 0.125, "atol": 1e-3}),
        standard_named("close", "float32", usual | {"atol": 1e-3}),
    ]
    assert replace(three.standard, requested="close").rule("2", "float32") == standard_named("close", "float32")
    assert one.standard.rule("0", "complex64").name == "close"
    assert one.standard.rule("0", "float32") == standard_named("mixed", "float32")
    assert any("precision_tolerances, absolute_precision" in note for note in one.notes)
    keys = [case.key for case in (one, two, three)]
    assert len(set(keys)) == 3
    path.write_text("\n".join((LIMITS.splitlines()[0], *LIMITS.splitlines()[:0:-1])))
    assert {case.key for case in open_cases(tmp_path / "." / "cases.csv").cases} == set(keys)


def test_a_row_that_makes_no_case_says_why(tmp_path: Path) -> None:
    (tmp_path / "results.csv").write_text(RESULTS)
    found = open_cases(tmp_path / "results.csv")
    problems = [case.problem for case in found.cases if case.case is None]
    assert problems or any("float7" in note for note in found.notes)


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("case.toml", "op = 1", "not a case"),
        ("case.toml", 'provider = "numpy"', "names no operator"),
        ("case.csv", "a,b\n1,2\n", "no known columns"),
        ("case.bin", "", "not a case file"),
    ],
)
def test_what_is_no_case_file_is_refused(name: str, text: str, message: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(CaseFilesError, match=message):
        open_cases(tmp_path / name)


@pytest.mark.parametrize("name", ["\0.toml", "\0.csv"], ids=["toml", "csv"])
def test_what_no_file_can_be_called_is_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(CaseFilesError, match="no file can have such a name"):
        open_cases(tmp_path / name)


@pytest.mark.parametrize("name", ["none.toml", "none.csv"])
def test_a_file_that_is_not_there_is_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(CaseFilesError, match="No such file"):
        open_cases(tmp_path / name)
