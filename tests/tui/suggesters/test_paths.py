"""Names of files are completed while they are typed."""

from __future__ import annotations

from pathlib import Path

import pytest

from xpudbg.tui.suggesters.paths import PathSuggester, completed


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("cases.csv", "cases.bin", "b.toml", ".hidden.toml"):
        (tmp_path / name).touch()
    (tmp_path / "carts").mkdir()
    return tmp_path


@pytest.mark.parametrize(
    ("typed", "found"),
    [("ca", "carts/"), ("cas", "cases.csv"), ("", "b.toml"), ("b.toml", None), ("x", None), (".h", ".hidden.toml")],
)
def test_the_first_name_that_goes_on(folder: Path, typed: str, found: str | None) -> None:
    made = completed(f"{folder}/{typed}", (".csv", ".toml"))
    assert made == (f"{folder}/{found}" if found is not None else None)


@pytest.mark.parametrize("typed", ["", "  ", "/no/such/folder/x", "a\0b"])
def test_nothing_to_complete(typed: str) -> None:
    assert completed(typed, (".csv",)) is None


async def test_as_an_input_asks_for_it(folder: Path) -> None:
    assert await PathSuggester((".csv",)).get_suggestion(f"{folder}/cas") == f"{folder}/cases.csv"


async def test_of_several_names_the_last_is_completed(folder: Path) -> None:
    both = PathSuggester(("",), several=True)
    assert await both.get_suggestion(f"{folder}/b.toml {folder}/cas") == f"{folder}/b.toml {folder}/cases.bin"
    assert await both.get_suggestion(f"{folder}/b.toml ") is None
    (folder / "a job's files").mkdir()
    assert await both.get_suggestion(f"{folder}/a job") == f"{folder}/a job's files/"
    assert await PathSuggester(("",)).get_suggestion(f"{folder}/b.toml {folder}/cas") is None
