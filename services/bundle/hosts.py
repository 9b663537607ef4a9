"""Names that stand for hosts: those that are known, and every IP address that a text holds."""

from __future__ import annotations

import ipaddress
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["HostNames"]

_TOKEN = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_SEPARATOR = re.compile(r"([._-]+)")
_IPV4 = re.compile(r"(?<![0-9.])[0-9]{1,3}(?:\.[0-9]{1,3}){3}(?!\.?[0-9])")
_IPV6 = re.compile(r"(?<![\w:.])(?:[0-9A-Fa-f]{0,4}:){2,7}(?:[0-9A-Fa-f]{1,4}|(?:[0-9]{1,3}\.){3}[0-9]{1,3})?(?![\w:])")
_NO_SECRET = frozenset(("localhost", "localhost.localdomain", "ip6-localhost", "0.0.0.0", "::", "::1"))  # noqa: S104
_REMEMBERED = 200_000


class HostNames:
    """The same host has the same name, by its full and by its short one."""

    def __init__(self) -> None:
        self._names: dict[str, str] = {}
        """What stands for each known name, in lower case."""
        self._hosts = 0
        self._domains = 0
        self._longest = 1
        """Most parts of a known name."""
        self._tokens: dict[str, str] = {}

    def learn(self, hosts: Iterable[str]) -> bool:
        """Know these from now on; True when one of them is new."""
        before = len(self._names)
        for host in hosts:
            self._add(host.strip().lower().strip("[]").rstrip("."))
        if len(self._names) == before:
            return False
        self._tokens.clear()
        return True

    def replaced(self, text: str) -> str:
        """The text with host names and addresses replaced."""
        if "." in text:
            self.learn(found for found in _IPV4.findall(text) if _is_address(found))
        if ":" in text:
            text = _IPV6.sub(lambda match: self._address(match[0]), text)
        return _TOKEN.sub(lambda match: self._token(match[0]), text)

    def _add(self, host: str) -> None:
        if not host or host in self._names or _harmless(host) or host.isdigit():
            return
        short, _, domain = host.partition(".")
        if _is_address(host) or not short or short.isdigit():
            short = domain = ""
        made = self._names.get(short, "") if short else ""
        if not made:
            self._hosts += 1
            made = f"host-{self._hosts}"
        for name in filter(None, (host, short)):
            self._know(name, made)
        if "." in domain and domain not in self._names:
            self._domains += 1
            self._know(domain, f"domain-{self._domains}")

    def _know(self, name: str, made: str) -> None:
        self._names[name] = made
        self._longest = max(self._longest, len(_SEPARATOR.findall(name)) + 1)

    def _address(self, text: str) -> str:
        if not _is_address(text) or _harmless(text.lower()) or not any(map(str.isdigit, text)):
            return text
        self.learn((text,))
        return self._names[text.lower()]

    def _token(self, token: str) -> str:
        known = self._tokens.get(token)
        if known is None:
            known = self._in_parts(token)
            if len(self._tokens) >= _REMEMBERED:
                self._tokens.clear()
            self._tokens[token] = known
        return known

    def _in_parts(self, token: str) -> str:
        """Each known name that fills whole parts of the token, the longest first."""
        if not self._names:
            return token
        pieces = _SEPARATOR.split(token)
        made: list[str] = []
        at = 0
        while at < len(pieces):
            if at % 2:
                made.append(pieces[at])
                at += 1
                continue
            for end in range(min(len(pieces), at + 2 * self._longest - 1), at, -2):
                if name := self._names.get("".join(pieces[at:end]).lower()):
                    made.append(name)
                    at = end
                    break
            else:
                made.append(pieces[at])
                at += 1
        return "".join(made)


def _is_address(text: str) -> bool:
    try:
        ipaddress.ip_address(text.partition("%")[0])
    except ValueError:
        return False
    return True


def _harmless(host: str) -> bool:
    if host in _NO_SECRET:
        return True
    try:
        return ipaddress.ip_address(host.partition("%")[0]).is_loopback
    except ValueError:
        return False
