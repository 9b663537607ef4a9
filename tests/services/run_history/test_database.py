"""The database file: versions, damage, folders that can't be written."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from tests.services.run_history.made_runs import ENDPOINT, case
from xpudbg.services.run_history import database
from xpudbg.services.run_history.database import FILE, Database, default_folder, set_aside
from xpudbg.services.run_history.errors import DamagedHistoryError, HistoryError, NewerHistoryError
from xpudbg.services.run_history.history import RunHistory


def test_the_folder_is_named_by_the_environment_or_the_user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XPUDBG_HISTORY", str(tmp_path / "here"))
    assert default_folder() == tmp_path / "here"
    monkeypatch.delenv("XPUDBG_HISTORY")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    assert default_folder().name == "runs"


def test_readers_do_not_wait_for_a_writer(tmp_path: Path) -> None:
    one, other = RunHistory(tmp_path), RunHistory(tmp_path)
    one.begin(case(), ENDPOINT)
    with one._database.writing() as connection:
        connection.execute("UPDATE runs SET title = 'not yet'")
        assert [record.title for record in other.latest()] == ["torch.add"]


def test_a_newer_history_is_left_alone(tmp_path: Path) -> None:
    Database(tmp_path).close()
    with sqlite3.connect(tmp_path / FILE) as connection:
        connection.execute("PRAGMA user_version = 99")
    connection.close()
    with pytest.raises(NewerHistoryError, match="version 99") as caught:
        RunHistory(tmp_path)
    assert "XPUDBG_HISTORY" in caught.value.hint


def test_an_older_history_is_brought_to_the_present(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    history = RunHistory(tmp_path)
    run_id = history.begin(case(), ENDPOINT)
    history.close()
    migrations = (*database.MIGRATIONS, "ALTER TABLE runs ADD COLUMN mark TEXT;\nUPDATE runs SET mark = title;\n")
    monkeypatch.setattr(database, "MIGRATIONS", migrations)
    history = RunHistory(tmp_path)
    with history._database.reading() as connection:
        assert connection.execute("SELECT id, mark FROM runs").fetchall() == [(run_id, "torch.add")]
        assert connection.execute("PRAGMA user_version").fetchone() == (len(migrations),)


def test_a_history_of_before_the_case_keys_has_its_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Database(tmp_path).close()
    (tmp_path / FILE).unlink()
    with monkeypatch.context() as patch:
        patch.setattr(database, "MIGRATIONS", database.MIGRATIONS[:1])
        Database(tmp_path).close()
    connection = sqlite3.connect(tmp_path / FILE, isolation_level=None)
    connection.execute(
        "INSERT INTO runs (started_ns, state, title, case_json, endpoint_json, pid, process_start, process_place) "
        "VALUES (1, 'ok', 'torch.add', '{}', '{\"host\": \"h\", \"port\": 1}', 1, '', '')"
    )
    connection.close()
    history = RunHistory(tmp_path)
    new = history.begin(case(), ENDPOINT, "a.toml")
    assert [(record.id, record.case_key) for record in history.latest()] == [(new, "a.toml"), (1, None)]
    history.close()


def test_a_migration_that_fails_changes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    RunHistory(tmp_path).close()
    broken = (*database.MIGRATIONS, "ALTER TABLE runs ADD COLUMN mark TEXT;\nUPDATE nowhere SET mark = 1;\n")
    with monkeypatch.context() as patch:
        patch.setattr(database, "MIGRATIONS", broken)
        with pytest.raises(HistoryError, match="nowhere"):
            RunHistory(tmp_path)
    assert RunHistory(tmp_path).latest() == []


@pytest.mark.parametrize("content", [b"no database at all, whatever it is called" * 100, b"SQLite format 3\0" * 400])
def test_a_damaged_file_is_said_and_moved_only_when_asked(tmp_path: Path, content: bytes) -> None:
    (tmp_path / FILE).write_bytes(content)
    (tmp_path / "arrays").mkdir()
    (tmp_path / "arrays" / "some.npy").write_bytes(b"kept")
    with pytest.raises(DamagedHistoryError, match="damaged") as caught:
        RunHistory(tmp_path)
    assert "--set-aside" in caught.value.hint
    assert (tmp_path / FILE).read_bytes() == content
    away = set_aside(tmp_path)
    assert away.read_bytes() == content
    assert [path.read_bytes() for path in tmp_path.glob("arrays.aside-*/some.npy")] == [b"kept"]
    assert RunHistory(tmp_path).latest() == []


def test_a_row_that_is_no_json_is_said(tmp_path: Path) -> None:
    history = RunHistory(tmp_path)
    run_id = history.begin(case(), ENDPOINT)
    with history._database.writing() as connection:
        connection.execute("UPDATE runs SET endpoint_json = '{'")
    with pytest.raises(DamagedHistoryError, match=f"run {run_id} "):
        history.get(run_id)


def test_there_is_nothing_to_set_aside(tmp_path: Path) -> None:
    with pytest.raises(HistoryError, match="no run history"):
        set_aside(tmp_path)


def test_a_folder_that_can_not_be_made_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(HistoryError, match="can't be made") as caught:
        RunHistory(tmp_path / "file")
    assert "XPUDBG_HISTORY" in caught.value.hint


def test_a_full_disk_is_said_and_what_was_there_stays(tmp_path: Path) -> None:
    history = RunHistory(tmp_path)
    first = history.begin(case(), ENDPOINT)
    with history._database.reading() as connection:
        pages = connection.execute("PRAGMA page_count").fetchone()[0]
        connection.execute(f"PRAGMA max_page_count = {pages}")
    with pytest.raises(HistoryError, match="full") as caught:
        history.begin(case(attrs={"long": "x" * 100_000}), ENDPOINT)
    assert "space" in caught.value.hint
    assert [record.id for record in history.latest()] == [first]
