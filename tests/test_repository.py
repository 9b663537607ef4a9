"""What is committed fits every machine: no path of somebody's own, no package index but the default one."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent

HOME_PATH = re.compile(rb"(?<![\w.~-])/(?:home/\w+|root|Users/\w+|work)/[\w.-]+")
INDEX_OPTION = re.compile(rb"(?:index-url|find-links|registry)[\s=:\"']{1,4}https?://|trusted[-]host[\s=]", re.I)

# recorded inputs hold the paths of the jobs they were recorded from
RECORDED = ("tests/data/",)


def tracked_files() -> list[Path]:
    git = shutil.which("git")
    if git is None or not (ROOT / ".git").exists():
        pytest.skip("not a git checkout")
    command = [git, "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(command, cwd=ROOT, capture_output=True, check=True).stdout
    return [ROOT / name for name in names.decode().split("\0") if name]


def readable() -> list[tuple[str, bytes]]:
    """Name and content of each text file that is ours."""
    files = []
    for path in tracked_files():
        name = path.relative_to(ROOT).as_posix()
        if name.startswith(RECORDED) or path.is_symlink() or not path.is_file():
            continue
        content = path.read_bytes()
        if b"\0" not in content:
            files.append((name, content))
    return files


@pytest.mark.parametrize("pattern", [HOME_PATH, INDEX_OPTION], ids=["path of a machine", "package index"])
def test_nothing_of_one_machine_is_committed(pattern: re.Pattern[bytes]) -> None:
    found = [f"{name}: {hit.group().decode()}" for name, content in readable() for hit in pattern.finditer(content)]
    assert found == []


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        (HOME_PATH, b"open " + b"/ho" + b"me/ann/job.py"),
        (HOME_PATH, b'"' + b"/ro" + b'ot/x.py"'),
        (INDEX_OPTION, b"--index" + b"-url https://packages.example/simple"),
        (INDEX_OPTION, b"registry" + b"=https://packages.example"),
        (INDEX_OPTION, b"trusted" + b"-host = packages.example"),
    ],
)
def test_the_patterns_find_what_they_look_for(pattern: re.Pattern[bytes], text: bytes) -> None:
    assert pattern.search(text)


def test_the_import_links_are_links() -> None:
    for package in ("services", "tui"):
        link = ROOT / ".links" / "xpudbg" / package
        assert link.is_symlink()
        assert link.readlink() == Path("..") / ".." / package


def test_the_package_xpudbg_stays_a_namespace() -> None:
    assert not (ROOT / ".links" / "xpudbg" / "__init__.py").exists()
