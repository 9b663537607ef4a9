"""Where the simulated ranks live: eight to a host, each host a loopback address of its own, each rank a port.

Linux answers on all of 127.0.0.0/8, so that rank 12 is on 127.0.0.2, and the screen groups ranks by host as on a
cluster. Names (`node-b07.localhost`) would look better, but resolve on some systems only. Where the second loopback
address can't be bound (macOS), all ranks are on 127.0.0.1.
"""

from __future__ import annotations

import socket

from .scenarios import RANKS_PER_HOST

__all__ = ["LISTEN_BACKLOG", "STORE_HOST", "Hosts", "fill_queue", "waiting_in_queue"]

STORE_HOST = "127.0.0.1"
LISTEN_BACKLOG = 5
"""Length of a worker server's listen queue; the kernel completes one connection more than that."""
_HOSTS_IN_BLOCK = 250


class Hosts:
    """The addresses of the ranks."""

    def __init__(self) -> None:
        self._several = _can_bind("127.0.0.2")

    def address(self, rank: int) -> str:
        """The loopback address of a rank's host."""
        block, last = divmod(rank // RANKS_PER_HOST, _HOSTS_IN_BLOCK)
        return f"127.0.{block}.{last + 1}" if self._several else "127.0.0.1"

    def bind(self, rank: int) -> socket.socket:
        """A socket with a port of its own on the rank's host, not listening yet.

        Raises:
            OSError: no port or no file is left.
        """
        bound = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        try:
            bound.setblocking(False)
            bound.bind((self.address(rank), 0))
        except OSError:
            bound.close()
            raise
        return bound


def _can_bind(address: str) -> bool:
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        try:
            probe.bind((address, 0))
        except OSError:
            return False
    return True


def fill_queue(bound: socket.socket) -> socket.socket:
    """Listen with the shortest queue and fill it, so that connecting to this port times out from now on (Linux).

    Returns:
        The connection that fills the queue; to be kept.
    """
    bound.listen(0)
    return socket.create_connection(bound.getsockname(), timeout=5.0)


def waiting_in_queue(listening: socket.socket) -> int:
    """How many connections wait in a listen queue to be accepted (Linux; 0 where the kernel doesn't say)."""
    option = getattr(socket, "TCP_INFO", None)
    if option is None:
        return 0
    # struct tcp_info: eight bytes, then 32-bit numbers; the fifth, tcpi_unacked, is the queue's length here.
    info = listening.getsockopt(socket.IPPROTO_TCP, option, 28)
    return int.from_bytes(info[24:28], "little")
