"""The page for Perfetto: this machine only, its secret, the bytes once."""

from __future__ import annotations

import asyncio
import contextlib
import re
from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import pytest

from xpudbg.services.profiles.browser import has_browser
from xpudbg.services.profiles.perfetto import OneTraceServer
from xpudbg.services.profiles.perfetto_page import page

TRACE = b"\x1f\x8b" + bytes(range(256)) * 2_000


@contextlib.asynccontextmanager
async def serving(folder: Path, served_s: float = 60.0) -> AsyncIterator[tuple[OneTraceServer, httpx.AsyncClient]]:
    path = folder / "merged-0.json.gz"
    path.write_bytes(TRACE)
    server = OneTraceServer(path, 'rank 0 </script><b>"', served_s=served_s)
    await server.start()
    try:
        async with httpx.AsyncClient(trust_env=False) as client:
            yield server, client
    finally:
        await server.close()


async def test_the_page_and_then_the_trace_once(tmp_path: Path) -> None:
    async with serving(tmp_path) as (server, client):
        running = asyncio.create_task(server.run())
        shown = await client.get(server.url)
        assert shown.status_code == 200
        policy = shown.headers["content-security-policy"]
        nonce = re.search(r"'nonce-([^']+)'", policy)
        assert nonce is not None
        assert f'<script nonce="{nonce[1]}">' in shown.text
        assert "https://ui.perfetto.dev" in shown.text
        assert shown.text.count("</script>") == 1
        trace = await client.get(server.url + "trace", headers={"Sec-Fetch-Site": "same-origin"})
        assert trace.content == TRACE
        assert trace.headers["content-type"] == "application/octet-stream"
        assert "access-control-allow-origin" not in trace.headers
        assert trace.headers["cache-control"] == "no-store"
        assert (await client.get(server.url + "trace")).status_code == 410
        assert await running is True
        with pytest.raises(httpx.ConnectError):
            await client.get(server.url)


async def test_it_listens_on_this_machine_alone(tmp_path: Path) -> None:
    async with serving(tmp_path) as (server, _):
        assert re.fullmatch(r"http://127\.0\.0\.1:\d+/[\w-]{32}/", server.url)


@pytest.mark.parametrize(
    ("path", "method", "headers", "status"),
    [
        ("/", "GET", {}, 404),
        ("/x/trace", "GET", {}, 404),
        ("TOKEN", "GET", {"Host": "evil.example"}, 421),
        ("TOKENtrace", "GET", {"Origin": "https://evil.example"}, 403),
        ("TOKENtrace", "GET", {"Sec-Fetch-Site": "cross-site"}, 403),
        ("TOKENtrace", "POST", {}, 405),
        ("TOKENother", "GET", {}, 404),
    ],
    ids=["no token", "wrong token", "another name", "another origin", "another site", "POST", "another file"],
)
async def test_what_is_not_its_own_page_gets_nothing(
    tmp_path: Path, path: str, method: str, headers: dict[str, str], status: int
) -> None:
    async with serving(tmp_path) as (server, client):
        url = path.replace("TOKEN", server.url) if "TOKEN" in path else server.url[: server.url.index("/", 8)] + path
        answer = await client.request(method, url, headers=headers)
        assert answer.status_code == status
        assert "access-control-allow-origin" not in answer.headers
        assert (await client.get(server.url + "trace")).content == TRACE


async def test_it_ends_when_nobody_comes(tmp_path: Path) -> None:
    async with serving(tmp_path, served_s=0.01) as (server, _):
        assert await server.run() is False


async def test_a_trace_that_is_gone_is_told(tmp_path: Path) -> None:
    async with serving(tmp_path) as (server, client):
        (tmp_path / "merged-0.json.gz").unlink()
        answer = await client.get(server.url + "trace")
        assert (answer.status_code, answer.text) == (410, "the trace is gone: No such file or directory\n")
        assert await server.run() is False


def test_a_title_stays_a_text() -> None:
    made = page("</script><script>x()</script>", "a\"b'.json", "n")
    assert made.count("<script") == 1
    assert "\\u003c/script\\u003e" in made
    assert '"a\\"b\'.json"' in made


@pytest.mark.parametrize(
    ("env", "platform", "there"),
    [
        ({}, "linux", False),
        ({"DISPLAY": ":0"}, "linux", True),
        ({"WAYLAND_DISPLAY": "wayland-0"}, "linux", True),
        ({}, "darwin", True),
        ({"SSH_CONNECTION": "1"}, "darwin", False),
        ({}, "win32", True),
    ],
)
def test_where_a_browser_can_open(env: dict[str, str], platform: str, there: bool) -> None:
    assert has_browser(env, platform) is there
