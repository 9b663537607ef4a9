"""What an operator server is started with."""

from __future__ import annotations

import ipaddress
import os
import ssl
import sys
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["ServerSettings", "ServerSettingsError", "TlsFiles"]

GIB = 1024**3


class ServerSettingsError(ValueError):
    """The server can't be started like this; the message says what to change."""


@dataclass(frozen=True, slots=True)
class TlsFiles:
    """PEM files of mutual TLS: clients must have a certificate signed by `ca`."""

    ca: Path
    certificate: Path
    key: Path


@dataclass(frozen=True, slots=True)
class ServerSettings:
    """Everything that can be chosen."""

    host: str = "127.0.0.1"
    port: int = 9090
    """0: any free one."""
    workers: int = field(default_factory=lambda: min(max(os.cpu_count() or 1, 2), 16))
    """Runs at one time."""
    allow_code: bool = False
    """Take uploads, spec mode and any importable function: whoever reaches the port runs code as this user."""
    tls: TlsFiles | None = None
    insecure_bind: bool = False
    """Listen beyond this machine without TLS."""
    python: str = sys.executable
    """Interpreter that runs the operators."""
    deadline_s: float = 300.0
    """Seconds of one run, after its inputs have come."""
    memory_bytes: int = 8 * GIB
    """What one run may take beyond the loaded libraries; 0: no limit."""
    inputs_bytes: int = 4 * GIB
    gate_wait_s: float = 1.0
    """Seconds a run waits for a free place before it is told to come again."""
    stall_s: float = 30.0
    """Seconds without a byte of a request or of a reply after which it is given up; idle connections too."""
    tenant_idle_s: float = 600.0
    """Seconds after which a tenant that is not heard of is forgotten, with its files."""

    def check(self) -> None:
        """Refuse what would be unsafe.

        Raises:
            ServerSettingsError: beyond this machine without TLS, and that was not asked for.
        """
        if not (self.tls or self.insecure_bind or _is_loopback(self.host)):
            raise ServerSettingsError(
                f"{self.host} can be reached from other machines: give --tls-ca, --tls-cert and --tls-key, so that "
                "only clients with a certificate are served, or --insecure-bind to serve everybody who reaches it"
            )

    def ssl_context(self) -> ssl.SSLContext | None:
        """The context of mutual TLS; None for plain HTTP.

        Raises:
            ServerSettingsError: a file can't be used.
        """
        if self.tls is None:
            return None
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        context.verify_mode = ssl.CERT_REQUIRED
        file = self.tls.ca
        try:
            context.load_verify_locations(self.tls.ca)
            file = self.tls.certificate
            context.load_cert_chain(self.tls.certificate, self.tls.key)
        except OSError as error:  # ssl.SSLError is one
            raise ServerSettingsError(f"{file} can't be used for TLS: {error}") from error
        return context


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False
