"""The server: nothing without the token, its own names and pages only, a session for each WebSocket."""

from __future__ import annotations

import os
import re
import sys
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import pytest
from aiohttp import ClientSession, CookieJar, WSMsgType, WSServerHandshakeError
from aiohttp.test_utils import TestServer

from tests.tui.web.children import child
from tests.tui.web.test_session import is_there
from xpudbg.tui.web import server as server_module
from xpudbg.tui.web.guard import Guard
from xpudbg.tui.web.server import make_app

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Sequence

pytest.importorskip("textual_serve", reason="the extra [web] is not installed")

GUARD = Guard("127.0.0.1")
PAGES = ("/", "/ws", "/static/js/textual.js", "/static/css/xterm.css", "/static/", "/nothing", "/download/x")


class Served:
    """A running server and a browser."""

    def __init__(self, server: TestServer, client: ClientSession, told: list[str]) -> None:
        self.server = server
        self.client = client
        self.told = told
        self.host = f"127.0.0.1:{server.port}"
        self.url = f"http://{self.host}"

    async def enter(self) -> None:
        async with self.client.get(f"{self.url}/?token={GUARD.token}") as answer:
            assert answer.status == 200
            assert str(answer.url) == f"{self.url}/"

    async def status(self, path: str, **headers: str) -> int:
        async with self.client.get(self.url + path, headers=headers, allow_redirects=False) as answer:
            return answer.status


@asynccontextmanager
async def served(command: Sequence[str] = ("true",)) -> AsyncIterator[Served]:
    told: list[str] = []
    server = TestServer(make_app(GUARD, command, "xpudbg <job>", told.append), host="127.0.0.1")
    async with server, ClientSession(cookie_jar=CookieJar(unsafe=True)) as client:
        yield Served(server, client, told)


async def test_without_the_token_nothing_is_answered() -> None:
    async with served() as site:
        for path in PAGES:
            for asked in (path, f"{path}?token=wrong", f"{path}?token="):
                assert await site.status(asked, Origin=site.url) == 403, asked
        for path in PAGES[1:]:
            assert await site.status(f"{path}?token={GUARD.token}", Origin=site.url) == 403, path
        for name in (f"xpudbg-{site.host.partition(':')[2]}", "xpudbg"):
            assert await site.status("/", Cookie=f"{name}={GUARD.token}") == 403
        async with site.client.post(f"{site.url}/?token=wrong") as answer:
            assert answer.status == 403
            assert "address that xpudbg web has printed" in await answer.text()


async def test_the_token_becomes_a_cookie_and_leaves_the_address() -> None:
    async with served() as site:
        async with site.client.get(f"{site.url}/?token={GUARD.token}", allow_redirects=False) as answer:
            assert (answer.status, answer.headers["Location"]) == (303, "/")
            cookie = answer.headers["Set-Cookie"]
        assert cookie.startswith(f"xpudbg-{site.host.partition(':')[2]}={GUARD.cookie};")
        assert "HttpOnly" in cookie
        assert "SameSite=Strict" in cookie
        assert GUARD.token not in cookie
        async with site.client.get(site.url) as answer:
            text, policy = await answer.text(), answer.headers["Content-Security-Policy"]
            assert answer.headers["Cache-Control"] == "no-store"
            assert answer.headers["X-Content-Type-Options"] == "nosniff"
        assert "<title>xpudbg &lt;job&gt;</title>" in text
        assert GUARD.token not in text
        assert GUARD.cookie not in text
        nonce = re.search(r'<script nonce="([^"]+)">', text)
        assert nonce is not None
        assert f"'nonce-{nonce[1]}'" in policy
        assert not re.findall(r'(?:src|href)="(?!/|data:,)', text), "something comes from elsewhere"
        for path, wanted in (("/static/js/textual.js", 200), ("/static/css/xterm.css", 200), ("/static/", 403)):
            assert await site.status(path) == wanted
        assert await site.status("/static/../server.py") == 404
        assert await site.status(f"/?token={GUARD.token}") == 303


async def test_who_has_the_cookie_is_refused_under_another_name_or_from_another_page() -> None:
    async with served(child("echo")) as site:
        await site.enter()
        port = site.host.partition(":")[2]
        for host in (f"evil.com:{port}", "evil.com", f"127.0.0.1.evil.com:{port}"):
            assert await site.status("/", Host=host, Cookie=f"xpudbg-{port}={GUARD.cookie}") == 403
        assert await site.status("/static/js/textual.js", Origin="http://evil.com") == 403
        for origin in ("http://evil.com", "null", f"http://localhost:{port}", None):
            headers = {"Origin": origin} if origin is not None else {}
            with pytest.raises(WSServerHandshakeError) as refused:
                await site.client.ws_connect(f"{site.url}/ws", headers=headers)
            assert refused.value.status == 403


async def test_a_tab_is_a_session() -> None:
    async with served(child("echo")) as site:
        await site.enter()
        async with site.client.ws_connect(f"{site.url}/ws?width=133&height=39", origin=site.url) as socket:
            assert (await socket.receive_bytes()).startswith(b"133x39 ")
            await socket.send_json(["ping", "5"])
            assert await socket.receive_json() == ["pong", "5"]
            await socket.send_json(["stdin", "q"])
            assert await socket.receive_bytes() == b"Dq"
        assert not site.told


@pytest.mark.parametrize("sent", [b"\x00", "no json", "[1]", '["stdin"]'], ids=repr)
async def test_a_browser_that_says_something_else_loses_its_session_only(sent: bytes | str) -> None:
    async with served(child("echo")) as site:
        await site.enter()
        async with site.client.ws_connect(f"{site.url}/ws", origin=site.url) as socket:
            await socket.receive_bytes()
            await (socket.send_bytes(sent) if isinstance(sent, bytes) else socket.send_str(sent))
            while (message := await socket.receive()).type is WSMsgType.BINARY:
                continue
            assert message.type is WSMsgType.CLOSE
        assert len(site.told) == 1
        assert await site.status("/") == 200


async def test_what_a_session_says_at_its_end_is_told() -> None:
    async with served(child("fails")) as site:
        await site.enter()
        async with site.client.ws_connect(f"{site.url}/ws", origin=site.url) as socket:
            assert (await socket.receive()).type is WSMsgType.CLOSE
        assert site.told == ["xpudbg: no\x1b such target"]


async def test_sessions_end_with_the_server(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("xpudbg.tui.web.session.ENDS_S", 0.05)
    monkeypatch.setattr(server_module, "MOST_SESSIONS", 2)
    async with served(child("stubborn")) as site:
        await site.enter()
        sockets = [await site.client.ws_connect(f"{site.url}/ws", origin=site.url) for _ in range(2)]
        pids = [int(await socket.receive_bytes()) for socket in sockets]
        with pytest.raises(WSServerHandshakeError) as refused:
            await site.client.ws_connect(f"{site.url}/ws", origin=site.url)
        assert refused.value.status == 503
        assert all(map(is_there, pids))
        await site.server.close()
        assert not any(map(is_there, pids))
        for socket in sockets:
            assert (await socket.receive()).type is WSMsgType.CLOSE
            await socket.close()


async def test_the_screens_greet(monkeypatch: pytest.MonkeyPatch) -> None:
    """The program itself, on the start screen, until its tab is closed."""
    monkeypatch.delenv("MASTER_ADDR", raising=False)
    command = [sys.executable, "-P", "-m", "xpudbg.tui.cli", "attach"]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(one for one in sys.path if one.endswith(".links")))
    async with served(command) as site:
        await site.enter()
        async with site.client.ws_connect(f"{site.url}/ws?width=100&height=30", origin=site.url) as socket:
            seen = b""
            while b"TCPStore" not in seen:
                seen += await socket.receive_bytes()
            assert b"\x1b[?1049h" in seen
        assert not site.told
