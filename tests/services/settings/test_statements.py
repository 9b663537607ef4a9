"""TOML statement by statement: lines, and what one wrong statement leaves of the others."""

from __future__ import annotations

import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from xpudbg.services.settings.statements import Statement, read_statements


def test_each_value_has_its_path_and_line() -> None:
    text = '# a\na = 1\n\n[t]\nb.c = "x" # said\nlong = [\n  1,\n  2,\n]\n'
    text += '[t."d e"]\nf = { g = 1, h = {} }\nm = """\n[no]\n"""\n'
    found, problems = read_statements(text)
    assert problems == []
    assert found == [
        Statement(("a",), 1, 2),
        Statement(("t", "b", "c"), "x", 5),
        Statement(("t", "long"), [1, 2], 6),
        Statement(("t", "d e", "f", "g"), 1, 11),
        Statement(("t", "d e", "f", "h"), {}, 11),
        Statement(("t", "d e", "m"), "[no]\n", 12),
    ]


def test_a_table_with_nothing_in_it_is_an_empty_value() -> None:
    text = "[a]\n[b]\nc = 1\n[d.e]\n[d]\n[f]\ng = \n[a]\n[h.i.j]\n[h]\n[b.k]\n"
    found, problems = read_statements(text)
    empty = [(".".join(one.path), one.line) for one in found if one.value == {}]
    assert empty == [("a", 1), ("d.e", 4), ("f", 6), ("h.i.j", 9), ("b.k", 11)]
    assert [problem.line for problem in problems] == [7]


@pytest.mark.parametrize(
    ("bad", "line", "said"),
    [
        ("b", 2, "at its end"),
        ("b = ", 2, "Invalid value"),
        ("b = yes", 2, "Invalid value"),
        ("b = [1,", 2, "not TOML"),
        ('b = "', 2, "not TOML"),
        ('b = """', 2, "not TOML"),
        ("b = 1 2", 2, "not TOML"),
        ("= 3", 2, "not TOML"),
        ("b = 1\x00", 2, "not TOML"),
    ],
)
def test_a_wrong_line_is_told_and_the_others_count(bad: str, line: int, said: str) -> None:
    found, problems = read_statements(f"a = 1\n{bad}\nc = 3\n")
    assert [(one.path, one.value) for one in found] == [(("a",), 1), (("c",), 3)]
    assert [problem.line for problem in problems] == [line]
    assert said in str(problems[0])
    assert "\n" not in str(problems[0])


def test_what_stands_under_a_wrong_header_has_no_place() -> None:
    found, problems = read_statements("[a\nb = 1\n[c]\nd = 2\n[[e]]\nf = 3\n[g]\nh = 4")
    assert [one.path for one in found] == [("c", "d"), ("g", "h")]
    assert [problem.line for problem in problems] == [1, 5]
    assert "write [e]" in str(problems[1])


def test_hostile_files_end_soon_and_are_told() -> None:
    deep = ".".join("a" * 3_000)
    for text in (f"{deep} = 1", f"[{deep}]\nb = 1", "a = " + "[" * 50_000, "a = " + "{b = " * 5_000):
        found, problems = read_statements(text)
        assert found == []
        assert [problem.line for problem in problems] == [1]
    found, problems = read_statements("a = [\n" * 5_000 + "b = 1\n")
    assert [one.path for one in found] == [("b",)]
    assert len(problems) == 5_000


_KEYS = st.text("abc", min_size=1, max_size=3)
_VALUES = st.one_of(st.integers(-9, 9), st.booleans(), st.lists(st.integers(0, 9), max_size=3))


@given(st.dictionaries(_KEYS, st.dictionaries(_KEYS, _VALUES, min_size=1, max_size=3), max_size=4))
def test_a_good_file_is_read_as_by_tomllib(tables: dict[str, dict[str, object]]) -> None:
    lines = []
    for table, values in tables.items():
        lines.append(f"[{table}]")
        lines += [f"{name} = {str(value).lower()}" for name, value in values.items()]
    text = "\n".join(lines)
    found, problems = read_statements(text)
    assert problems == []
    made: dict[str, dict[str, object]] = {}
    for one in found:
        made.setdefault(one.path[0], {})[one.path[1]] = one.value
    assert made == tomllib.loads(text)


@given(st.text(max_size=200))
def test_no_text_stops_the_reader(text: str) -> None:
    found, problems = read_statements(text)
    lines = len(text.splitlines())
    assert all(1 <= one.line <= lines for one in found)
    assert all(one.line is not None and 1 <= one.line <= lines for one in problems)
