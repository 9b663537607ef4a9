"""What a server may be started with."""

from __future__ import annotations

from pathlib import Path

import pytest

from xpudbg.services.opserver.settings import ServerSettings, ServerSettingsError, TlsFiles


@pytest.mark.parametrize("host", ["127.0.0.1", "127.8.8.8", "localhost", "::1"])
def test_this_machine_needs_no_tls(host: str) -> None:
    ServerSettings(host=host).check()


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "10.0.0.1", "node-7", "127.0.0.1.example.org"])
def test_others_are_served_with_tls_or_when_that_is_said(host: str, tmp_path: Path) -> None:
    with pytest.raises(ServerSettingsError, match=r"--tls-ca.*--insecure-bind"):
        ServerSettings(host=host).check()
    ServerSettings(host=host, insecure_bind=True).check()
    ServerSettings(host=host, tls=TlsFiles(tmp_path, tmp_path, tmp_path)).check()


def test_a_file_that_is_no_certificate_is_named(tmp_path: Path) -> None:
    ca = tmp_path / "ca.pem"
    ca.write_text("nothing")
    with pytest.raises(ServerSettingsError, match=r"ca\.pem can't be used for TLS"):
        ServerSettings(tls=TlsFiles(ca, ca, ca)).ssl_context()
    assert ServerSettings().ssl_context() is None
