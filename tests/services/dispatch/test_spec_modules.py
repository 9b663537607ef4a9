"""The source files of a spec, found without importing anything."""

from __future__ import annotations

from pathlib import Path

import pytest

from xpudbg.services.dispatch.case import SpecSource
from xpudbg.services.dispatch.errors import CaseError, DependencyMissingError
from xpudbg.services.dispatch.spec_modules import SpecModules


def tree(folder: Path, **files: str) -> Path:
    """Files by their path with `__` for `/` and without `.py`; `init` stands for `__init__`."""
    for name, text in files.items():
        path = folder / (name.replace("__", "/").replace("init", "__init__") + ".py")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder


def modules(file: Path, *roots: Path, module: str | None = None) -> SpecModules:
    return SpecModules(SpecSource(file, "Op", module, roots))


def test_a_file_alone(tmp_path: Path) -> None:
    tree(tmp_path, op="import os, numpy as np\nraise SystemExit('never run')\n", other="")
    found = modules(tmp_path / "op.py")
    assert found.module == "op"
    assert found.roots == (tmp_path,)
    assert list(found.files()) == ["op.py"]


def test_what_it_imports_comes_along_and_what_that_imports(tmp_path: Path) -> None:
    tree(tmp_path, op="from a import thing", a="def f():\n    import b.c", b__init="", b__c="", b__d="", z="")
    assert sorted(modules(tmp_path / "op.py").files()) == ["a.py", "b/__init__.py", "b/c.py", "b/d.py", "op.py"]


def test_a_spec_in_a_package_keeps_its_path(tmp_path: Path) -> None:
    tree(tmp_path, pk__init="", pk__sub__init="", pk__sub__op="from .. import base\nfrom . import near", pk__base="")
    tree(tmp_path, pk__sub__near="import outside", outside="")
    found = modules(tmp_path / "pk/sub/op.py")
    assert found.module == "pk.sub.op"
    assert sorted(found.files()) == [
        "outside.py",
        "pk/__init__.py",
        "pk/base.py",
        "pk/sub/__init__.py",
        "pk/sub/near.py",
        "pk/sub/op.py",
    ]


def test_the_module_can_be_named(tmp_path: Path) -> None:
    tree(tmp_path, ns__op="")
    assert list(modules(tmp_path / "ns/op.py", module="ns.op").files()) == ["ns/op.py"]
    for wrong in ("other.op", "ns.other"):
        with pytest.raises(CaseError):
            modules(tmp_path / "ns/op.py", module=wrong)


def test_other_roots_come_after_the_own_one(tmp_path: Path) -> None:
    first = tree(tmp_path / "first", op="import a, b", a="first")
    second = tree(tmp_path / "second", a="second", b="second")
    files = modules(first / "op.py", second).files()
    assert {path: source.content for path, source in files.items()} == {
        "op.py": b"import a, b",
        "a.py": b"first",
        "b.py": b"second",
    }


def test_edits_are_seen(tmp_path: Path) -> None:
    tree(tmp_path, op="1")
    found = modules(tmp_path / "op.py")
    before = found.files()["op.py"].sha256
    tree(tmp_path, op="2", new="")
    assert found.files()["op.py"].sha256 != before


def test_a_missing_module_by_its_dotted_name(tmp_path: Path) -> None:
    tree(tmp_path, op="import importlib", deep__mod="", deep__init="", deep__more="")
    found = modules(tmp_path / "op.py")
    found.add_missing("deep.mod")
    assert sorted(found.files()) == ["deep/__init__.py", "deep/mod.py", "deep/more.py", "op.py"]


def test_a_missing_module_by_its_file_name_alone(tmp_path: Path) -> None:
    tree(tmp_path, op="", far__away__helper="", site_packages="")
    found = modules(tmp_path / "op.py")
    found.add_missing("helper")
    assert sorted(found.files()) == ["helper.py", "op.py"]


def test_a_missing_module_that_is_nowhere_or_twice(tmp_path: Path) -> None:
    tree(tmp_path, op="", a__twice="", b__twice="")
    found = modules(tmp_path / "op.py")
    with pytest.raises(DependencyMissingError, match="no file of that name") as nowhere:
        found.add_missing("scipy.special")
    assert nowhere.value.missing == "scipy.special"
    assert "pip install" in nowhere.value.hint
    with pytest.raises(DependencyMissingError, match="2 files could be it"):
        found.add_missing("twice")
    with pytest.raises(DependencyMissingError, match="which is no name"):
        found.add_missing("../../etc/passwd")


def test_names_that_no_file_can_have(tmp_path: Path) -> None:
    long = "m" * 5000
    tree(tmp_path, op=f"import {long}, {long}.{long}")
    found = modules(tmp_path / "op.py")
    assert list(found.files()) == ["op.py"]
    with pytest.raises(DependencyMissingError, match="no file of that name"):
        found.add_missing(f"{long}.{long}")
    with pytest.raises(CaseError, match="no such file"):
        modules(tmp_path / f"{long}.py")


def test_a_huge_package_is_not_sent_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("xpudbg.services.dispatch.spec_modules.PACKAGE_FILES", 3)
    tree(tmp_path, op="from big.sub import leaf", big__init="", big__a="", big__b="", big__sub__init="import big.a")
    tree(tmp_path, big__sub__leaf="", big__sub__other="")
    assert sorted(modules(tmp_path / "op.py").files()) == [
        "big/__init__.py",
        "big/a.py",
        "big/sub/__init__.py",
        "big/sub/leaf.py",
        "op.py",
    ]


@pytest.mark.parametrize(
    ("name", "says"),
    [("none.py", "no such file"), ("op.txt", r"not a \.py file"), ("my-op.py", "can't be imported; rename")],
)
def test_files_that_are_no_modules(tmp_path: Path, name: str, says: str) -> None:
    if name != "none.py":
        (tmp_path / name).write_text("")
    with pytest.raises(CaseError, match=says):
        modules(tmp_path / name)


def test_source_that_is_no_python_is_sent_as_it_is(tmp_path: Path) -> None:
    tree(tmp_path, op="def (:")
    assert modules(tmp_path / "op.py").files()["op.py"].content == b"def (:"


def test_too_much_source_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("xpudbg.services.dispatch.spec_modules.SIZE_LIMIT", 10)
    tree(tmp_path, op="import a", a="12345")
    with pytest.raises(CaseError, match="larger than 10 bytes"):
        modules(tmp_path / "op.py").files()
