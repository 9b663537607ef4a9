"""Versions: of the program, in the changelog, and the lowest ones of what it needs."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.version import Version

from tests.packaging.lowest_versions import ROOT, lowest, requirements_of
from xpudbg.services.version import __version__

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
RELEASED = re.compile(r"^## \[(\d[^\]]*)\] - \d{4}-\d{2}-\d{2}$", re.M)


def test_the_version_is_the_newest_released_one_or_on_the_way_to_the_next() -> None:
    released = [Version(text) for text in RELEASED.findall((ROOT / "CHANGELOG.md").read_text(encoding="utf-8"))]
    assert released == sorted(released, reverse=True)
    ours = Version(__version__)
    if ours.is_devrelease:
        assert all(version < ours for version in released)
    else:
        assert released[0] == ours


def test_the_version_is_written_down_in_one_place() -> None:
    assert "version" in PROJECT["project"]["dynamic"]
    assert "version" not in PROJECT["project"]
    assert PROJECT["tool"]["hatch"]["version"]["path"] == "services/version.py"


def test_everything_it_needs_has_a_lower_bound() -> None:
    needed = requirements_of(PROJECT["project"])
    assert set(map(str.lower, (one.name for one in needed))) >= {"textual", "numpy", "distributed", "textual-serve"}
    assert len(lowest(needed)) == len({one.name for one in needed})


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (["a>=1.2,<2", "B_c>=0.3"], {"a": "1.2", "b-c": "0.3"}),
        (["a>=1.2", "a>=1.2,<3"], {"a": "1.2"}),
        (["a~=1.4"], {"a": "1.4"}),
    ],
)
def test_lowest(texts: list[str], expected: dict[str, str]) -> None:
    assert {name: str(version) for name, version in lowest(map(Requirement, texts)).items()} == expected


@pytest.mark.parametrize("texts", [["a"], ["a<2"], ["a>=1", "a>=2"]])
def test_a_requirement_without_one_lower_bound_is_refused(texts: list[str]) -> None:
    with pytest.raises(ValueError, match="write"):
        lowest(map(Requirement, texts))


def test_the_constraints_are_printed() -> None:
    script = Path("tests/packaging/lowest_versions.py")
    printed = subprocess.run([sys.executable, script], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert "textual==" in printed
    assert all(re.fullmatch(r"[a-z0-9-]+==[\d.]+", line) for line in printed.splitlines())
