"""Addresses of simulated ranks, and what the kernel does for them."""

from __future__ import annotations

import socket
import sys

import pytest

from xpudbg.services.simulate.hosts import Hosts, fill_queue, waiting_in_queue

linux = pytest.mark.skipif(sys.platform != "linux", reason="asks the Linux kernel about its queues")
ESTABLISHED, SYN_SENT = 1, 2


def state_of(connecting: socket.socket) -> int:
    """The TCP state; on loopback a handshake that succeeds is over when connect returns."""
    return connecting.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 8)[0]


def connect(address: tuple[str, int]) -> socket.socket:
    made = socket.socket()
    made.setblocking(False)
    made.connect_ex(address)
    return made


@linux
def test_eight_ranks_share_a_host() -> None:
    hosts = Hosts()
    assert [hosts.address(rank) for rank in (0, 7, 8, 63)] == ["127.0.0.1", "127.0.0.1", "127.0.0.2", "127.0.0.8"]
    assert len({hosts.address(rank) for rank in range(65_536)}) == 8192


def test_without_further_loopback_addresses_all_ranks_are_on_the_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("xpudbg.services.simulate.hosts._can_bind", lambda address: False)
    assert {Hosts().address(rank) for rank in range(100)} == {"127.0.0.1"}


def test_each_rank_has_a_port_of_its_own() -> None:
    hosts = Hosts()
    bound = [hosts.bind(rank) for rank in range(16)]
    assert len({one.getsockname() for one in bound}) == 16
    assert bound[9].getsockname()[0] == hosts.address(9)
    for one in bound:
        one.close()


@linux
def test_a_filled_queue_answers_no_connection() -> None:
    with Hosts().bind(0) as bound, fill_queue(bound), connect(bound.getsockname()) as late:
        assert state_of(late) == SYN_SENT


@linux
def test_the_queue_is_counted() -> None:
    with Hosts().bind(0) as bound:
        bound.listen(5)
        assert waiting_in_queue(bound) == 0
        waiting = [connect(bound.getsockname()) for _ in range(3)]
        assert [state_of(one) for one in waiting] == [ESTABLISHED] * 3
        assert waiting_in_queue(bound) == 3
        for one in waiting:
            one.close()
