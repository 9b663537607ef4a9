"""What went wrong with a request, as an Outcome and one plain line for a person."""

from __future__ import annotations

import errno
import socket
import ssl

import aiohttp
import httpx

from ..snapshot import Outcome

__all__ = ["explain_failure"]

_NO_ROUTE = {errno.EHOSTUNREACH, errno.ENETUNREACH, errno.EHOSTDOWN, errno.ENETDOWN, errno.ETIMEDOUT}
_HERE = {errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM, errno.EADDRNOTAVAIL, errno.ENOSPC, errno.EDQUOT}
"""This machine is short of something; it says nothing about the rank."""
_CLOSED = {errno.ECONNRESET, errno.EPIPE, errno.ECONNABORTED, errno.ESHUTDOWN}


def explain_failure(error: BaseException) -> tuple[Outcome, str]:
    """The outcome and the reason for an exception of the client.

    httpx-aiohttp maps several different faults to one httpx type (a server that hangs up becomes a ConnectTimeout),
    so the aiohttp exception underneath decides where there is one.
    """
    below = error.__cause__ if isinstance(error.__cause__, (aiohttp.ClientError, OSError)) else error
    return _from_aiohttp(below) or _from_os(below) or _from_httpx(error)


def _from_aiohttp(error: BaseException) -> tuple[Outcome, str] | None:
    if isinstance(error, aiohttp.ClientConnectorDNSError):
        return (
            Outcome.NAME_UNKNOWN,
            f"the name {error.host} does not resolve from here; --map HOST=ADDR can say where it is",
        )
    if isinstance(error, aiohttp.ClientProxyConnectionError):
        return Outcome.UNREACHABLE, f"the proxy {error.host}:{error.port} can't be reached: {_os_text(error.os_error)}"
    if isinstance(error, aiohttp.ClientHttpProxyError):
        return Outcome.UNREACHABLE, f"the proxy refused with HTTP {error.status} {error.message}"
    if isinstance(error, aiohttp.ClientConnectorCertificateError):
        return Outcome.HTTP_ERROR, _certificate(error.certificate_error)
    if isinstance(error, aiohttp.ClientSSLError):
        return Outcome.HTTP_ERROR, f"TLS failed: {error.os_error}"
    if isinstance(error, aiohttp.ServerDisconnectedError):
        return Outcome.RESET, "closed the connection without an answer"
    if isinstance(error, aiohttp.ClientPayloadError):
        return Outcome.RESET, "closed the connection before the whole answer was there"
    if isinstance(error, aiohttp.ClientConnectorError):
        return _from_os(error.os_error) or (Outcome.UNREACHABLE, f"no connection: {error.os_error}")
    if isinstance(error, (aiohttp.ClientResponseError, aiohttp.http_exceptions.HttpProcessingError)):
        detail = (error.message or "").strip().splitlines()
        return Outcome.HTTP_ERROR, f"what answers is not HTTP: {detail[0][:80] if detail else 'unreadable reply'}"
    return None


def _from_os(error: BaseException | None) -> tuple[Outcome, str] | None:
    if isinstance(error, ssl.SSLCertVerificationError):
        return Outcome.HTTP_ERROR, _certificate(error)
    if isinstance(error, ssl.SSLError):
        return Outcome.HTTP_ERROR, f"TLS failed: {error.reason or error}"
    if isinstance(error, socket.gaierror):
        return Outcome.NAME_UNKNOWN, f"the address does not resolve from here: {_os_text(error)}"
    if not isinstance(error, OSError):
        return None
    if error.errno in _HERE:
        return Outcome.CANCELLED, f"not asked to the end: this machine says {_os_text(error)}"
    if error.errno == errno.ECONNREFUSED:
        return Outcome.REFUSED, "connection refused: nothing listens on its port"
    if error.errno in _NO_ROUTE:
        return Outcome.UNREACHABLE, f"no connection: {_os_text(error)}"
    if error.errno in _CLOSED:
        return Outcome.RESET, "reset the connection without an answer"
    return None


def _from_httpx(error: BaseException) -> tuple[Outcome, str]:
    text = str(error).strip() or type(error).__name__
    if isinstance(error, httpx.ConnectTimeout):
        return Outcome.UNREACHABLE, "connecting timed out"
    if isinstance(error, httpx.TimeoutException):
        return Outcome.TIMEOUT, "no answer in time"
    if isinstance(error, httpx.ConnectError):
        return Outcome.UNREACHABLE, f"no connection: {text}"
    if isinstance(error, httpx.ReadError | httpx.WriteError | httpx.CloseError):
        return Outcome.RESET, "closed the connection before the whole answer was there"
    if isinstance(error, httpx.DecodingError):
        return Outcome.HTTP_ERROR, f"the answer's bytes are not in the encoding it names: {text}"
    return Outcome.HTTP_ERROR, f"the answer can't be read: {text}"


def _certificate(error: BaseException) -> str:
    why = getattr(error, "verify_message", "") or str(error)
    return f"TLS certificate not accepted: {why}; pass --ca FILE with the certificate that signed it, or --insecure"


def _os_text(error: OSError) -> str:
    return (error.strerror or str(error)).lower()
