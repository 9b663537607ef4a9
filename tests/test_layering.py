"""What goes one way stays one way: services know no screen and need no torch; files stay small."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Sequence

ROOT = Path(__file__).parent.parent
SOURCES = sorted(path for package in ("services", "tui") for path in (ROOT / package).rglob("*.py"))

IMPORT_EVERYTHING = """
import importlib, json, pkgutil, sys

package, *absent = sys.argv[1:]

class Absent:
    def find_spec(self, name, path=None, target=None):
        if any(name == root or name.startswith(root + ".") for root in absent):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Absent())
home = importlib.import_module(package)
names = [found.name for found in pkgutil.walk_packages(home.__path__, home.__name__ + ".")]
for name in names:
    importlib.import_module(name)
print(json.dumps({"imported": names, "loaded": sorted(sys.modules)}))
"""


def import_everything(package: str, absent: Sequence[str]) -> tuple[set[str], set[str]]:
    """Import each module of `package` in a fresh interpreter where the packages `absent` cannot be imported.

    Returns:
        The names imported, and all modules that came in with them.
    """
    run = subprocess.run(
        [sys.executable, "-c", IMPORT_EVERYTHING, package, *absent],
        cwd=ROOT / ".links",
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    said = json.loads(run.stdout)
    return set(said["imported"]), set(said["loaded"])


def modules_of(package: str) -> set[str]:
    """Module names as the files of a package give them."""
    names = set()
    for path in (ROOT / package).rglob("*.py"):
        parts = ("xpudbg", *path.relative_to(ROOT).with_suffix("").parts)
        names.add(".".join(parts[:-1] if parts[-1] == "__init__" else parts))
    return names - {f"xpudbg.{package}"}


def test_services_bring_in_no_screen_and_no_torch() -> None:
    """Absent and not only unused: httpx loads rich for a command line of its own where rich is installed."""
    imported, loaded = import_everything("xpudbg.services", ["textual", "rich", "torch", "xpudbg.tui"])
    assert imported == modules_of("services"), "a folder without __init__.py, or a file no import reaches"
    assert not {"textual", "rich", "torch"} & {name.split(".")[0] for name in loaded}
    assert not [name for name in loaded if name.startswith("xpudbg.tui")]


def test_screens_import_without_torch() -> None:
    imported, loaded = import_everything("xpudbg.tui", ["torch"])
    assert imported == modules_of("tui"), "a folder without __init__.py, or a file no import reaches"
    assert "torch" not in {name.split(".")[0] for name in loaded}


@pytest.mark.parametrize(("package", "absent"), [("xpudbg.tui", "textual"), ("xpudbg.services", "msgspec")])
def test_an_import_of_something_absent_is_noticed(package: str, absent: str) -> None:
    with pytest.raises(AssertionError, match=f"No module named '{absent}'"):
        import_everything(package, [absent])


def test_the_import_contract_holds() -> None:
    run = subprocess.run(
        [Path(sys.executable).with_name("lint-imports"), "--no-cache"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stdout + run.stderr
    assert "Contracts: 1 kept, 0 broken." in run.stdout


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_file_can_be_read_in_one_sitting(path: Path) -> None:
    lines = path.read_text(encoding="utf-8").count("\n")
    assert lines <= 400, f"{lines} lines: split what has two subjects"


def test_file_names_say_their_subject() -> None:
    vague = [
        str(path.relative_to(ROOT))
        for path in SOURCES
        if path.stem.startswith(("util", "helper", "misc", "common")) or path.stem.endswith("manager")
    ]
    assert vague == []
