"""Who is let in: the right token, a name of this machine, a page of this server."""

from __future__ import annotations

import socket

import pytest

from xpudbg.tui.web.guard import Guard, is_loopback


@pytest.mark.parametrize(
    ("host", "loopback"),
    [
        ("127.0.0.1", True),
        ("127.9.9.9", True),
        ("::1", True),
        ("localhost", True),
        ("0.0.0.0", False),
        ("::", False),
        ("10.0.0.5", False),
        ("localhost.evil.com", False),
        ("", False),
    ],
)
def test_what_is_reached_from_this_machine_only(host: str, loopback: bool) -> None:
    assert is_loopback(host) is loopback


def test_secrets_are_new_at_each_start_and_shown_nowhere() -> None:
    one, other = Guard("127.0.0.1"), Guard("127.0.0.1")
    assert len({one.token, one.cookie, other.token, other.cookie}) == 4
    assert all(len(secret) >= 43 for secret in (one.token, one.cookie))
    assert one.token not in repr(one)
    assert one.cookie not in repr(one)


def test_only_the_whole_token_is_the_token() -> None:
    guard = Guard("127.0.0.1", token="tök\udcff" * 9, cookie="c" * 40)
    assert guard.is_token(guard.token)
    for wrong in (None, "", guard.cookie, guard.token[:-1], guard.token + "x", guard.token.upper()):
        assert not guard.is_token(wrong)
    assert guard.is_cookie(guard.cookie)
    assert not guard.is_cookie(guard.token)
    assert not guard.is_cookie(None)


@pytest.mark.parametrize("host", ["127.0.0.1:8000", "localhost:9000", "LOCALHOST", "[::1]:8000", "127.0.0.1"])
def test_names_of_this_machine_are_ours_on_any_port(host: str) -> None:
    """A tunnel has another port at its other end."""
    guard = Guard("127.0.0.1")
    assert not guard.refused(host, None)
    assert not guard.refused(host, f"http://{host}", origin_needed=True)


@pytest.mark.parametrize(
    "host",
    [
        "evil.com",
        "evil.com:8000",
        "127.0.0.1.evil.com",
        "localhost.evil.com",
        "evil.com@127.0.0.1",
        "127.0.0.1/evil.com",
        "127.0.0.1:x",
        "[::1",
        "10.0.0.5:8000",
        "",
        None,
    ],
)
def test_another_name_is_refused(host: str | None) -> None:
    assert "not called so" in Guard("127.0.0.1").refused(host, None)


@pytest.mark.parametrize(
    "origin",
    ["http://evil.com", "http://127.0.0.1:8001", "http://localhost:8000", "null", "", "ftp://127.0.0.1:8000"],
)
def test_a_page_of_another_site_is_refused(origin: str) -> None:
    assert "other sites" in Guard("127.0.0.1").refused("127.0.0.1:8000", origin)


def test_a_websocket_has_to_say_whose_page_it_is_of() -> None:
    assert "a page of this server only" in Guard("127.0.0.1").refused("127.0.0.1:8000", None, origin_needed=True)


def test_beyond_this_machine_addresses_and_its_own_names_are_ours() -> None:
    guard = Guard("0.0.0.0")
    for host in ("10.0.0.5:8000", "[fd00::5]:8000", f"{socket.gethostname()}:8000", "localhost:1"):
        assert not guard.refused(host, f"http://{host}", origin_needed=True)
    assert guard.refused("evil.com:8000", None)
