"""Where a rank's worker server is: its URL, and the --map rules that say where a host is from here."""

from __future__ import annotations

import ipaddress
import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import quote, unquote

from .endpoints import Endpoint, TargetError, parse_endpoint, parse_host, parse_port, quoted

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["AddressMap", "TargetError", "WorkerUrl", "parse_worker"]

URL_LIMIT = 2_048
"""Characters of a worker's URL that are accepted."""
HANDLERS = "/handler"
"""The path under which a worker server has its handlers; it is added by whoever asks."""
DEFAULT_PORTS = {"http": 80, "https": 443}

_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*)://", re.ASCII)
_KEPT_IN_USER = "-._~!$&'()*+,;=:%"
_KEPT_IN_PATH = "/-._~!$&'()*+,;=:%"


@dataclass(frozen=True, slots=True)
class WorkerUrl:
    """The base URL of a worker server."""

    scheme: str
    """`http` or `https`."""
    endpoint: Endpoint
    prefix: str = ""
    """Path before `/handler/`, for a server behind a proxy; empty or beginning with a slash, never ending with one."""
    user_info: str = field(default="", repr=False)
    """User and password, percent-encoded; never shown."""

    @property
    def shown(self) -> str:
        """The URL without user and password, the port always written."""
        return self._written("")

    @property
    def asked(self) -> str:
        """The URL for requests; it may carry a password."""
        return self._written(f"{self.user_info}@" if self.user_info else "")

    @property
    def connected_to(self) -> str:
        """The URL as the HTTP client wants it: no user, and an IPv6 zone as the system writes it (`%eth0`)."""
        return f"{self.scheme}://{self.endpoint}{self.prefix}"

    @property
    def credentials(self) -> tuple[str, str] | None:
        """User and password for basic authentication, None when the URL has none."""
        if not self.user_info:
            return None
        user, _, password = self.user_info.partition(":")
        return unquote(user), unquote(password)

    def _written(self, user: str) -> str:
        return f"{self.scheme}://{user}{str(self.endpoint).replace('%', '%25')}{self.prefix}"


def parse_worker(text: str, *, scheme_needed: bool = False) -> WorkerUrl:
    """Read `http(s)://[user:password@]host[:port][/prefix][/handler/]`, or `host:port` where no scheme is needed.

    The ports 80 and 443 are those of http and https. A `/handler` at the end is cut; what is left of the path is kept.

    Raises:
        TargetError: not the address of a worker. The message never holds a password.
    """
    text = text.strip()
    if not text:
        raise TargetError("the address is empty", hint=_HINT)
    if len(text) > URL_LIMIT:
        raise TargetError(f"{quoted(text)}: longer than {URL_LIMIT:,} characters", hint=_HINT)
    if not text.isprintable() or " " in text:
        raise TargetError(f"{quoted(text)}: an address has no blanks or control characters", hint=_HINT)
    match = _SCHEME.match(text)
    if match is None:
        if scheme_needed:
            raise TargetError(f"{quoted(text)}: not a URL", hint=_HINT)
        return WorkerUrl("http", parse_endpoint(text, None))
    scheme = match[1].lower()
    if scheme not in DEFAULT_PORTS:
        raise TargetError(f"{quoted(text)}: a worker is asked over http or https", hint=_HINT)
    authority, slash, path = text[match.end() :].partition("/")
    if "@" in path:
        raise TargetError(f"{quoted(text)}: an @ stands behind the host", hint="write / as %2F and @ as %40 there")
    if "?" in text or "#" in text:
        raise TargetError(f"{quoted(text)}: a worker's address has no ? or #", hint="write them as %3F and %23")
    user, _, place = authority.rpartition("@")
    if place.endswith(":"):
        place = place[:-1]
    try:
        endpoint = parse_endpoint(place, DEFAULT_PORTS[scheme])
    except TargetError as error:
        raise TargetError(f"in {quoted(text)}: {error}", hint=error.hint) from error
    prefix = quote(slash + path, safe=_KEPT_IN_PATH).rstrip("/").removesuffix(HANDLERS).rstrip("/")
    return WorkerUrl(scheme, endpoint, prefix, quote(user, safe=_KEPT_IN_USER))


_HINT = "write http://host:port"


class _Left(NamedTuple):
    host: str
    """A host, or a pattern with one `*`."""
    port: int | None
    """None: any port."""


class _Right(NamedTuple):
    host: str
    port: int | None
    """None: the port stays."""


class _Rule(NamedTuple):
    left: _Left
    right: _Right


@dataclass(frozen=True, slots=True)
class AddressMap:
    """Where hosts are from here: the rules of --map, for names that don't resolve and for SSH tunnels. Immutable.

    A rule is `HOST=ADDR`, either side with or without a port:

    - `node-7=10.0.0.7`: the host, the port stays;
    - `node-7:41234=127.0.0.1:9007`: this port of the host only (an SSH tunnel with `-L 9007:node-7:41234`);
    - `node-7:41234=127.0.0.1`: this port of the host, the port stays;
    - `node-7=gateway:9007`: the host on any port, to this one port;
    - `*.cluster.local=*.lan`, `node-*=10-0-0-*.example`, `*=127.0.0.1`: a pattern; `*` on the left stands for at
      least one character and may occur once, on the right it is what the left one stood for.

    IPv6 addresses stand in brackets where a port follows: `[fd00::7]:41234=[::1]:9007`. Names are compared without
    regard to case and to a dot at the end. A rule for a host and port goes before one for the host, and these go
    before patterns, which hold in the order given. One rule is applied, its result is not mapped again.
    """

    rules: tuple[_Rule, ...] = ()
    _exact: dict[_Left, _Right] = field(init=False, repr=False, compare=False)
    _patterns: tuple[_Rule, ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_exact", {rule.left: rule.right for rule in self.rules if "*" not in rule.left.host})
        object.__setattr__(self, "_patterns", tuple(rule for rule in self.rules if "*" in rule.left.host))

    def __bool__(self) -> bool:
        return bool(self.rules)

    @classmethod
    def parse(cls, texts: Sequence[str]) -> AddressMap:
        """Read the rules, one a text.

        Raises:
            TargetError: a text is no rule, or two rules for the same host and port differ.
        """
        rules: dict[_Left, _Rule] = {}
        for text in texts:
            rule = _rule(text)
            if rules.setdefault(rule.left, rule) != rule:
                raise TargetError(
                    f"{quoted(text)}: another rule says something else about the same host",
                    hint="leave one of them out",
                )
        return cls(tuple(rules.values()))

    def apply(self, url: str) -> str:
        """The URL to ask: host and port as the first rule that fits says, all else unchanged.

        Raises:
            TargetError: the text is no URL, or what a rule makes of it isn't one.
        """
        if not self.rules:
            return url
        worker = parse_worker(url, scheme_needed=True)
        endpoint = self._moved(worker.endpoint)
        return url if endpoint is None else replace(worker, endpoint=endpoint).asked

    def _moved(self, endpoint: Endpoint) -> Endpoint | None:
        host = _compared(endpoint.host)
        right = self._exact.get(_Left(host, endpoint.port)) or self._exact.get(_Left(host, None))
        if right is not None:
            return Endpoint(right.host, right.port or endpoint.port)
        for left, right in self._patterns:
            before, _, after = left.host.partition("*")
            fits = len(host) > len(before) + len(after) and host.startswith(before) and host.endswith(after)
            if fits and left.port in (None, endpoint.port):
                star = host[len(before) : len(host) - len(after)]
                made = right.host.replace("*", star)
                try:
                    return Endpoint(parse_host(made), right.port or endpoint.port)
                except TargetError as error:
                    raise TargetError(
                        f"--map {left.host}={right.host} makes {made!r} of {endpoint.host}, which is no host",
                        hint=_MAP_HINT,
                    ) from error
        return None


_MAP_HINT = (
    "write --map HOST=ADDR, HOST:PORT=ADDR:PORT, or a pattern as *.cluster.local=*.lan; IPv6 with a port as [addr]:port"
)


def _rule(text: str) -> _Rule:
    left_text, equals, right_text = text.partition("=")
    if not equals or not left_text.strip() or not right_text.strip():
        raise TargetError(f"{quoted(text)} is no rule", hint=_MAP_HINT)
    try:
        left, right = _Left(*_side(left_text)), _Right(*_side(right_text))
    except TargetError as error:
        raise TargetError(f"in the rule {quoted(text)}: {error}", hint=_MAP_HINT) from error
    if "*" in right.host and "*" not in left.host:
        raise TargetError(f"{quoted(text)}: * stands on the right only", hint=_MAP_HINT)
    return _Rule(left._replace(host=_compared(left.host)), right)


def _side(text: str) -> tuple[str, int | None]:
    """Host (or pattern) and port of one side of a rule."""
    text = text.strip()
    if "://" in text or "/" in text or "@" in text:
        raise TargetError("a rule has hosts and ports, no URLs")
    if text.count("*") > 1:
        raise TargetError("one * a side")
    if "*" not in text:
        has_port = "]:" in text if text.startswith("[") else text.count(":") == 1
        endpoint = parse_endpoint(text, 1)
        return endpoint.host, endpoint.port if has_port else None
    host, port = text, None
    if text.startswith("["):
        host, closing, rest = text[1:].partition("]")
        if not closing or (rest and not rest.startswith(":")):
            raise TargetError(f"{quoted(text)}: after [ there must be ] and then nothing or :port")
        port = parse_port(rest[1:], text) if rest else None
    elif text.count(":") == 1:
        host, _, digits = text.partition(":")
        port = parse_port(digits, text)
    if not re.fullmatch(r"[\w.:%*-]+", host, re.ASCII):
        raise TargetError(f"{host!r}: not a pattern of a host name")
    return host.lower(), port


def _compared(host: str) -> str:
    """A host in the form in which rules and addresses are compared."""
    if ":" not in host or "*" in host:
        return host.lower().removesuffix(".")
    address, percent, zone = host.partition("%")
    return str(ipaddress.IPv6Address(address)) + percent + zone
