"""Who may see the screens in a browser: whoever has the address that was printed, on a page of this server."""

from __future__ import annotations

import ipaddress
import secrets
import socket
from dataclasses import dataclass, field
from urllib.parse import urlsplit

__all__ = ["Guard", "is_loopback"]


def _secret() -> str:
    return secrets.token_urlsafe(32)


def is_loopback(host: str) -> bool:
    """Whether an address or a name to listen on is reached from this machine only."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


@dataclass(frozen=True, slots=True)
class Guard:
    """The secrets of one start, and the names under which the server may be spoken to."""

    host: str
    """What it listens on."""
    token: str = field(default_factory=_secret, repr=False)
    """Stands in the address that is printed."""
    cookie: str = field(default_factory=_secret, repr=False)
    """What a browser has after it has shown the token."""

    def is_token(self, given: str | None) -> bool:
        """Takes as long for a wrong one as for the right one."""
        return given is not None and secrets.compare_digest(_bytes(given), _bytes(self.token))

    def is_cookie(self, given: str | None) -> bool:
        return given is not None and secrets.compare_digest(_bytes(given), _bytes(self.cookie))

    def refused(self, host: str | None, origin: str | None, *, origin_needed: bool = False) -> str:
        """Why a request is refused whatever it knows, empty when it is not.

        A page of another site cannot read from here, but its name can be made to lead to this machine (DNS
        rebinding), and it can open a WebSocket to anywhere: the first shows in Host, the second in Origin.

        Args:
            host: the header of that name.
            origin: the header of that name; browsers leave it out where a page is opened.
            origin_needed: whether it has to be there.
        """
        if host is None or not self._is_ours(host):
            return "this server is not called so; open the address that xpudbg web has printed"
        if origin is None:
            return "a WebSocket is opened by a page of this server only" if origin_needed else ""
        if origin.lower() not in (f"http://{host.lower()}", f"https://{host.lower()}"):
            return "pages of other sites are not served"
        return ""

    def _is_ours(self, header: str) -> bool:
        """Names by which nobody else can be meant: addresses, and names of this machine. The port may be that of a
        tunnel."""
        try:
            parts = urlsplit(f"//{header}")
            name = (parts.hostname or "").rstrip(".")
            _ = parts.port
        except ValueError:
            return False
        if parts.netloc != header or "@" in header or not name:
            return False
        if is_loopback(name):
            return True
        if is_loopback(self.host):
            return False
        try:
            ipaddress.ip_address(name)
        except ValueError:
            return name in {one.lower() for one in (self.host, socket.gethostname(), socket.getfqdn())}
        return True


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")
