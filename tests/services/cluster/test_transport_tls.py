"""TLS towards a worker: refused unless its certificate is known, with what to do about it."""

from __future__ import annotations

import asyncio
import ssl
from pathlib import Path

import pytest
import trustme

from tests.fakes.raw_server import response
from xpudbg.services.attach_options import AttachOptions
from xpudbg.services.cluster.lanes import Lanes
from xpudbg.services.cluster.probes import PING
from xpudbg.services.cluster.transport import make_client
from xpudbg.services.cluster.worker import Worker, WorkerListener
from xpudbg.services.snapshot import Outcome, RankAddress, RankReply
from xpudbg.services.spool import Spool


async def ping_over_tls(authority: trustme.CA, options: AttachOptions, tmp_path: Path) -> RankReply:
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    authority.issue_cert("127.0.0.1").configure_cert(context)

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(response(b"pong"))
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0, ssl=context)
    url = f"https://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    async with server, make_client(options) as client:
        address = RankAddress(0, url, url, "127.0.0.1")
        worker = Worker(address, client, Spool(tmp_path), Lanes(connections=100), WorkerListener())
        reply = await worker.ask(PING, 5)
        await worker.close()
    return reply


@pytest.fixture
def authority() -> trustme.CA:
    return trustme.CA()


async def test_an_unknown_certificate_is_refused_with_what_to_do(authority: trustme.CA, tmp_path: Path) -> None:
    reply = await ping_over_tls(authority, AttachOptions(), tmp_path)
    assert reply.outcome is Outcome.HTTP_ERROR
    assert "self-signed" in reply.error or "unable to get local issuer" in reply.error
    assert "--ca FILE" in reply.error
    assert "--insecure" in reply.error


async def test_its_authority_makes_it_known(authority: trustme.CA, tmp_path: Path) -> None:
    ca_file = tmp_path / "ca.pem"
    authority.cert_pem.write_to_path(str(ca_file))
    assert (await ping_over_tls(authority, AttachOptions(ca_file=ca_file), tmp_path)).outcome is Outcome.OK


async def test_insecure_takes_any(authority: trustme.CA, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", "/etc/ssl/certs/ca-certificates.crt")
    assert (await ping_over_tls(authority, AttachOptions(insecure=True), tmp_path)).outcome is Outcome.OK
