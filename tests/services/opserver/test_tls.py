"""Mutual TLS: only clients with a certificate of the CA are served, and a silent one keeps nobody out."""

from __future__ import annotations

import http.client
import socket
import ssl
from collections.abc import Iterator
from pathlib import Path

import pytest
import trustme

from xpudbg.services.opserver.settings import ServerSettings, TlsFiles

from .served import OpClient, op_server

AUTHORITY = trustme.CA()


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[OpClient]:
    folder = tmp_path_factory.mktemp("tls")
    issued = AUTHORITY.issue_cert("127.0.0.1")
    paths = [folder / name for name in ("ca.pem", "cert.pem", "key.pem")]
    for path, blob in zip(paths, (AUTHORITY.cert_pem, issued.cert_chain_pems[0], issued.private_key_pem), strict=True):
        blob.write_to_path(str(path))
    with op_server(ServerSettings(port=0, tls=TlsFiles(*paths))) as made:
        yield made


def status(client: OpClient, context: ssl.SSLContext) -> int:
    connection = http.client.HTTPSConnection(client.server.host, client.server.port, timeout=60, context=context)
    try:
        connection.request("GET", "/v1/heartbeat")
        return connection.getresponse().status
    finally:
        connection.close()


def trusting() -> ssl.SSLContext:
    context = ssl.create_default_context()
    AUTHORITY.configure_trust(context)
    return context


def test_a_client_with_a_certificate_is_served_beside_a_silent_one(client: OpClient) -> None:
    assert client.server.url == f"https://127.0.0.1:{client.server.port}"
    context = trusting()
    AUTHORITY.issue_cert("client").configure_cert(context)
    with socket.create_connection((client.server.host, client.server.port)):
        assert status(client, context) == 200


def test_one_without_or_of_another_authority_is_not(client: OpClient, tmp_path: Path) -> None:
    for other in (None, trustme.CA()):
        context = trusting()
        if other is not None:
            other.issue_cert("client").configure_cert(context)
        with pytest.raises((ssl.SSLError, ConnectionError, http.client.RemoteDisconnected)):
            status(client, context)
