"""The built distribution: what is in it, and that it runs where a job has folders named like ours.

Nothing is fetched. The builds use the hatchling of this environment. The wheel is installed into an empty virtual
environment, and next to it are laid, as links, exactly those distributions of this environment that the wheel's
metadata asks for, and theirs. So the program that runs is the wheel's own, and a dependency that is not declared is
missing.
"""

from __future__ import annotations

import email
import email.message
import os
import re
import shutil
import subprocess
import sys
import tarfile
import venv
import zipfile
from importlib import metadata
from pathlib import Path

import pytest
from packaging.requirements import Requirement

ROOT = Path(__file__).parents[2]

pytestmark = pytest.mark.packaging

POISON = 'raise RuntimeError("a module of the job was imported instead of ours")\n'


def run(*command: str | Path, cwd: Path, environment: dict[str, str] | None = None) -> str:
    """Output of a command that has to succeed."""
    done = subprocess.run(
        command,
        cwd=cwd,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, f"exit {done.returncode}\n{done.stdout}\n{done.stderr}"
    return done.stdout


def build(kind: str, source: Path, into: Path) -> Path:
    """Build `source` and return the one file that came of it."""
    run(sys.executable, "-m", "build", "--no-isolation", f"--{kind}", "--outdir", into, source, cwd=into.parent)
    (built,) = into.iterdir()
    return built


@pytest.fixture(scope="module")
def sdist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build("sdist", ROOT, tmp_path_factory.mktemp("sdist") / "dist")


@pytest.fixture(scope="module")
def unpacked(sdist: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the sdist."""
    folder = tmp_path_factory.mktemp("unpacked")
    with tarfile.open(sdist) as archive:
        archive.extractall(folder, filter="data")
    (top,) = folder.iterdir()
    return top


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build("wheel", ROOT, tmp_path_factory.mktemp("wheel") / "dist")


def content(wheel: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(wheel) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def described(wheel: Path) -> email.message.Message:
    """The wheel's METADATA."""
    (text,) = (data for name, data in content(wheel).items() if name.endswith(".dist-info/METADATA"))
    return email.message_from_bytes(text)


def required(requirements: list[str]) -> set[str]:
    """Distributions of this environment that meet `requirements`, and what they ask for in turn."""
    found: set[str] = set()
    open_requirements = [Requirement(text) for text in requirements]
    while open_requirements:
        asked = open_requirements.pop()
        name = re.sub(r"[-_.]+", "-", asked.name).lower()
        if name in found or (asked.marker is not None and not asked.marker.evaluate({"extra": ""})):
            continue
        distribution = metadata.distribution(asked.name)
        assert asked.specifier.contains(distribution.version, prereleases=True), f"{asked}: {distribution.version}"
        found.add(name)
        open_requirements += map(Requirement, distribution.requires or [])
    return found


def lay_links(distribution: metadata.Distribution, site: Path) -> None:
    """Make an installed distribution importable from `site`."""
    for file in distribution.files or []:
        top = file.parts[0]
        if top not in ("..", "__pycache__") and not (site / top).exists():
            (site / top).symlink_to(Path(str(distribution.locate_file(top))))


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The `bin` folder of an environment that holds the wheel and what it asks for, nothing else."""
    home = tmp_path_factory.mktemp("installed")
    venv.create(home, with_pip=False, symlinks=True)
    python = home / "bin" / "python"
    pip: list[str | Path] = [sys.executable, "-m", "pip", "--python", python]
    run(*pip, "install", "--quiet", "--no-deps", "--no-index", "--no-compile", wheel, cwd=home)
    site = Path(run(python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))", cwd=home).strip())
    for name in required(described(wheel).get_all("Requires-Dist", [])):
        lay_links(metadata.distribution(name), site)
    return home / "bin"


@pytest.fixture
def among_the_jobs_own(tmp_path: Path) -> tuple[Path, dict[str, str]]:
    """A working directory and an environment as they are beside training code, full of names that are ours too.

    PYTHONPATH has the job's `services` and `tui`; the working directory has them too, and files named like modules
    that we use. None of them may be imported.
    """
    path, cwd = tmp_path / "job", tmp_path / "cwd"
    for folder in (path, cwd):
        for package in ("services", "tui"):
            (folder / package).mkdir(parents=True)
            (folder / package / "__init__.py").write_text(POISON)
    for module in ("json.py", "asyncio.py", "numpy.py", "httpx.py", "textual.py"):
        (cwd / module).write_text(POISON)
    return cwd, {"PATH": os.defpath, "LANG": "C.UTF-8", "HOME": str(tmp_path), "PYTHONPATH": str(path)}


def test_the_wheel_holds_our_packages_only(wheel: Path) -> None:
    names = set(content(wheel))
    meta = {name for name in names if ".dist-info/" in name}
    assert {name.split("/")[1] for name in names - meta} == {"services", "tui"}
    assert {name.split("/")[0] for name in names - meta} == {"xpudbg"}
    assert "xpudbg/__init__.py" not in names
    assert not [name for name in names if "__pycache__" in name or name.startswith("xpudbg/tests")]


def test_the_wheel_holds_every_file_of_the_packages(wheel: Path) -> None:
    kept = {".py", ".typed", ".tcss", ".json"}
    files = {
        f"xpudbg/{path.relative_to(ROOT).as_posix()}"
        for package in ("services", "tui")
        for path in (ROOT / package).rglob("*")
        if path.suffix in kept
    }
    assert {"xpudbg/services/py.typed", "xpudbg/tui/py.typed"} <= files
    assert any(name.endswith(".tcss") for name in files)
    assert files <= set(content(wheel))


def test_the_wheel_describes_itself(wheel: Path) -> None:
    described_as = described(wheel)
    assert described_as["Name"] == "xpudbg"
    assert described_as["License-Expression"] == "BSD-3-Clause"
    assert described_as.get_all("License-File") == ["LICENSE"]
    assert described_as["Requires-Python"] == ">=3.11"
    assert not [text for text in described_as.get_all("Requires-Dist", []) if Requirement(text).name == "torch"]
    texts = {name.split(".dist-info/")[1]: data for name, data in content(wheel).items() if ".dist-info/" in name}
    assert b"The xpudbg developers" in texts["licenses/LICENSE"]
    assert b"xpudbg = xpudbg.tui.cli:main" in texts["entry_points.txt"]


def test_the_sdist_holds_what_is_needed_to_test_and_read(unpacked: Path) -> None:
    for name in ("README.md", "LICENSE", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "Makefile", "docs/index.md"):
        assert (unpacked / name).is_file(), name
    for name in ("screenshots/overview.png", "benchmarks/collect.py", "accuracy/__main__.py", ".ci/run", "mkdocs.yml"):
        assert (unpacked / name).is_file(), name
    assert (unpacked / "tests" / "packaging" / "test_distribution.py").is_file()
    assert not (unpacked / ".venv").exists()
    assert not list(unpacked.rglob("__pycache__"))


def test_the_links_of_a_checkout_are_made_in_the_sdist(unpacked: Path, tmp_path: Path) -> None:
    folder = tmp_path / "sdist"
    folder.mkdir()
    shutil.copy(unpacked / "Makefile", folder)
    run("make", ".links/xpudbg/services", ".links/xpudbg/tui", cwd=folder)
    made = {path.name: path.readlink() for path in (folder / ".links" / "xpudbg").iterdir()}
    assert made == {name: Path("../..") / name for name in ("services", "tui")}


def test_the_sdist_builds_the_same_wheel(unpacked: Path, wheel: Path, tmp_path: Path) -> None:
    again = content(build("wheel", unpacked, tmp_path / "dist"))
    expected = content(wheel)
    assert set(again) == set(expected)
    assert [name for name in expected if not name.endswith("/RECORD") and again[name] != expected[name]] == []


def test_the_installed_program_is_the_wheels_own(
    installed: Path, among_the_jobs_own: tuple[Path, dict[str, str]]
) -> None:
    cwd, environment = among_the_jobs_own
    ask = "import xpudbg.services.version as v, xpudbg.tui as t; print(v.__file__, t.__file__, sep='\\n')"
    # -P as a console script has it: the working directory is not on the path
    said = run(installed / "python", "-P", "-c", ask, cwd=cwd, environment=environment).splitlines()
    home = installed.parent
    assert all(Path(file).is_relative_to(home) for file in said)


def test_version(installed: Path, among_the_jobs_own: tuple[Path, dict[str, str]], wheel: Path) -> None:
    cwd, environment = among_the_jobs_own
    said = run(installed / "xpudbg", "--version", cwd=cwd, environment=environment)
    assert described(wheel)["Version"] in said


def test_demo_list(installed: Path, among_the_jobs_own: tuple[Path, dict[str, str]]) -> None:
    cwd, environment = among_the_jobs_own
    assert "stopped" in run(installed / "xpudbg", "demo", "--list", cwd=cwd, environment=environment)


def test_report_of_a_demo(installed: Path, among_the_jobs_own: tuple[Path, dict[str, str]]) -> None:
    """The demo's child process starts beside the job's own files too."""
    cwd, environment = among_the_jobs_own
    words = ["report", "demo", "--scenario", "healthy", "--world-size", "4", "--format", "json"]
    assert '"verdict"' in run(installed / "xpudbg", *words, cwd=cwd, environment=environment)
