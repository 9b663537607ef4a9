"""A headless Chromium, spoken to by its DevTools protocol, and what a terminal in its page has been sent."""

from __future__ import annotations

import asyncio
import base64
import itertools
import os
import re
import shutil
import signal
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import aiohttp
import pyte

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable
    from pathlib import Path

__all__ = ["Page", "chromium_here", "open_page"]

LIMIT_S = 60.0
"""Seconds for whatever is waited for; nothing takes so long unless it never comes."""


def chromium_here() -> str | None:
    """The program, None where there is none."""
    return next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)


class Page:
    """One tab."""

    def __init__(self, socket: aiohttp.ClientWebSocketResponse, columns: int = 400, rows: int = 200) -> None:
        self._socket = socket
        self._numbers = itertools.count(1)
        self._answers: dict[int, asyncio.Future[dict[str, Any]]] = {}
        self._screen = pyte.Screen(columns, rows)
        self._stream = pyte.ByteStream(self._screen)
        self._news = asyncio.Condition()
        self.requested: list[str] = []
        """Addresses that the page has asked for."""
        self.said: list[str] = []
        """What the page has written to the console, refused by its policy or failed at."""

    async def listen(self) -> None:
        """Take what the browser says until it is gone."""
        async for message in self._socket:
            said = message.json()
            if (number := said.get("id")) in self._answers:
                self._answers.pop(number).set_result(said)
                continue
            self._take(said.get("method"), said.get("params", {}))
            async with self._news:
                self._news.notify_all()

    def _take(self, method: str, params: dict[str, Any]) -> None:
        if method == "Network.webSocketFrameReceived" and params["response"]["opcode"] == 2:
            self._stream.feed(base64.b64decode(params["response"]["payloadData"]))
        elif method == "Network.requestWillBeSent":
            self.requested.append(params["request"]["url"])
        elif method == "Network.webSocketCreated":
            self.requested.append(params["url"])
        elif method == "Log.entryAdded":
            self.said.append(params["entry"]["text"])
        elif method == "Runtime.exceptionThrown":
            self.said.append(str(params["exceptionDetails"].get("exception", {}).get("description")))

    async def ask(self, method: str, **params: object) -> dict[str, Any]:
        """The result of a command.

        Raises:
            AssertionError: it failed.
        """
        number = next(self._numbers)
        self._answers[number] = asyncio.get_running_loop().create_future()
        await self._socket.send_json({"id": number, "method": method, "params": params})
        said = await asyncio.wait_for(self._answers[number], LIMIT_S)
        assert "error" not in said, f"{method}: {said['error']}"
        result: dict[str, Any] = said["result"]
        return result

    async def evaluate(self, script: str) -> Any:
        """The value of an expression of JavaScript in the page."""
        found = await self.ask("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        return found["result"].get("value")

    @property
    def text(self) -> str:
        """The terminal as a person reads it, line by line."""
        return "\n".join(line.rstrip() for line in self._screen.display).rstrip()

    async def wait_for(self, pattern: str) -> re.Match[str]:
        """Until the terminal shows a pattern."""
        await self.until(lambda: re.search(pattern, self.text), pattern)
        found = re.search(pattern, self.text)
        assert found is not None
        return found

    async def until(self, condition: Callable[[], object], what: str) -> None:
        async def come() -> None:
            async with self._news:
                await self._news.wait_for(condition)

        try:
            await asyncio.wait_for(come(), LIMIT_S)
        except TimeoutError:
            raise AssertionError(f"never came about: {what}\n{self.text}\n{self.said}") from None

    async def press(self, key: str) -> None:
        """A key of the keyboard: a character, or the name of a key that has none."""
        codes = {"Enter": (13, "\r"), "Tab": (9, ""), "Escape": (27, "")}
        number, typed = codes.get(key, (ord(key.upper()[0]), key))
        event: dict[str, object] = {"key": key, "windowsVirtualKeyCode": number}
        await self.ask("Input.dispatchKeyEvent", type="keyDown", **event, **({"text": typed} if typed else {}))
        await self.ask("Input.dispatchKeyEvent", type="keyUp", **event)

    async def click(self, x: float, y: float) -> None:
        """The left button of the mouse, at a place in CSS pixels."""
        where: dict[str, object] = {"x": x, "y": y, "button": "left", "clickCount": 1}
        await self.ask("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)
        await self.ask("Input.dispatchMouseEvent", type="mousePressed", **where)
        await self.ask("Input.dispatchMouseEvent", type="mouseReleased", **where)

    async def cell_size(self) -> tuple[float, float]:
        """Width and height of one cell of the terminal, CSS pixels."""
        script = "(() => { const r = document.querySelector('.xterm-screen').getBoundingClientRect(); "
        script += "return [r.width, r.height]; })()"
        width, height = await self.evaluate(script)
        columns, rows = await self.size()
        return width / columns, height / rows

    async def size(self) -> tuple[int, int]:
        """Columns and rows that the page has asked for when it opened the terminal."""
        found = re.search(r"/ws\?width=(\d+)&height=(\d+)", " ".join(self.requested))
        assert found is not None
        return int(found[1]), int(found[2])

    async def fitted(self) -> None:
        """Make the terminal here as large as that of the page; before anything is drawn that matters."""
        columns, rows = await self.size()
        self._screen.resize(rows, columns)


@asynccontextmanager
async def open_page(url: str, folder: Path, size: tuple[int, int] = (1200, 800)) -> AsyncIterator[Page]:
    """A browser of its own with one tab at an address; it is gone at the end.

    Args:
        folder: for its profile.
    """
    program = chromium_here()
    assert program is not None
    options = ("--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run", "--remote-debugging-port=0")
    browser = await asyncio.create_subprocess_exec(
        *(program, *options, f"--window-size={size[0]},{size[1]}", f"--user-data-dir={folder}", "about:blank"),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.PIPE,
        start_new_session=True,
    )
    try:
        port = await asyncio.wait_for(_port(browser), LIMIT_S)
        async with aiohttp.ClientSession() as client:
            async with client.put(f"http://127.0.0.1:{port}/json/new?about:blank") as response:
                address = (await response.json(content_type=None))["webSocketDebuggerUrl"]
            async with client.ws_connect(address, max_msg_size=0) as socket:
                page = Page(socket)
                listening = asyncio.create_task(page.listen())
                for domain in ("Page", "Network", "Log", "Runtime"):
                    await page.ask(f"{domain}.enable")
                await page.ask("Page.navigate", url=url)
                try:
                    yield page
                    await page.ask("Browser.close")
                    await asyncio.wait_for(browser.wait(), LIMIT_S)
                finally:
                    listening.cancel()
    finally:
        if browser.returncode is None:
            os.killpg(browser.pid, signal.SIGKILL)
            await browser.wait()


async def _port(browser: asyncio.subprocess.Process) -> int:
    """Where it listens; it tells that on stderr."""
    assert browser.stderr is not None
    async for line in browser.stderr:
        if found := re.search(rb"DevTools listening on ws://127\.0\.0\.1:(\d+)/", line):
            return int(found[1])
    raise AssertionError("Chromium ended before it listened")
