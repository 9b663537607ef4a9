"""From SVG to PNG, small enough to be kept."""

from __future__ import annotations

import io
from pathlib import Path

import resvg_py
from PIL import Image

__all__ = ["image_of", "missing_fonts", "png_of"]

FONTS = {"Fira Code": "FiraCode*", "Noto Mono": "NotoMono*", "Symbola": "Symbola*"}
"""Fonts that have the glyphs of the screens, and the names of their files."""
FONT_FOLDERS = ("/usr/share/fonts", "/usr/local/share/fonts", "~/.local/share/fonts", "~/.fonts", "/Library/Fonts")
COLOURS = 128
"""Of the palette: a screen has some 20, and their blends at the edges of glyphs."""


def missing_fonts() -> list[str]:
    """Fonts without which the PNGs have gaps."""
    folders = [Path(name).expanduser() for name in FONT_FOLDERS]
    return [name for name, files in FONTS.items() if not any(any(folder.rglob(files)) for folder in folders)]


def image_of(svg: str) -> Image.Image:
    """The picture in full colour."""
    png = resvg_py.svg_to_bytes(svg_string=svg, font_family="Fira Code", monospace_family="Fira Code")
    return Image.open(io.BytesIO(bytes(png))).convert("RGBA")


def png_of(svg: str) -> bytes:
    """The picture as PNG with a palette."""
    made = io.BytesIO()
    image_of(svg).quantize(COLOURS, method=Image.Quantize.FASTOCTREE).save(made, "PNG", optimize=True)
    return made.getvalue()
