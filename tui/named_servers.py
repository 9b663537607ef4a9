"""Op servers by the names that the settings give them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from ..services.dispatch.endpoint import PLAIN_HTTP, DispatchSettings, TlsSettings, parse_server
from .loaded_settings import loaded_settings

if TYPE_CHECKING:
    from ..services.dispatch.endpoint import OpEndpoint

__all__ = ["find_server", "usual_server", "usual_settings"]


def find_server(text: str, tls: TlsSettings = PLAIN_HTTP) -> OpEndpoint:
    """The server of a name of the settings' [endpoints], or at an address.

    Args:
        tls: what options say; it wins over the settings.

    Raises:
        TargetError: neither.
    """
    named = loaded_settings().settings.endpoints.get(text.strip())
    if named is None:
        return parse_server(text, tls)
    if not tls.used:
        files = [Path(one).expanduser() if one is not None else None for one in (named.ca, named.cert, named.key)]
        tls = TlsSettings(files[0], files[1], files[2], named.skip_verify)
    return parse_server(named.url, tls)


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
