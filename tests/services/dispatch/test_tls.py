"""TLS as the servers do it: mutual, with a CA of their own."""

from __future__ import annotations

import asyncio
import ssl
from pathlib import Path

import pytest
import trustme

from tests.fakes.op_servers import OpServer, busy_then_reset, op_server, sums_up
from tests.services.dispatch.dispatching import ADD, Time, big, dispatcher
from xpudbg.services.dispatch.endpoint import OpEndpoint, TlsSettings
from xpudbg.services.dispatch.errors import CaseError, ConnectionFailedError


class Files:
    """A CA, a server's context and a client's files."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        authority = trustme.CA()
        self.ca = self._write("ca.pem", authority.cert_pem)
        client = authority.issue_cert("client.example")
        self.cert = self._write("cert.pem", client.cert_chain_pems[0])
        self.key = self._write("key.pem", client.private_key_pem)
        self.contexts = {name: self._context(authority, name) for name in ("127.0.0.1", "other.example")}

    @property
    def tls(self) -> TlsSettings:
        return TlsSettings(self.ca, self.cert, self.key)

    def _write(self, name: str, blob: trustme.Blob) -> Path:
        path = self._folder / name
        blob.write_to_path(path)
        return path

    def _context(self, authority: trustme.CA, name: str) -> ssl.SSLContext:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        authority.issue_cert(name).configure_cert(context)
        authority.configure_trust(context)
        context.verify_mode = ssl.CERT_REQUIRED
        return context


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Files:
    return Files(tmp_path_factory.mktemp("tls"))


def at(server: OpServer, tls: TlsSettings) -> OpEndpoint:
    return OpEndpoint("127.0.0.1", server.port, tls)


async def test_runs_over_mutual_tls_reuse_the_connection(files: Files) -> None:
    async with op_server(context=files.contexts["127.0.0.1"]) as server, dispatcher(Time()) as client:
        for _ in range(2):
            run = await client.run(ADD, at(server, files.tls))
            assert len(run.outputs) == 1
    assert server.connections == 1


async def test_busy_under_a_large_upload_over_tls(files: Files) -> None:
    context = files.contexts["127.0.0.1"]
    async with op_server(busy_then_reset, sums_up, context=context) as server, dispatcher(Time()) as client:
        run = await client.run(big(8), at(server, files.tls))
    assert (run.busy, run.reconnected) == (1, 0)


async def test_a_name_that_differs(files: Files) -> None:
    async with op_server(context=files.contexts["other.example"]) as server, dispatcher(Time()) as client:
        with pytest.raises(ConnectionFailedError, match="certificate is not accepted: IP address mismatch") as failed:
            await client.run(ADD, at(server, files.tls))
        assert failed.value.lasting
        assert "--tls-skip-verify" in failed.value.hint
    async with op_server(context=files.contexts["other.example"]) as server, dispatcher(Time()) as client:
        unnamed = TlsSettings(files.ca, files.cert, files.key, skip_name_check=True)
        assert len((await client.run(ADD, at(server, unnamed))).outputs) == 1


async def test_a_ca_that_is_not_trusted_is_refused_even_without_names(files: Files) -> None:
    async with op_server(context=files.contexts["127.0.0.1"]) as server, dispatcher(Time()) as client:
        with pytest.raises(ConnectionFailedError, match="certificate is not accepted"):
            await client.run(ADD, at(server, TlsSettings(None, files.cert, files.key, skip_name_check=True)))


async def test_a_server_that_wants_a_certificate(files: Files) -> None:
    async with op_server(context=files.contexts["127.0.0.1"]) as server, dispatcher(Time()) as client:
        with pytest.raises(ConnectionFailedError) as failed:
            await client.run(ADD, at(server, TlsSettings(files.ca)))
    assert "--cert" in failed.value.hint
    assert server.runs == []


async def test_plain_http_where_tls_is_asked_for() -> None:
    async def serve(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n")
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    async with server, dispatcher(Time()) as client:
        port = server.sockets[0].getsockname()[1]
        with pytest.raises(ConnectionFailedError, match="TLS failed") as failed:
            await client.run(ADD, OpEndpoint("127.0.0.1", port, TlsSettings()))
    assert "plain http" in failed.value.hint


async def test_a_handshake_that_is_not_answered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("xpudbg.services.dispatch.wire.CONNECT_S", 0.01)
    time = Time()
    async with op_server() as server, dispatcher(time) as client:  # waits for the end of a head
        with pytest.raises(ConnectionFailedError, match="handshake was not answered in time"):
            await client.run(ADD, at(server, TlsSettings()))
    assert len(time.waits) == 5


async def test_files_that_can_not_be_used(tmp_path: Path) -> None:
    async with dispatcher(Time()) as client:
        with pytest.raises(CaseError, match="TLS files"):
            await client.run(ADD, OpEndpoint("127.0.0.1", 1, TlsSettings(tmp_path / "none.pem")))
