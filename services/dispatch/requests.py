"""One request to an op server and its answer: run, heartbeat, sync, delete. No retries here."""

from __future__ import annotations

import ssl
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import httpx

from ..plain_text import plain
from .errors import BadReplyError, ConnectionFailedError, DispatchError
from .failures import BODY_LIMIT, failure
from .progress import Downloading, Running, Uploading
from .replies import ReplyReader

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterable, Mapping

    from ..npz.reader import NpzLimits
    from .case import Mode
    from .endpoint import OpEndpoint
    from .progress import Tell
    from .replies import RunReply

__all__ = ["Sent", "delete_tenant", "post_run", "post_sync", "send_heartbeat"]

TOLD_EVERY = 1 << 20
"""Bytes between two words on progress."""
SMALL_LIMIT = 1 << 20
"""Bytes of the answer to anything but a run."""


@dataclass(slots=True)
class Sent:
    """Bytes of one attempt, filled in as it goes."""

    up: int = 0
    down: int = 0


class _Upload(httpx.AsyncByteStream):
    """The body of a run, made anew for each time it is sent."""

    def __init__(self, pieces: Iterable[bytes | memoryview], total: int, tell: Tell, sent: Sent) -> None:
        self._pieces = pieces
        self._total = total
        self._tell = tell
        self._sent = sent

    async def __aiter__(self) -> AsyncIterator[bytes]:
        self._sent.up = told = 0
        if self._total:
            self._tell(Uploading(0, self._total))
        for piece in self._pieces:
            yield piece  # type: ignore[misc]  # views of the arrays: the transport sends them as they are
            self._sent.up += len(piece)
            if self._sent.up - told >= TOLD_EVERY:
                told = self._sent.up
                self._tell(Uploading(told, self._total))
        if self._sent.up != told:
            self._tell(Uploading(self._sent.up, self._total))
        self._tell(Running())


async def post_run(
    client: httpx.AsyncClient,
    endpoint: OpEndpoint,
    headers: Mapping[str, str],
    body: Iterable[bytes | memoryview],
    *,
    mode: Mode,
    tell: Tell,
    sent: Sent,
    limits: NpzLimits | None = None,
) -> RunReply:
    """Send one POST /v1/run and read its answer.

    Raises:
        ServerBusyError, OpFailedError, ConnectionFailedError, BadReplyError, ModuleMissing: by the answer.
    """
    upload = _Upload(body, int(headers["Content-Length"]), tell, sent)
    request = client.build_request("POST", f"{endpoint.url}/v1/run", headers=dict(headers), content=upload)
    try:
        response = await client.send(request, stream=True)
        try:
            if response.status_code != 200:
                start = await _start(response, BODY_LIMIT)
                raise failure(
                    str(endpoint), response.status_code, response.headers, start, retry_after=_retry_after(response)
                )
            return await _result(response, endpoint, mode, limits, tell, sent)
        finally:
            await response.aclose()
    except httpx.HTTPError as error:
        raise _connection_error(endpoint, error) from error


async def _result(
    response: httpx.Response, endpoint: OpEndpoint, mode: Mode, limits: NpzLimits | None, tell: Tell, sent: Sent
) -> RunReply:
    """What a run gave; says of an answer that can't be read where it came from."""
    try:
        reader = ReplyReader(response.headers, mode, limits)
        await _download(response, reader, tell, sent)
        return reader.finish()
    except BadReplyError as error:
        raise BadReplyError(f"{endpoint}: {error}", hint=error.hint) from error


async def send_heartbeat(client: httpx.AsyncClient, endpoint: OpEndpoint, tenant: str | None) -> bytes:
    """Body of GET /v1/heartbeat; with a tenant, that is registered or kept.

    Raises:
        ConnectionFailedError, BadReplyError, DispatchError: no heartbeat came.
    """
    query = f"?tenant_id={quote(tenant, safe='')}" if tenant is not None else ""
    status, headers, body = await _small(client, endpoint, "GET", f"/v1/heartbeat{query}", b"", {})
    if status != 200:
        error = failure(str(endpoint), status, headers, body)
        raise error if isinstance(error, DispatchError) else BadReplyError(f"{endpoint}: {error}")
    return body


async def post_sync(client: httpx.AsyncClient, endpoint: OpEndpoint, tenant: str, body: bytes) -> tuple[int, bytes]:
    """Status and body of POST /v1/sync.

    Raises:
        ConnectionFailedError, BadReplyError: no answer.
    """
    headers = {"X-Tenant-ID": tenant, "Content-Type": "application/json"}
    status, _headers, answer = await _small(client, endpoint, "POST", "/v1/sync", body, headers)
    return status, answer


async def delete_tenant(client: httpx.AsyncClient, endpoint: OpEndpoint, tenant: str) -> None:
    """DELETE /v1/tenant/T. It is no fault when the server does not know it.

    Raises:
        ConnectionFailedError, BadReplyError: no answer.
    """
    await _small(client, endpoint, "DELETE", f"/v1/tenant/{quote(tenant, safe='')}", b"", {})


async def _small(
    client: httpx.AsyncClient, endpoint: OpEndpoint, method: str, path: str, body: bytes, headers: Mapping[str, str]
) -> tuple[int, httpx.Headers, bytes]:
    request = client.build_request(method, f"{endpoint.url}{path}", headers=dict(headers), content=body or None)
    try:
        response = await client.send(request, stream=True)
        try:
            return response.status_code, response.headers, await _start(response, SMALL_LIMIT)
        finally:
            await response.aclose()
    except httpx.HTTPError as error:
        raise _connection_error(endpoint, error) from error


async def _download(response: httpx.Response, reader: ReplyReader, tell: Tell, sent: Sent) -> None:
    length = response.headers.get("content-length")
    total = int(length) if length is not None and length.isdecimal() else None
    sent.down = told = 0
    tell(Downloading(0, total))
    async for piece in response.aiter_bytes():
        reader.feed(piece)
        sent.down += len(piece)
        if sent.down - told >= TOLD_EVERY:
            told = sent.down
            tell(Downloading(told, total))
    if sent.down != told:
        tell(Downloading(sent.down, total))


async def _start(response: httpx.Response, limit: int) -> bytes:
    """The first bytes of a body; what broke off is as good as what came."""
    start = bytearray()
    try:
        async for piece in response.aiter_bytes():
            start += piece[: limit - len(start)]
            if len(start) >= limit:
                break
    except httpx.ReadError:
        if not start and response.status_code == 200:
            raise
    return bytes(start)


def _retry_after(response: httpx.Response) -> float | None:
    text = response.headers.get("retry-after", "")
    return float(text) if text.isascii() and text.isdecimal() and len(text) < 10 else None


def _connection_error(endpoint: OpEndpoint, error: httpx.HTTPError) -> DispatchError:
    below: Any = error.__cause__
    text = plain(str(error) or type(error).__name__, 300)
    if isinstance(error, httpx.RemoteProtocolError):
        return BadReplyError(f"{endpoint}: {text}", hint="what listens there is no op server; check host and port")
    if isinstance(error, httpx.DecodingError):
        return BadReplyError(f"{endpoint}: the answer's bytes are not in the encoding it names: {text}")
    if isinstance(error, httpx.UnsupportedProtocol | httpx.InvalidURL | httpx.LocalProtocolError):
        return BadReplyError(f"{endpoint}: the request can't be sent: {text}")
    if isinstance(below, ssl.SSLCertVerificationError):
        why = below.verify_message or text
        return ConnectionFailedError(
            f"{endpoint}: the server's certificate is not accepted: {why}",
            lasting=True,
            hint="give --ca FILE with the certificate that signed it; --tls-skip-verify when only its name differs",
        )
    if isinstance(below, ssl.SSLError):
        reason = below.reason or text
        return ConnectionFailedError(
            f"{endpoint}: TLS failed: {reason}",
            lasting=True,
            hint="the server may want a client certificate (--cert, --key), or speak plain http",
        )
    if isinstance(error, httpx.ConnectError):
        import socket

        if isinstance(below, socket.gaierror):
            return ConnectionFailedError(f"{endpoint}: the name does not resolve from here", lasting=True)
        if isinstance(below, TimeoutError):
            text = str(below) or "connecting timed out"
        return ConnectionFailedError(f"{endpoint}: no connection: {text}", hint="is the op server running there?")
    bare = endpoint.tls is not None and endpoint.tls.cert_file is None
    hint = "the server may want a client certificate: give --cert and --key" if bare else ""
    return ConnectionFailedError(f"{endpoint}: the connection broke: {text}", hint=hint)
