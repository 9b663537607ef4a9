from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from xpudbg.services.addressing.endpoints import Endpoint, TargetError, parse_endpoint, parse_host, parse_port, quoted


@pytest.mark.parametrize(
    ("text", "host", "port"),
    [
        ("node-1", "node-1", 29500),
        ("Node-1:5", "node-1", 5),
        (" 10.0.0.5:25999 ", "10.0.0.5", 25999),
        ("[FD00::7]", "fd00::7", 29500),
        ("[fe80::1%eth0]:80", "fe80::1%eth0", 80),
        ("[fe80::1%25eth0]:80", "fe80::1%eth0", 80),
        ("fe80::1%eth0", "fe80::1%eth0", 29500),
        ("fd00:1:2:3:4:5:6:7", "fd00:1:2:3:4:5:6:7", 29500),
        ("fd00::7:beef", "fd00::7:beef", 29500),
        ("::", "::", 29500),
        ("node1.cluster.local.:9", "node1.cluster.local.", 9),
        ("bücher.example:1", "xn--bcher-kva.example", 1),
    ],
)
def test_what_people_write(text: str, host: str, port: int) -> None:
    assert parse_endpoint(text, 29500) == Endpoint(host, port)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "empty"),
        ("host:", "port is missing"),
        ("host:0", "port 0"),
        ("host:65536", "no number from 1 to 65535"),
        ("host:٣", "no number from 1 to 65535"),
        ("host:+5", "no number from 1 to 65535"),
        ("host:80:90", "not an IPv6 address"),
        ("fd00::7:2950", "may be a port"),
        ("[fd00::7", "not closed"),
        ("[fd00::7]5", "only :port can follow"),
        ("[10.0.0.5]:5", "not an IPv6 address"),
        ("[fe80::1%]:5", "zone"),
        ("[fe80::1%a b]:5", "zone"),
        ("10.0.0.256:5", "not an IPv4 address"),
        ("010.0.0.5:5", "not an IPv4 address"),
        ("29500", "a number alone"),
        ("ho st:5", "not a host name"),
        ("host/path:5", "not a host name"),
        ("a..b:5", "not a host name"),
        ("..:5", "not a host name"),
        ("x" * 64 + ":5", "too long"),
        ("ä" * 100 + ":5", "IDNA"),
        ("a\x00b:5", "not a host name"),
        (":5", "empty"),
    ],
)
def test_what_is_refused(text: str, says: str) -> None:
    with pytest.raises(TargetError, match=says) as caught:
        parse_endpoint(text, 29500)
    assert caught.value.hint


def test_a_port_is_needed_where_there_is_no_default() -> None:
    with pytest.raises(TargetError, match="port is missing"):
        parse_endpoint("node-1", None)


def test_the_hint_for_an_ambiguous_address_gives_both_readings() -> None:
    with pytest.raises(TargetError) as caught:
        parse_endpoint("fd00::7:2950", None)
    assert "[fd00::7]:2950" in caught.value.hint
    assert "[fd00::7:2950]:port" in caught.value.hint


def test_a_message_shows_no_user_and_no_control_characters() -> None:
    assert quoted("http://user:secret@host:1") == "'http://…@host:1'"
    assert quoted("user:secret@host") == "'…@host'"
    assert "\x1b" not in quoted("\x1b[2J")
    assert len(quoted("x" * 5000)) < 100


@given(st.one_of(st.text(max_size=60), st.text(alphabet="0123456789abcdef:.[]%@/*= x", max_size=40)))
def test_any_text_is_an_endpoint_or_a_typed_error(text: str) -> None:
    try:
        endpoint = parse_endpoint(text, 1)
    except TargetError:
        return
    assert parse_endpoint(str(endpoint), None) == endpoint
    assert endpoint.host.isascii()


@given(st.ip_addresses(v=6), st.integers(1, 65535))
def test_ipv6_in_brackets(address: object, port: int) -> None:
    assert parse_endpoint(f"[{address}]:{port}", None) == Endpoint(str(address), port)


@given(st.ip_addresses(v=6), st.integers(1, 65535))
def test_ipv6_without_brackets_is_never_taken_for_another_address(address: object, port: int) -> None:
    try:
        endpoint = parse_endpoint(f"{address}:{port}", 1)
    except TargetError:
        return
    assert str(endpoint) == f"[{address}:{port}]:1"


@given(st.text(max_size=10))
def test_any_text_is_a_port_or_a_typed_error(text: str) -> None:
    try:
        port = parse_port(text)
    except TargetError:
        return
    assert 1 <= port <= 65535


def test_a_host_may_stand_in_brackets() -> None:
    assert parse_host("[::1]") == "::1"
    assert parse_host("GPU_node_07") == "gpu_node_07"
