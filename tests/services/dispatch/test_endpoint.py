"""Op servers from words, the environment and a ttk.conf.yaml."""

from __future__ import annotations

import ssl
from pathlib import Path

import pytest
import trustme

from xpudbg.services.addressing.endpoints import TargetError
from xpudbg.services.dispatch.endpoint import (
    PLAIN_HTTP,
    OpEndpoint,
    TlsSettings,
    choose_endpoint,
    parse_server,
    read_ttk_config,
    server_from,
    tls_context,
)

CA = TlsSettings(Path("/ca.pem"))


@pytest.mark.parametrize(
    ("text", "url"),
    [
        ("10.0.0.5", "http://10.0.0.5:9090"),
        ("Node-1:81", "http://node-1:81"),
        ("http://h:1/", "http://h:1"),
        ("https://h", "https://h:9090"),
        ("[fd00::7]:5", "http://[fd00::7]:5"),
        (" ::1 ", "http://[::1]:9090"),
    ],
)
def test_servers(text: str, url: str) -> None:
    assert parse_server(text).url == url


@pytest.mark.parametrize(
    "text", ["", "h:0", "h:65536", "ftp://h", "http://u:p@h", "h/path", "h:1/path", "http://", "a b", "h:1?x"]
)
def test_what_is_no_server(text: str) -> None:
    with pytest.raises(TargetError) as refused:
        parse_server(text)
    assert "u:p" not in str(refused.value)


def test_tls_files_ask_for_https() -> None:
    assert parse_server("h:1", CA) == OpEndpoint("h", 1, CA)
    assert parse_server("https://h:1", PLAIN_HTTP).tls == PLAIN_HTTP
    with pytest.raises(TargetError, match="http:// with TLS files"):
        parse_server("http://h:1", CA)


def test_the_environment_names_a_server() -> None:
    assert server_from({}) is None
    assert server_from({"XPUDBG_SERVER": " "}) is None
    assert server_from({"XPUDBG_SERVER": "h:7"}) == OpEndpoint("h", 7)


def write(folder: Path, text: str) -> Path:
    path = folder / "ttk.conf.yaml"
    path.write_text(text, encoding="utf-8")
    return path


def test_remote_part_of_a_ttk_config(tmp_path: Path) -> None:
    config = read_ttk_config(
        write(
            tmp_path,
            """
            compare: {unknown: 1}
            remote:
              endpoints:
                - {host: node-1, port: 9091, providers: [tf], hardware: gpu}
                - {host: "fd00::7"}
              dispatch_deadline_s: 20
              max_503_retries: 3
              backoff_jitter: 7
              tls_ca: certs/ca.pem
              tls_skip_verify: true
              something_new: [1]
            """,
        )
    )
    tls = TlsSettings(tmp_path / "certs/ca.pem", skip_name_check=True)
    assert config.endpoints == (
        OpEndpoint("node-1", 9091, tls, ("tf",), "gpu"),
        OpEndpoint("fd00::7", 9090, tls),
    )
    assert (config.settings.deadline_s, config.settings.busy_retries, config.settings.backoff_jitter) == (20, 3, 1.0)
    assert config.settings.connection_retries == 5
    assert choose_endpoint(config.endpoints, "tf").host == "node-1"
    assert choose_endpoint(config.endpoints, "torch").host == "fd00::7"
    with pytest.raises(TargetError, match="for the provider 'torch'"):
        choose_endpoint(config.endpoints[:1], "torch")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "no endpoints"),
        ("remote: {}", "no endpoints"),
        ("remote: {endpoints: []}", "no endpoints"),
        ("remote: {endpoints: [7]}", "endpoint 1: not a mapping"),
        ("remote: {endpoints: [{host: h, port: x}]}", "endpoint 1: .*port"),
        ("remote: {endpoints: [{host: h, providers: tf}]}", "providers is no list"),
        ("remote: {endpoints: [{host: h}], max_503_retries: many}", "max_503_retries"),
        ("remote: {endpoints: [{host: h}], dispatch_deadline_s: .nan}", "dispatch_deadline_s"),
        ("remote: {endpoints: [{host: h}], backoff_max_s: true}", "backoff_max_s"),
        ("remote: {endpoints: [{host: h}], tls_ca: [x]}", "tls_ca"),
        ("remote: {endpoints: [{host: h}], tls_skip_verify: maybe}", "tls_skip_verify"),
        ("remote: !!python/object/apply:os.system [ls]", "not YAML"),
        ("[" * 1000, "not YAML"),
        ("\x00", "not YAML"),
    ],
    ids=lambda value: value[:60] if value.isprintable() else "control",
)
def test_configurations_that_are_refused(tmp_path: Path, text: str, says: str) -> None:
    with pytest.raises(TargetError, match=says):
        read_ttk_config(write(tmp_path, text))


def test_a_configuration_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(TargetError, match="can't be read"):
        read_ttk_config(tmp_path / "none.yaml")


def test_tls_files_that_can_not_be_used(tmp_path: Path) -> None:
    authority = trustme.CA()
    ca, cert = tmp_path / "ca.pem", tmp_path / "cert.pem"
    authority.cert_pem.write_to_path(ca)
    authority.issue_cert("h").cert_chain_pems[0].write_to_path(cert)
    with pytest.raises(TargetError, match="go together"):
        tls_context(TlsSettings(ca, cert))
    with pytest.raises(TargetError, match=r"TLS files .*ca\.pem, .*cert\.pem"):
        tls_context(TlsSettings(ca, cert, ca))
    with pytest.raises(TargetError, match="TLS files"):
        tls_context(TlsSettings(tmp_path / "none.pem"))
    checked = tls_context(TlsSettings(ca))
    assert (checked.verify_mode, checked.check_hostname) == (ssl.CERT_REQUIRED, True)
    unnamed = tls_context(TlsSettings(ca, skip_name_check=True))
    assert (unnamed.verify_mode, unnamed.check_hostname) == (ssl.CERT_REQUIRED, False)
