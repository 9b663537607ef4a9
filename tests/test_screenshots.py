"""The pictures of screenshots/: one for each scene, size and theme, and they show what they are there for."""

from __future__ import annotations

import html
import re
from pathlib import Path

import pytest

from screenshots.scenes import SCENES, Picture, pictures

FOLDER = Path(__file__).parent.parent / "screenshots"
PICTURES = [picture for scene in SCENES for picture in pictures(scene)]
PNG = b"\x89PNG\r\n\x1a\n"
LINE = re.compile(r'<text[^>]* y="([\d.]+)"[^>]*>(.*?)</text>', re.DOTALL)


def words_of(svg: str) -> str:
    """What can be read, line by line."""
    lines: dict[str, str] = {}
    for y, text in LINE.findall(svg):
        lines[y] = lines.get(y, "") + html.unescape(text)
    return "\n".join(lines.values()).replace("\xa0", " ")


@pytest.mark.parametrize("picture", PICTURES, ids=lambda picture: picture.name)
def test_it_shows_what_it_is_there_for(picture: Picture) -> None:
    svg = (FOLDER / f"{picture.name}.svg").read_text(encoding="utf-8")
    read = words_of(svg)
    assert [word for word in picture.says if word not in read] == []
    assert "defect of xpudbg" not in read
    png = (FOLDER / f"{picture.name}.png").read_bytes()
    assert png.startswith(PNG)
    width, height = (int.from_bytes(png[at : at + 4], "big") for at in (16, 20))
    columns, rows = picture.size
    assert width > 10 * columns
    assert height > 20 * rows


def test_none_is_left_over() -> None:
    known = {f"{picture.name}{suffix}" for picture in PICTURES for suffix in (".svg", ".png")} | {"tour.gif"}
    there = {
        path.relative_to(FOLDER).as_posix() for path in FOLDER.rglob("*") if path.suffix in {".svg", ".png", ".gif"}
    }
    assert there == known


def test_the_animated_one_has_a_frame_for_each_step() -> None:
    gif = (FOLDER / "tour.gif").read_bytes()
    assert gif.startswith(b"GIF89a")
    assert gif.count(b"\x21\xf9\x04") >= 8  # graphic control extensions, one a frame
    assert len(gif) < 2_000_000
