"""`xpudbg web` as a person has it: a browser opens the printed address, reads the verdict, types and clicks."""

from __future__ import annotations

import asyncio
import os
import re
import signal
import sys
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import aiohttp
import pytest

from tests.browser.chromium import LIMIT_S, chromium_here, open_page

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

pytest.importorskip("textual_serve", reason="the extra [web] is not installed")

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(chromium_here() is None, reason="there is no Chromium here"),
]


@asynccontextmanager
async def web_demo(folder: Path) -> AsyncIterator[tuple[asyncio.subprocess.Process, str]]:
    """The running command and the address it prints."""
    command = Path(sys.executable).with_name("xpudbg")
    env = {**os.environ, "TMUX": "x", "TERM": "dumb", "XDG_STATE_HOME": str(folder), "XDG_CONFIG_HOME": str(folder)}
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(
        *(command, "web", "demo", "--host", "127.0.0.1"), stdout=pipe, stdin=asyncio.subprocess.DEVNULL, env=env
    )
    try:
        assert process.stdout is not None
        line = (await asyncio.wait_for(process.stdout.readline(), LIMIT_S)).decode()
        found = re.fullmatch(r"open (http://127\.0\.0\.1:\d+/\?token=\S+)\n", line)
        assert found is not None, line
        yield process, found[1]
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


def descendants(pid: int) -> set[int]:
    """All processes below one."""
    parents: dict[int, int] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal():
            try:
                stat = (entry / "stat").read_text()
            except OSError:
                continue  # it has ended meanwhile
            parents[int(entry.name)] = int(stat.rpartition(")")[2].split()[1])
    found = {pid}
    while new := {one for one, parent in parents.items() if parent in found} - found:
        found |= new
    return found - {pid}


def there(pids: set[int]) -> set[int]:
    """Those that still run; a zombie does not."""
    left = set()
    for pid in pids:
        try:
            state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        except OSError:
            continue
        if state != "Z":
            left.add(pid)
    return left


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="processes are listed by /proc")
async def test_the_verdict_is_read_keys_and_mouse_work_and_nothing_is_left(tmp_path: Path) -> None:
    async with web_demo(tmp_path / "home") as (process, address):
        bare = address.partition("?")[0]
        async with aiohttp.ClientSession() as client:
            for path in ("", "static/js/textual.js", "ws"):
                async with client.get(bare + path) as answer:
                    assert answer.status == 403, path
        async with open_page(address, tmp_path / "profile") as page:
            await page.until(lambda: any("/ws?" in one for one in page.requested), "the page opens its WebSocket")
            await page.fitted()
            await page.wait_for(r"DEAD +Rank 41 \(127\.0\.0\.\d+\) is dead: nothing listens at its address")
            await page.wait_for(r"rank 41 .* X dead")
            assert await page.evaluate("location.search") == ""
            assert await page.evaluate("document.cookie") == ""
            assert {one.partition("//")[2].partition("/")[0] for one in page.requested} == {bare.split("/")[2]}
            assert not [one for one in page.said if "Content Security Policy" in one]

            await page.press("2")
            await page.wait_for(r"rank ▲ +class")
            line = next(at for at, text in enumerate(page.text.split("\n")) if re.match(r" +14 +o alive", text))
            width, height = await page.cell_size()
            await page.click(width * 12, height * (line + 0.5))
            await page.wait_for(r"(?m)^ rank 14 ")
            await page.press("y")
            await page.wait_for(r"sent the row of rank 14, [\d,]+ characters")
            await page.press("O")
            await page.wait_for(r"cannot be given to")

            below = descendants(process.pid)
            assert len(below) >= 2, "the session and the demo's ranks"
            process.send_signal(signal.SIGINT)
            assert await asyncio.wait_for(process.wait(), LIMIT_S) == 0
            assert not there(below)
            script = "new Promise(r => { const look = () => document.body.classList.contains('-closed') ? r(true) : "
            assert await page.evaluate(script + "setTimeout(look, 50); look(); })")
