"""Tables of commands fit a terminal; in a pipe each row is one whole line."""

from __future__ import annotations

import sys

import pytest

from xpudbg.tui.cli import _scenarios
from xpudbg.tui.commands.table_text import LEAST, _fitting, table_text

HEADERS = ("run", "op", "what came of it")
ROWS = [(1, "torch.add", "word " * 60 + "end"), (22, "torch.nn.functional.softmax", "x" * 300)]


@pytest.fixture
def terminal(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int | None:
    """Standard output is a terminal so wide; None: it is none."""
    width: int | None = request.param
    monkeypatch.setattr(sys.stdout, "isatty", lambda: width is not None)
    monkeypatch.setenv("COLUMNS", str(width or 80))
    return width


@pytest.mark.parametrize("terminal", [None, 40, 80, 200, 1_000], indirect=True)
def test_it_is_wrapped_in_a_terminal_alone(terminal: int | None) -> None:
    lines = table_text(HEADERS, ROWS, (1, 2)).splitlines()
    if terminal is None or terminal == 1_000:
        assert len(lines) == 3
        assert lines[1].endswith("word end")
        assert lines[2].endswith(" " + "x" * 300)
    else:
        assert max(map(len, lines)) <= terminal
        assert sum(line.count("x") for line in lines) - 1 == 300, "nothing is cut"


@pytest.mark.parametrize("terminal", [80, 100, 160], indirect=True)
def test_the_list_of_scenarios_fits(terminal: int) -> None:
    lines = _scenarios().splitlines()
    assert max(map(len, lines)) <= terminal
    assert any(line.startswith("not-joined ") for line in lines)


@pytest.mark.parametrize("terminal", [None], indirect=True)
def test_cells_are_made_plain(terminal: int | None) -> None:
    assert table_text(("a",), [("x\x1b[31m\ny",)], ()).splitlines()[1] == "x\\x1b[31m\\ny"


@pytest.mark.parametrize(
    ("natural", "wrapped", "room", "widths"),
    [
        ([3, 10, 20], (1, 2), 37, [None, None, None]),
        ([3, 10, 20], (1, 2), 30, [None, None, 13]),
        ([3, 30, 40], (1, 2), 57, [None, 25, 25]),
        ([3, 30, 40], (2,), 57, [None, None, 20]),
        ([3, 30, 40], (1, 2), 10, [None, LEAST, LEAST]),
        ([30, 40], (), 10, [None, None]),
    ],
)
def test_the_widest_gives_way_first(
    natural: list[int], wrapped: tuple[int, ...], room: int, widths: list[int | None]
) -> None:
    assert _fitting(natural, wrapped, room) == widths
