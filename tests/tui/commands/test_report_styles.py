"""The ending of a report's file says how it is written."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from tests.services.bundle.making import whole
from xpudbg.tui.cli import main
from xpudbg.tui.commands.report import FORMATS
from xpudbg.tui.commands.report_styles import STYLES, style_of


@pytest.mark.parametrize(
    ("name", "style"),
    [
        ("r.html", "html"),
        ("r.HTM", "html"),
        ("r.md", "markdown"),
        ("r.json", "json"),
        ("r.txt", "text"),
        ("r", "text"),
        (None, "text"),
    ],
)
def test_the_form_of_an_ending(name: str | None, style: str) -> None:
    assert style_of(None if name is None else Path(name)) == style


def test_every_form_can_be_written() -> None:
    assert set(STYLES) == set(FORMATS)


@pytest.mark.parametrize(
    ("name", "more", "begin"),
    [("r.html", (), "<!DOCTYPE html>"), ("r.json", (), "{"), ("r.html", ("--format", "text"), "store head-0:29500")],
    ids=["html", "json", "format goes first"],
)
def test_the_file_is_of_its_ending(tmp_path: Path, name: str, more: tuple[str, ...], begin: str) -> None:
    bundle, file = whole(tmp_path / "a.xpudbg", looks=1), tmp_path / name
    done = CliRunner().invoke(main, ["report", str(bundle), "-o", str(file), *more])
    assert done.exit_code == 1
    assert file.read_text().startswith(begin)
