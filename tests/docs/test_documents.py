"""The documents say what is so: commands run and print what is shown, targets and linked files exist.

A block marked `console` is run: lines that begin with `$ ` are given to a shell, the lines after each are what it has
to print. A line `...` stands for any number of lines, `...` inside a line for any text.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
DOCUMENTS = [ROOT / f"{name}.md" for name in ("README", "CONTRIBUTING", "SECURITY", "CHANGELOG")]
DOCUMENTS += sorted((ROOT / "docs").rglob("*.md"))
EXAMPLES = ROOT / "docs" / "reference" / "examples"

BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.M | re.S)
MAKE = re.compile(r"\bmake (?:[A-Z]+=\S+ )*([a-z][a-z-]*)(?=`|\s+#|$)", re.M)
LINK = re.compile(r"\]\((?!https?://|#)([^)#]+)(?:#[^)]*)?\)")

in_each_document = pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.relative_to(ROOT).as_posix())


@dataclass(frozen=True)
class Example:
    """One command of a document, and what it has to print."""

    document: str
    command: str
    output: str

    def __str__(self) -> str:
        return f"{self.document}: {self.command}"


def blocks(document: Path, language: str) -> list[str]:
    return [text for tag, text in BLOCK.findall(document.read_text(encoding="utf-8")) if tag == language]


def examples() -> list[Example]:
    found = []
    for document in DOCUMENTS:
        for block in blocks(document, "console"):
            for part in re.split(r"^\$ ", block, flags=re.M)[1:]:
                command, _, output = part.partition("\n")
                found.append(Example(document.relative_to(ROOT).as_posix(), command, output))
    return found


def pattern_of(output: str) -> re.Pattern[str]:
    """The expected output as a regular expression, with `...` as a wildcard."""
    lines = []
    for line in output.rstrip("\n").split("\n"):
        if line == "...":
            lines.append(r"(?:.*\n)*?")
        else:
            lines.append(".*".join(re.escape(piece.rstrip()) for piece in line.split("...")) + r"[ ]*\n")
    return re.compile("".join(lines))


def test_the_readme_has_commands_to_run() -> None:
    assert [example for example in examples() if example.document == "README.md"]


@pytest.mark.parametrize("example", examples(), ids=str)
def test_a_command_prints_what_the_document_shows(example: Example, tmp_path: Path) -> None:
    programs = f"{Path(sys.executable).parent}{os.pathsep}{os.defpath}"
    if example.document.startswith(("docs/reference/", "docs/tasks/")):
        (tmp_path / "examples").symlink_to(EXAMPLES)
    done = subprocess.run(
        ["bash", "-c", example.command],
        cwd=tmp_path,
        env={"PATH": programs, "HOME": str(tmp_path), "LANG": "C.UTF-8", "TERM": "dumb"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=120,
        check=False,
    )
    assert pattern_of(example.output).fullmatch(done.stdout), f"exit {done.returncode}, it printed:\n{done.stdout}"


@pytest.mark.parametrize(
    ("expected", "printed", "fits"),
    [
        ("a\nb\n", "a\nb\n", True),
        ("a\nb\n", "a\nc\n", False),
        ("a\n", "a\nmore\n", False),
        ("a ... z\n", "a to z\n", True),
        ("a\n...\nz\n", "a\nb\nc\nz\n", True),
        ("a\n...\nz\n", "a\nz\n", True),
        ("a\n...\nz\n", "a\nb\n", False),
        ("a.c\n", "abc\n", False),
    ],
)
def test_the_comparison_can_tell(expected: str, printed: str, fits: bool) -> None:
    assert bool(pattern_of(expected).fullmatch(printed)) is fits


@in_each_document
def test_python_blocks_are_python(document: Path) -> None:
    for block in blocks(document, "python"):
        compile(block, document.name, "exec")


@in_each_document
def test_make_targets_exist(document: Path) -> None:
    targets = set(re.findall(r"^([a-z-]+):.*## ", (ROOT / "Makefile").read_text(encoding="utf-8"), re.M))
    assert set(MAKE.findall(document.read_text(encoding="utf-8"))) <= targets


@in_each_document
def test_linked_files_exist(document: Path) -> None:
    links = LINK.findall(document.read_text(encoding="utf-8"))
    assert [link for link in links if not (document.parent / link).exists()] == []
