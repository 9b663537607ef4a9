"""Op servers: where they are and how they are spoken to, from options, XPUDBG_SERVER or a ttk.conf.yaml."""

from __future__ import annotations

import ssl
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from ..addressing.endpoints import Endpoint, TargetError, parse_endpoint, parse_host, parse_port, quoted
from ..plain_text import plain

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

__all__ = [
    "DEFAULT_PORT",
    "PLAIN_HTTP",
    "SERVER_VARIABLE",
    "DispatchSettings",
    "OpEndpoint",
    "RemoteConfig",
    "TlsSettings",
    "choose_endpoint",
    "parse_server",
    "read_ttk_config",
    "server_from",
    "tls_context",
]

DEFAULT_PORT = 9090
SERVER_VARIABLE = "XPUDBG_SERVER"
SERVER_FORMS = "write host:port, http://host:port or https://host:port"
CONFIG_LIMIT = 1 << 20
"""Bytes of a configuration file that is read."""


@dataclass(frozen=True, slots=True)
class TlsSettings:
    """Files for TLS; servers of this protocol ask for a client certificate."""

    ca_file: Path | None = None
    """PEM certificates that are trusted; the system's when None."""
    cert_file: Path | None = None
    key_file: Path | None = None
    skip_name_check: bool = False
    """Take a certificate issued for another name; its chain is checked all the same."""

    @property
    def used(self) -> bool:
        """Whether they ask for TLS where no scheme is written."""
        return self.ca_file is not None or self.cert_file is not None


PLAIN_HTTP = TlsSettings()


@dataclass(frozen=True, slots=True)
class OpEndpoint:
    """One op server."""

    host: str
    port: int
    tls: TlsSettings | None = None
    """None: plain HTTP."""
    providers: tuple[str, ...] | None = None
    """Those it is to be used for; None: any."""
    hardware: str = ""
    """What the configuration calls it."""

    def __str__(self) -> str:
        return str(Endpoint(self.host, self.port))

    @property
    def url(self) -> str:
        return f"{'http' if self.tls is None else 'https'}://{self}"


@dataclass(frozen=True, slots=True)
class DispatchSettings:
    """Budgets of a run; the defaults are those of the reference client."""

    deadline_s: float = 300.0
    """Seconds for the whole run, uploads, waits and retries included."""
    backoff_base_s: float = 0.5
    backoff_max_s: float = 10.0
    backoff_jitter: float = 0.25
    """Share of a wait that is random, 0 to 1."""
    busy_retries: int = 10
    connection_retries: int = 5


@dataclass(frozen=True, slots=True)
class RemoteConfig:
    """The `remote:` part of a ttk.conf.yaml."""

    endpoints: tuple[OpEndpoint, ...] = ()
    settings: DispatchSettings = field(default_factory=DispatchSettings)


def parse_server(text: str, tls: TlsSettings = PLAIN_HTTP) -> OpEndpoint:
    """Read `host`, `host:port` or a URL without a path; port 9090 when left out. With TLS files it is https.

    Raises:
        TargetError: not an address, or http:// together with TLS files.
    """
    text = text.strip()
    scheme, marks, rest = text.partition("://")
    if not marks:
        scheme, rest = "", text
    if scheme.lower() not in ("", "http", "https"):
        raise TargetError(f"{quoted(text)}: not an op server's address", hint=SERVER_FORMS)
    if "@" in rest:
        raise TargetError(f"{quoted(text)}: user and password are not used", hint=SERVER_FORMS)
    where = parse_endpoint(rest.removesuffix("/"), DEFAULT_PORT)
    if scheme.lower() == "http" and tls.used:
        raise TargetError(f"{quoted(text)}: http:// with TLS files", hint="write https://, or leave the files out")
    secure = scheme.lower() == "https" or tls.used
    return OpEndpoint(where.host, where.port, tls if secure else None)


def server_from(environ: Mapping[str, str], tls: TlsSettings = PLAIN_HTTP) -> OpEndpoint | None:
    """The server that XPUDBG_SERVER names, None when it is not set.

    Raises:
        TargetError: it is set to something else.
    """
    text = environ.get(SERVER_VARIABLE, "").strip()
    return parse_server(text, tls) if text else None


def read_ttk_config(path: Path, tls: TlsSettings = PLAIN_HTTP) -> RemoteConfig:
    """Read the `remote:` part of a ttk.conf.yaml. Unknown keys are ignored, as its own reader does.

    Args:
        tls: what options say; it wins over the file. Its files are relative to the file's folder.

    Raises:
        TargetError: no such file, no YAML, no endpoint, or a value of the wrong kind; the message names it.
    """
    import yaml

    label = plain(path.name, 80)
    try:
        with path.open("rb") as file:
            data = file.read(CONFIG_LIMIT + 1)
    except OSError as error:
        raise TargetError(f"{label}: can't be read: {error.strerror}") from error
    if len(data) > CONFIG_LIMIT:
        raise TargetError(f"{label}: larger than {CONFIG_LIMIT:,} bytes")
    try:
        whole = yaml.safe_load(data)
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        raise TargetError(f"{label}: not YAML: {plain(str(error), 200)}") from error
    remote = whole.get("remote") if isinstance(whole, dict) else None
    if not isinstance(remote, dict) or not isinstance(remote.get("endpoints"), list) or not remote["endpoints"]:
        raise TargetError(
            f"{label}: no endpoints under remote:", hint="add remote: endpoints: [{host: ..., port: ...}]"
        )
    secure = tls if tls.used else _tls_of(label, remote, path.parent)
    return RemoteConfig(
        tuple(_endpoint(f"{label}: endpoint {at}", given, secure) for at, given in enumerate(remote["endpoints"], 1)),
        _settings(label, remote),
    )


def choose_endpoint(endpoints: Sequence[OpEndpoint], provider: str) -> OpEndpoint:
    """The first endpoint that is meant for a provider.

    Raises:
        TargetError: none is.
    """
    for endpoint in endpoints:
        if endpoint.providers is None or provider in endpoint.providers:
            return endpoint
    raise TargetError(f"no op server is configured for the provider {quoted(provider)}")


def tls_context(settings: TlsSettings) -> ssl.SSLContext:
    """
    Raises:
        TargetError: a file can't be read or is no certificate, or a certificate stands without its key.
    """
    if (settings.cert_file is None) != (settings.key_file is None):
        raise TargetError("a client certificate and its key go together", hint="give both --cert and --key")
    try:
        context = ssl.create_default_context(cafile=None if settings.ca_file is None else str(settings.ca_file))
        if settings.cert_file is not None and settings.key_file is not None:
            context.load_cert_chain(str(settings.cert_file), str(settings.key_file), password=_no_password)
    except OSError as error:  # ssl.SSLError is one
        names = [str(name) for name in (settings.ca_file, settings.cert_file, settings.key_file) if name is not None]
        raise TargetError(f"TLS files {plain(', '.join(names), 300)}: {plain(str(error), 200)}") from error
    context.check_hostname = not settings.skip_name_check
    return context


def _no_password() -> str:
    raise OSError("the key is encrypted; keys without a password can be used")


def _endpoint(label: str, given: object, tls: TlsSettings) -> OpEndpoint:
    if not isinstance(given, dict):
        raise TargetError(f"{label}: not a mapping with host and port")
    try:
        made = OpEndpoint(
            parse_host(str(given.get("host", ""))),
            parse_port(str(given.get("port", DEFAULT_PORT))),
            tls if tls.used else None,
        )
    except TargetError as error:
        raise TargetError(f"{label}: {error}", hint=error.hint) from error
    providers = given.get("providers")
    if providers is not None:
        if not isinstance(providers, list) or not all(isinstance(one, str) for one in providers):
            raise TargetError(f"{label}: providers is no list of names")
        made = replace(made, providers=tuple(providers))
    return replace(made, hardware=plain(str(given.get("hardware") or ""), 60))


def _tls_of(label: str, remote: Mapping[str, Any], folder: Path) -> TlsSettings:
    files: dict[str, Path | None] = {}
    for key in ("tls_ca", "tls_cert", "tls_key"):
        text = remote.get(key) or ""
        if not isinstance(text, str):
            raise TargetError(f"{label}: {key} is no file name")
        files[key] = (folder / text).expanduser() if text else None
    skip = remote.get("tls_skip_verify", False)
    if not isinstance(skip, bool):
        raise TargetError(f"{label}: tls_skip_verify is neither true nor false")
    return TlsSettings(files["tls_ca"], files["tls_cert"], files["tls_key"], skip)


def _settings(label: str, remote: Mapping[str, Any]) -> DispatchSettings:
    plain_settings = DispatchSettings()
    jitter = _number(label, remote, "backoff_jitter", plain_settings.backoff_jitter)
    return DispatchSettings(
        deadline_s=_number(label, remote, "dispatch_deadline_s", plain_settings.deadline_s),
        backoff_base_s=_number(label, remote, "backoff_base_s", plain_settings.backoff_base_s),
        backoff_max_s=_number(label, remote, "backoff_max_s", plain_settings.backoff_max_s),
        backoff_jitter=min(jitter, 1.0),
        busy_retries=int(_number(label, remote, "max_503_retries", plain_settings.busy_retries)),
        connection_retries=int(_number(label, remote, "max_conn_retries", plain_settings.connection_retries)),
    )


def _number(label: str, remote: Mapping[str, Any], key: str, default: float) -> float:
    value = remote.get(key, default)
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1e6:
        raise TargetError(f"{label}: {key} is {plain(repr(value), 40)}, not a number from 0 to 1,000,000")
    return float(value)
