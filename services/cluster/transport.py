"""The HTTP client towards ranks: httpx over aiohttp, no proxy unless asked for, no redirect, no keep-alive.

httpx's own pool loses or delays sweeps over a thousand hosts; over aiohttp the same sweep takes about a second
(design, "Libraries"). The environment's proxies, CA files and netrc are never used towards ranks.
"""

from __future__ import annotations

import ssl
from contextvars import ContextVar
from dataclasses import dataclass
from http.cookiejar import CookieJar, DefaultCookiePolicy
from typing import TYPE_CHECKING

import aiohttp
import httpx
from httpx_aiohttp import AiohttpTransport

from .names import Names

if TYPE_CHECKING:
    from ..attach_options import AttachOptions

__all__ = ["CONNECTION", "Connection", "make_client"]

DNS_KEPT_S = 10
"""Seconds for which the address of a host is kept."""


@dataclass(slots=True)
class Connection:
    """How far the connection of one request came; filled in by the transport's tracing."""

    resolved: bool = False
    """The host's name has been looked up; at once for an address."""
    created: bool = False
    """TCP (and TLS, where used) is up."""


CONNECTION: ContextVar[Connection | None] = ContextVar("CONNECTION", default=None)
"""Set by whoever sends a request, in the task that sends it."""


def make_client(options: AttachOptions, transport: httpx.AsyncBaseTransport | None = None) -> httpx.AsyncClient:
    """A client for one attachment. Must be made and closed on the engine's event loop.

    Args:
        transport: used instead of the real one (tests).

    Raises:
        OSError, ssl.SSLError: the CA file can't be read.
    """
    return httpx.AsyncClient(
        transport=transport if transport is not None else _transport(options),
        trust_env=False,
        follow_redirects=False,
        cookies=CookieJar(
            DefaultCookiePolicy(allowed_domains=())
        ),  # none is kept: what one rank sets is not for others
        timeout=None,  # noqa: S113 - each probe has a total budget, see worker.py
        headers={"user-agent": "xpudbg", "accept-encoding": "identity"},
    )


def _transport(options: AttachOptions) -> AiohttpTransport:
    context = _tls(options)

    def session() -> aiohttp.ClientSession:
        # limit=0: the lanes decide how many requests run.
        connector = aiohttp.TCPConnector(
            limit=0, force_close=True, ttl_dns_cache=DNS_KEPT_S, ssl=context, resolver=Names()
        )
        return aiohttp.ClientSession(
            connector=connector,
            cookie_jar=aiohttp.DummyCookieJar(),
            trust_env=False,
            # Behind a proxy the connection that is created is the proxy's, which says nothing about the rank.
            trace_configs=[] if options.proxy else [_tracing()],
        )

    # `verify` only feeds a context of the transport's own, which our connector replaces; False skips loading it.
    proxy = httpx.Proxy(options.proxy) if options.proxy else None
    return AiohttpTransport(verify=False, trust_env=False, proxy=proxy, client=session)


def _tls(options: AttachOptions) -> ssl.SSLContext | bool:
    if options.insecure:
        return False
    if options.ca_file is not None:
        return ssl.create_default_context(cafile=str(options.ca_file))
    return True


def _tracing() -> aiohttp.TraceConfig:
    async def created(_session: object, _context: object, _params: object) -> None:
        connection = CONNECTION.get()
        if connection is not None:
            connection.created = True

    async def resolved(_session: object, _context: object, _params: object) -> None:
        connection = CONNECTION.get()
        if connection is not None:
            connection.resolved = True

    tracing = aiohttp.TraceConfig()
    tracing.on_connection_create_end.append(created)
    tracing.on_dns_resolvehost_end.append(resolved)
    tracing.on_dns_cache_hit.append(resolved)
    return tracing
