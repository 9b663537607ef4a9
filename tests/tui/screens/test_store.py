"""Screen 7: keys as a tree, values on sight, views, search, export; greyed where there is no store."""

from __future__ import annotations

from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.tui.running import running
from tests.tui.scripted import NOW, SECOND, look
from tests.tui.store_scripts import READ_AT, WHERE, ScriptedStore, job_keys, store_job
from xpudbg.services.events import TargetOpened
from xpudbg.services.store_browse.events import StoreRefused, StoreSearched
from xpudbg.services.store_browse.orders import EndSearch, ExportValue, ListKeys, ReadValues, SearchValues
from xpudbg.services.store_browse.values import VIEW_LIMIT
from xpudbg.tui.screens.store import StoreScreen
from xpudbg.tui.widgets.raw_text import TextLog
from xpudbg.tui.widgets.store_tree import PAGE, StoreTree

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Mapping

    from tests.tui.running import Running


@asynccontextmanager
async def at_store(
    folder: Path, held: Mapping[bytes, bytes] | None = None, size: tuple[int, int] = (120, 40)
) -> AsyncIterator[tuple[Running, ScriptedStore]]:
    """The store's screen on a scripted store."""
    store = ScriptedStore(job_keys() if held is None else held)
    async with running(store_job(), folder, size=size) as run:
        run.engine.on_store = store
        await run.press("7")
        await run.settled()
        assert isinstance(run.app.screen, StoreScreen)
        yield run, store


def orders_of(run: Running, kind: type) -> list[object]:
    return [order for name, order in run.engine.calls if name == "store" and isinstance(order, kind)]


def tree_of(run: Running) -> StoreTree:
    return run.app.screen.query_one(StoreTree)


def has_keys(run: Running, kind: type) -> bool:
    return isinstance(run.app.focused, kind)


async def go_to(run: Running, key: bytes) -> None:
    assert tree_of(run).go_to(key)
    await run.settled()
    await run.settled()


async def test_keys_values_and_what_they_are_for(tmp_path: Path) -> None:
    async with at_store(tmp_path) as (run, _store):
        text = run.text()
        assert f"store {WHERE}  13 keys, read 3 s ago" in text
        assert "debug_server/" in text
        assert "addresses of debug servers" in text
        await go_to(run, b"debug_server/rank2")
        text = run.text()
        assert "address of rank 2's debug server" in text
        assert "21 B, text, read 3 s ago" in text
        assert "http://node-000:25002" in text
        await go_to(run, b"odd/big")
        # each value once, and once more where there was more of it than its line needs
        read = [(key, order.limit) for order in orders_of(run, ReadValues) for key in order.keys]  # type: ignore[attr-defined]
        assert len(read) == len(set(read))
        assert [key for key, limit in read if limit == VIEW_LIMIT] == [b"odd/big"]
        assert orders_of(run, ListKeys) == [ListKeys()]
        await run.press("right_square_bracket")
        assert tree_of(run).cursor_prefix == b"debug_server/rank1"


async def test_values_of_all_kinds(tmp_path: Path) -> None:
    async with at_store(tmp_path) as (run, store):
        await go_to(run, b"odd/pickled")
        assert "looks like a pickle, never loaded" in run.text()
        assert "00000000  80 04" in run.text()
        await go_to(run, b"none/torchelastic/role_info/0")
        assert '"local_world_size": 4' in run.text()
        assert "as JSON" in run.text()
        await run.press("v")
        assert "as text, as chosen with v" in run.text()
        await run.press("v", "v")
        assert '7b 22 72 6f 6c 65 22 3a  |{"role":|' in run.text()
        await run.press("v")
        hostile = next(key for key in store.held if key.startswith(b"odd/["))
        await go_to(run, hostile)
        text = run.text()
        assert "odd/[/x]\\x1b[2J\\n键" in text
        assert "[bold]no markup[/] \\u202e" in text
        await go_to(run, b"odd/big")
        await run.press("tab")
        assert has_keys(run, TextLog)
        await run.press("G")
        assert "… 75,712 bytes more; e writes all to a file" in run.text()
        await run.press("escape")
        assert has_keys(run, StoreTree)


async def test_searching_names_and_values(tmp_path: Path) -> None:
    async with at_store(tmp_path) as (run, _store):
        await run.press("slash", *"rank value:25001")
        assert "enter reads the values" in run.text()
        assert orders_of(run, SearchValues) == []
        await run.press("enter")
        await run.settled()
        await run.settled()
        assert "1 hit in 5 of 5 values" in run.text()
        assert tree_of(run).cursor_prefix == b"debug_server/rank1"
        assert len(orders_of(run, SearchValues)) == 1
        await run.press("escape")
        await run.settled()
        assert "13 keys" in run.text()
        assert "hit" not in run.text()
        await run.press("slash", *"value:hex:8", "enter")
        assert "pairs of hex digits" in run.text()
        await run.press("escape")
        await run.press("slash", *"re:rank[0-2]$ !default")
        assert "3 of 13 keys" in run.text()
        await run.press(*" group:x")
        assert "group: can't be asked of store keys" in run.text()


async def test_a_search_under_way_can_be_ended(tmp_path: Path) -> None:
    async with at_store(tmp_path) as (run, _store):
        run.engine.on_store = lambda order: (
            [StoreSearched(order.search, (), 1, 13)] if isinstance(order, SearchValues) else ()
        )
        await run.press("slash", *"value:zzz", "enter")
        await run.settled()
        assert "0 hits in 1 of 13 values …" in run.text()
        await run.press("x")
        await run.settled()
        assert orders_of(run, EndSearch) == [EndSearch()]
        assert len(orders_of(run, SearchValues)) == 1
        await run.press("escape")
        await run.settled()
        assert tree_of(run).branch is not None


async def test_looking_again_lists_again_and_keeps_the_place(tmp_path: Path) -> None:
    async with at_store(tmp_path) as (run, store):
        await go_to(run, b"debug_server/rank2")
        store.held[b"aaa/new"] = b"1"
        store.read_at = READ_AT + SECOND
        await run.press("r")
        await run.settled()
        await run.settled()
        assert "14 keys" in run.text()
        assert "aaa/new" in run.text()
        assert tree_of(run).cursor_prefix == b"debug_server/rank2"
        store.gone, store.read_at = {b"debug_server/rank2"}, READ_AT + 2 * SECOND
        await run.press("r")
        await run.settled()
        await run.settled()
        assert "The key is gone: it was listed" in run.text()
        store.failure = "head-0:29500 refused the connection"
        await run.press("r")
        await run.settled()
        assert "not read again: head-0:29500 refused the connection" in run.text()
        assert "14 keys" in run.text()
        run.app.attachment.refresh_s = 5.0
        before = len(orders_of(run, ListKeys))
        await run.say(look(2, 4, at=NOW + 10 * SECOND))
        assert len(orders_of(run, ListKeys)) == before  # a store that failed is not asked again by itself


async def test_with_looks_that_come_by_themselves_keys_are_listed_anew(tmp_path: Path) -> None:
    async with at_store(tmp_path) as (run, store):
        before = len(orders_of(run, ListKeys))
        await run.say(look(2, 4, at=NOW + 10 * SECOND))
        assert len(orders_of(run, ListKeys)) == before
        run.app.attachment.refresh_s = 5.0
        store.read_at = NOW + 21 * SECOND
        await run.say(look(3, 4, at=NOW + 20 * SECOND))
        await run.settled()
        assert len(orders_of(run, ListKeys)) == before + 1


async def test_copy_and_export(tmp_path: Path) -> None:
    async with at_store(tmp_path) as (run, _store):
        await go_to(run, b"debug_server/rank3")
        await run.press("y")
        assert run.app.clipboard == "http://node-000:25003"
        await run.press("c", "e")
        assert run.app.clipboard == "debug_server/rank3"
        assert orders_of(run, ExportValue) == [ExportValue(b"debug_server/rank3", Path.cwd())]
        await run.until(lambda: "the value is in a file" in run.text())
        await go_to(run, b"debug_server/")
        await run.press("y", "e")
        assert run.app.clipboard.splitlines() == [f"debug_server/rank{rank}" for rank in range(4)]
        assert len(orders_of(run, ExportValue)) == 1


async def test_the_keys_as_a_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    async with at_store(tmp_path) as (run, _store):
        await go_to(run, b"debug_server/rank3")  # its value is read on sight
        await run.press("E")
        await run.press(*["backspace"] * 80, *"keys.md", "enter")
        await run.until(lambda: "of keys in" in run.text())
        written = (tmp_path / "keys.md").read_text()
        assert "address of rank 3's debug server" in written
        assert "http://node-000:25003" in written.replace("\\", "")


async def test_going_about(tmp_path: Path) -> None:
    held = {b"ranks/%d" % number: b"v" for number in range(PAGE + 200)}
    async with at_store(tmp_path, held, (80, 24)) as (run, _store):
        tree = tree_of(run)
        assert tree.cursor_prefix == b"ranks/"
        await run.press("G")
        assert "… 200 more; enter adds them" in run.text()
        await run.press("enter")
        await run.settled()
        assert tree.cursor_prefix == b"ranks/%d" % PAGE
        await run.press("G")
        await run.settled()
        assert tree.cursor_prefix == b"ranks/%d" % (PAGE + 199)
        read = {key for order in orders_of(run, ReadValues) for key in order.keys}  # type: ignore[attr-defined]
        assert b"ranks/%d" % (PAGE + 199) in read
        assert len(read) < 100
        await run.press("n")
        assert tree.cursor_prefix == b"ranks/0"
        await run.press("g", "left")
        await run.settled()
        assert tree.last_line == 0


async def test_a_store_that_cannot_be_listed(tmp_path: Path) -> None:
    store = ScriptedStore({})
    store.failure = "head-0:29500 refused the connection: nothing listens there"
    async with running(store_job(), tmp_path, size=(80, 24)) as run:
        run.engine.on_store = store
        await run.press("7")
        await run.settled()
        text = run.text()
        assert "the keys could not be listed" in text
        assert "is it up?" in text
        assert "r tries again." in text


async def test_a_bundle_without_keys_is_not_said_to_be_read_again(tmp_path: Path) -> None:
    opening, *rest = store_job()
    script = [replace(one, replayed="a.xpudbg") if isinstance(one, TargetOpened) else one for one in rest]
    refused = StoreRefused("the bundle does not hold the store's keys", "they were not read before it was written")
    async with running([opening, *script, refused], tmp_path, size=(80, 24)) as run:
        await run.press("7")
        await run.settled()
        text = run.text()
        assert "they were not read before it was written" in text
        assert "tries again" not in text


async def test_without_a_store_it_is_not_opened(tmp_path: Path) -> None:
    async with running(store_job(store=""), tmp_path) as run:
        await run.press("7")
        await run.until(lambda: "not now: the target names workers" in run.text())
        assert not isinstance(run.app.screen, StoreScreen)
        assert run.engine.told("store") == 0


async def test_next_goes_on_beyond_the_lines_that_are_there_and_says_where_it_ends(tmp_path: Path) -> None:
    held = {b"many/%d" % number: b"" for number in range(6_000)}
    async with at_store(tmp_path, held) as (run, _store):
        tree = tree_of(run)
        await go_to(run, b"many/%d" % (PAGE - 1))
        await run.press("n")
        assert tree.cursor_prefix == b"many/%d" % PAGE
        await go_to(run, b"many/%d" % (PAGE * 3 + 7))
        await run.press("n", "N", "N")
        assert tree.cursor_prefix == b"many/%d" % (PAGE * 3 + 6)
        await run.press("g", "N")  # the last of all is too far
        assert tree.cursor_prefix == b"many/"
        assert "too many lines are there" in run.text()
