"""Host and port as a person types them or a job stores them: `node-1:25999`, `[fd00::7]:25999`, `::1`.

A host is an ASCII name (others become their IDNA form), an IPv4 address or an IPv6 address with or without a zone;
it is kept as it was written, in lower case, without brackets.
"""

from __future__ import annotations

import ipaddress
import re
from dataclasses import dataclass

__all__ = [
    "DEFAULT_STORE_PORT",
    "ENDPOINT_FORMS",
    "Endpoint",
    "TargetError",
    "parse_endpoint",
    "parse_host",
    "parse_port",
    "quoted",
]

DEFAULT_STORE_PORT = 29500
"""Port of the job's store where none is written: the launcher's default."""

NAME_LIMIT = 253
LABEL_LIMIT = 63

_LABEL = re.compile(r"[a-z0-9_-]+", re.ASCII)
_ZONE = re.compile(r"[A-Za-z0-9._~-]{1,32}", re.ASCII)
_DIGITS = re.compile(r"[0-9]{1,5}", re.ASCII)
_SHOWN = 80

ENDPOINT_FORMS = "write host:port, or [addr]:port for an IPv6 address"


class TargetError(ValueError):
    """What was typed or stored can't be used; the message says why.

    Attributes:
        hint: what to do about it, one plain line.
    """

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where something listens."""

    host: str
    port: int

    def __str__(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


def quoted(text: str) -> str:
    """A text as it may stand in a message: quoted, escaped, cut, and without what may be a user and password."""
    head, at, rest = text.rpartition("@")
    if at:
        scheme, marks, _ = head.partition("://")
        text = f"{scheme}{marks}…@{rest}" if marks else f"…@{rest}"
    return repr(text if len(text) <= _SHOWN else text[:_SHOWN] + "…")


def parse_endpoint(text: str, default_port: int | None) -> Endpoint:
    """Read `host:port`, `[IPv6]:port`, or a host alone where a default port is given.

    An IPv6 address without brackets is accepted when its end can't be meant as a port.

    Raises:
        TargetError: empty, no such host or port, no port, or an IPv6 address that may end in a port.
    """
    text = text.strip()
    if not text:
        raise TargetError("the address is empty", hint=ENDPOINT_FORMS)
    if text.startswith("["):
        inside, closing, after = text[1:].partition("]")
        if not closing:
            raise TargetError(f"{quoted(text)}: the bracket [ is not closed", hint=ENDPOINT_FORMS)
        host = _ipv6(inside, text)
        if after and not after.startswith(":"):
            raise TargetError(f"{quoted(text)}: after ] only :port can follow", hint=ENDPOINT_FORMS)
        port_text = after[1:] if after else None
    elif text.count(":") > 1:
        host, port_text = _bare_ipv6(text), None
    else:
        name, colon, port_text = text.partition(":")
        host, port_text = parse_host(name, text), port_text if colon else None
    if port_text is not None:
        return Endpoint(host, parse_port(port_text, text))
    if default_port is None:
        raise TargetError(f"{quoted(text)}: the port is missing", hint=ENDPOINT_FORMS)
    return Endpoint(host, default_port)


def parse_port(text: str, whole: str | None = None) -> int:
    """Read a port from 1 to 65535.

    Args:
        text: the digits.
        whole: the address they stand in, for the message.

    Raises:
        TargetError: anything else.
    """
    shown = quoted(whole or text)
    if not text:
        raise TargetError(f"{shown}: the port is missing after the colon", hint=ENDPOINT_FORMS)
    if not _DIGITS.fullmatch(text) or int(text) > 65535:
        raise TargetError(f"{shown}: the port is no number from 1 to 65535", hint=ENDPOINT_FORMS)
    if int(text) == 0:
        raise TargetError(f"{shown}: port 0 is no address: nothing can listen there", hint=ENDPOINT_FORMS)
    return int(text)


def parse_host(text: str, whole: str | None = None) -> str:
    """A name, an IPv4 or an IPv6 address (with or without brackets), checked, in lower case.

    Args:
        text: the host.
        whole: the address it stands in, for the message.

    Raises:
        TargetError: not a host.
    """
    whole = whole or text
    if text.startswith("[") and text.endswith("]"):
        return _ipv6(text[1:-1], whole)
    if ":" in text:
        return _ipv6(text, whole)
    name = text.lower()
    if not name.isascii() and len(name) <= NAME_LIMIT:
        try:
            name = name.encode("idna").decode("ascii").lower()
        except UnicodeError as error:
            raise TargetError(f"{quoted(whole)}: the host name has no IDNA form", hint=ENDPOINT_FORMS) from error
    labels = name.removesuffix(".").split(".")
    if not name or len(name) > NAME_LIMIT or any(len(label) > LABEL_LIMIT for label in labels):
        raise TargetError(f"{quoted(whole)}: the host name is empty or too long", hint=ENDPOINT_FORMS)
    if not all(_LABEL.fullmatch(label) for label in labels):
        raise TargetError(
            f"{quoted(whole)}: not a host name: letters, digits, - _ and . can stand in it", hint=ENDPOINT_FORMS
        )
    if len(labels) == 1 and labels[0].isdigit():
        raise TargetError(f"{quoted(whole)}: a number alone is no host", hint="write 127.0.0.1:PORT for a port here")
    if all(label.isdigit() for label in labels):
        try:
            ipaddress.IPv4Address(name)
        except ipaddress.AddressValueError as error:
            raise TargetError(f"{quoted(whole)}: not an IPv4 address", hint=ENDPOINT_FORMS) from error
    return name


def _ipv6(text: str, whole: str) -> str:
    address, percent, zone = text.partition("%")
    try:
        ipaddress.IPv6Address(address)
    except ValueError as error:
        raise TargetError(f"{quoted(whole)}: not an IPv6 address", hint=ENDPOINT_FORMS) from error
    if not percent:
        return address.lower()
    zone = zone.removeprefix("25") if len(zone) > 2 else zone  # %25 is % in a URL
    if not _ZONE.fullmatch(zone):
        raise TargetError(f"{quoted(whole)}: not an IPv6 zone after %", hint=ENDPOINT_FORMS)
    return f"{address.lower()}%{zone}"


def _bare_ipv6(text: str) -> str:
    host, _, end = text.rpartition(":")
    try:
        before = _ipv6(host, text)
        parse_port(end)
    except TargetError:
        return _ipv6(text, text)
    raise TargetError(
        f"{quoted(text)}: the end may be a port or belong to the IPv6 address",
        hint=f"write [addr]:port: [{before}]:{end}, or [{text.lower()}]:port if all of it is the address",
    )
