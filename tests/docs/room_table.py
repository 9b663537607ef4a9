"""The table of packages in docs/architecture.md: made from the first line of each package's docstring."""

from __future__ import annotations

import ast
import re
from pathlib import Path

__all__ = ["ARCHITECTURE", "with_rooms"]

ROOT = Path(__file__).parents[2]
ARCHITECTURE = ROOT / "docs" / "architecture.md"

_BEGIN = "<!-- packages: written by `python -m tests.docs` -->"
_END = "<!-- end of packages -->"
_BETWEEN = re.compile(f"{re.escape(_BEGIN)}.*?{re.escape(_END)}", re.S)


def with_rooms(text: str) -> str:
    """The page with its table as it is now.

    Raises:
        ValueError: the page has not exactly one place for it.
    """
    if len(_BETWEEN.findall(text)) != 1:
        raise ValueError(f"docs/architecture.md needs {_BEGIN} and {_END} once, one after the other")
    lines = ["| package | what it is for |", "|---|---|"]
    for init in sorted(path for base in ("services", "tui") for path in (ROOT / base).glob("*/__init__.py")):
        folder = init.parent.relative_to(ROOT).as_posix()
        lines.append(f"| `{folder}/` | {_first_line(init)} |")
    made = "\n".join((_BEGIN, "", *lines, "", _END))
    return _BETWEEN.sub(lambda _found: made, text)


def _first_line(init: Path) -> str:
    said = ast.get_docstring(ast.parse(init.read_text(encoding="utf-8")))
    if not said:
        raise ValueError(f"{init} does not say what its package is for")
    return said.partition("\n")[0]
