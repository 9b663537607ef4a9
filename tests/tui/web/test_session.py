"""A session: what goes between its process and the browser, and that the process never outlives it."""

from __future__ import annotations

import json
import os
import signal
import sys

import pytest

from tests.tui.web.children import child
from xpudbg.tui.web import session as session_module
from xpudbg.tui.web.session import WebSession, session_environment


class Browser:
    """What a browser was given."""

    def __init__(self) -> None:
        self.shown: list[bytes] = []
        self.told: list[str] = []

    async def show(self, data: bytes) -> None:
        self.shown.append(data)

    async def tell(self, text: str) -> None:
        self.told.append(text)

    def session(self, name: str) -> WebSession:
        return WebSession(child(name), self.show, self.tell)


def is_there(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


async def test_what_is_typed_goes_in_and_what_is_drawn_comes_out() -> None:
    browser = Browser()
    session = browser.session("echo")
    await session.start(session_environment(os.environ, 133, 39))
    assert await session.take(["stdin", "é\x1b[A"]) is None
    assert await session.take(["resize", {"width": 100, "height": 30}]) is None
    assert await session.take(["resize", {"width": -1, "height": 10**9}]) is None
    assert await session.take(["blur"]) is None
    assert await session.take(["ping", "17"]) == '["pong", "17"]'
    session._ask_to_end()
    await session.show()
    await session.end()
    assert browser.shown[:2] == [b"133x39 xpudbg.tui.web.served_driver:ServedDriver", "Dé\x1b[A".encode()]
    messages = [json.loads(one[1:]) for one in browser.shown[2:]]
    assert messages == [
        {"type": "resize", "width": 100, "height": 30},
        {"type": "resize", "width": 80, "height": 24},
        {"type": "blur"},
    ]
    assert not is_there(session.pid)


@pytest.mark.parametrize(
    "envelope",
    [None, [], "stdin", ["stdin"], ["stdin", 1], ["resize", {"width": "1", "height": 1}], ["quit"], ["open_url", {}]],
    ids=repr,
)
async def test_what_the_page_never_says_is_refused(envelope: object) -> None:
    with pytest.raises(ValueError, match="not a message of the page"):
        await Browser().session("echo").take(envelope)


async def test_only_pages_of_the_web_are_opened() -> None:
    browser = Browser()
    session = browser.session("opens pages")
    await session.start(os.environ)
    await session.show()
    await session.end()
    assert browser.told == ['["open_url", {"url": "https://ui.perfetto.dev/", "new_tab": true}]']


async def test_a_process_that_does_not_begin_leaves_its_reason() -> None:
    session = Browser().session("fails")
    await session.start(os.environ)
    await session.show()
    await session.end()
    assert session.errors == "xpudbg: no\x1b such target\n"


async def test_a_process_that_does_not_end_is_made_to(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session_module, "ENDS_S", 0.05)
    session = Browser().session("stubborn")
    await session.start(os.environ)
    assert session._process is not None
    assert session._process.stdout is not None
    await session._process.stdout.readuntil(b"\n")
    await session.end()
    assert session._process.returncode == -9
    assert not is_there(session.pid)
    await session.end()


async def test_a_packet_without_measure_ends_the_session() -> None:
    browser = Browser()
    session = browser.session("too large")
    await session.start(os.environ)
    await session.show()
    session._signal(signal.SIGKILL)
    await session.end()
    assert not browser.shown


async def test_what_cannot_be_started_says_so() -> None:
    browser = Browser()
    session = WebSession([f"{sys.executable}-not-there"], browser.show, browser.tell)
    with pytest.raises(FileNotFoundError):
        await session.start(os.environ)
    await session.end()


def test_the_terminal_of_the_server_is_not_that_of_the_session() -> None:
    env = {"TMUX": "x", "STY": "y", "TERM": "linux", "LC_ALL": "C", "HOME": "/home/me", "TEXTUAL": "devtools"}
    made = session_environment(env, 0, 99_999)
    assert not {"TMUX", "STY", "LC_ALL", "TEXTUAL"} & set(made)
    assert (made["HOME"], made["COLUMNS"], made["ROWS"], made["LC_CTYPE"]) == ("/home/me", "80", "24", "C.UTF-8")
