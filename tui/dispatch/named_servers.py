"""Op servers by the names that the settings give them: on the command line and on the screen."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from ...services.addressing.endpoints import TargetError
from ...services.dispatch.endpoint import PLAIN_HTTP, DispatchSettings, TlsSettings, parse_server
from ...services.settings.sources import Loaded
from ..loaded_settings import loaded_settings

if TYPE_CHECKING:
    from ...services.dispatch.endpoint import OpEndpoint
    from ...services.settings.shape import Endpoint

__all__ = ["NO_NAMES", "NamedServers", "find_server", "server_of", "usual_server", "usual_settings"]


class NamedServers:
    """The servers of [endpoints]."""

    def __init__(self, loaded: Loaded) -> None:
        self._loaded = loaded
        self._endpoints = dict(loaded.settings.endpoints)
        self._names: dict[OpEndpoint, str] = {}
        """The first name of a server."""
        for name in self._endpoints:
            if (server := self._usable(name)) is not None:
                self._names.setdefault(server, name)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self._endpoints)

    def get(self, name: str) -> OpEndpoint | None:
        """The server of a name; None where it is none.

        Raises:
            TargetError: what the settings say of it can't be used; the message names it.
        """
        named = _named(self._loaded, name)
        if named is None:
            return None
        try:
            return server_of(named)
        except TargetError as error:
            raise TargetError(f"endpoints.{name}: {error}", hint=error.hint) from error

    def called(self, server: OpEndpoint) -> str:
        """The name of a server; empty where it has none."""
        return self._names.get(server, "")

    def said(self, server: OpEndpoint) -> str:
        """The address of a server, after its name where it has one."""
        name = self.called(server)
        return f"{name} ({server})" if name else str(server)

    def about(self, name: str) -> str:
        """Where the server of a name is, or what is wrong with it, one line."""
        try:
            server = self.get(name)
        except TargetError as error:
            return str(error)
        return server.url if server is not None else ""

    def _usable(self, name: str) -> OpEndpoint | None:
        try:
            return self.get(name)
        except TargetError:  # told where it is listed, and by whoever chooses it
            return None


NO_NAMES = NamedServers(Loaded())


def _named(loaded: Loaded, name: str) -> Endpoint | None:
    """
    Raises:
        TargetError: what the settings say of the name can't be used.
    """
    if (problem := loaded.spoilt(f"endpoints.{name}")) is not None:
        raise TargetError(f"{name} is an op server of the settings that can't be used: {problem}")
    return loaded.settings.endpoints.get(name)


def server_of(named: Endpoint, tls: TlsSettings = PLAIN_HTTP) -> OpEndpoint:
    """The server that the settings describe.

    Args:
        tls: what options say; it wins over the settings.

    Raises:
        TargetError: its address can't be read.
    """
    if not tls.used:
        files = [Path(one).expanduser() if one is not None else None for one in (named.ca, named.cert, named.key)]
        tls = TlsSettings(files[0], files[1], files[2], named.skip_verify)
    return parse_server(named.url, tls)


def find_server(text: str, tls: TlsSettings = PLAIN_HTTP) -> OpEndpoint:
    """The server of a name of the settings' [endpoints], or at an address.

    Args:
        tls: what options say; it wins over the settings.

    Raises:
        TargetError: neither.
    """
    named = _named(loaded_settings(), text.strip())
    return parse_server(text, tls) if named is None else server_of(named, tls)


def usual_server(tls: TlsSettings = PLAIN_HTTP) -> OpEndpoint | None:
    """The server where none is named: that of XPUDBG_SERVER, else that of the settings; None without both.

    Raises:
        TargetError: it is neither an address nor a name.
    """
    text = loaded_settings().settings.server.strip()
    return find_server(text, tls) if text else None


def usual_settings() -> DispatchSettings:
    """Budgets of a run where no option and no other file says them."""
    return DispatchSettings(deadline_s=loaded_settings().settings.limits.deadline_s)
