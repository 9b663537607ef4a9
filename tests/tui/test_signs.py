"""Every sign of the screens has a stand-in of ASCII that takes as much room."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual.color import Color

import xpudbg.tui.signs
from xpudbg.tui.signs import STAND_INS, AsciiSigns, in_ascii

SOURCES = sorted(Path(xpudbg.tui.signs.__file__).parent.rglob("*.py"))


@pytest.mark.parametrize("sign", STAND_INS, ids=lambda sign: f"{ord(sign):04x}")
def test_a_stand_in_is_one_character_in_one_cell(sign: str) -> None:
    assert len(sign) == cell_len(sign) == 1
    assert len(STAND_INS[sign]) == 1
    assert STAND_INS[sign].isascii()
    assert STAND_INS[sign].isprintable()


def test_all_that_the_screens_write_is_in_the_table() -> None:
    unknown = {
        char: path.name
        for path in SOURCES
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
        for char in node.value
        if not char.isascii() and char not in STAND_INS
    }
    assert unknown == {}


@pytest.mark.parametrize(
    ("signs", "expected"),
    [("▁▂▃▄▅▆▇█", "__.-=*%#"), ("▼ rank ▲", "v rank ^"), ("节点-0", "????-0"), ("e\u0301", "e"), ("a…", "a~")],
)
def test_what_is_seen(signs: str, expected: str) -> None:
    assert in_ascii(signs) == expected


@pytest.mark.parametrize("signs", ["▁▃▄▅▆▇░▒█×!?", "▁▃▄▅▆▇█│◆┄░▒!", "▲▼", "‹›"])
def test_signs_that_mean_different_things_stay_different(signs: str) -> None:
    assert len(set(in_ascii(signs))) == len(signs)


@given(st.text(st.characters(blacklist_categories=("Cc", "Cs", "Cf", "Cn", "Co", "Zl", "Zp")), max_size=20))
def test_nothing_moves(text: str) -> None:
    made = in_ascii(text)
    assert made.isascii()
    assert cell_len(made) == sum(cell_len(char) for char in text)


def test_a_line_keeps_its_styles() -> None:
    bold = Style(bold=True)
    made = AsciiSigns().apply([Segment("a → b", bold), Segment(" …")], Color(0, 0, 0))
    assert made == [Segment("a > b", bold), Segment(" ~")]
