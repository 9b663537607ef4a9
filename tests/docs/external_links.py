"""Addresses that the documents link to: all of them, what is wrong with their form, and, asked, which answer.

`make links` (`python -m tests.docs.external_links`) asks each one over the network. No test does.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from urllib.parse import urlsplit

import httpx

__all__ = ["addresses", "answer_of", "fault_of"]

ROOT = Path(__file__).parents[2]
_PATIENCE_S = 20.0
"""Longest wait for one address, seconds."""

_FENCE = re.compile(r"^(?:```.*?^```|(?: {4}|\t)[^\n]*)$", re.M | re.S)
_CODE = re.compile(r"`[^`\n]+`")
_ADDRESS = re.compile(r"(?:\]\(|^\[[^\]\n]+\]:[ ]|<)(https?:[^)\s>]*)", re.M)
_PLACEHOLDERS = ("localhost", "127.0.0.1", "example.com", "example.org")


def addresses(markdown: str) -> list[str]:
    """Addresses of other servers that a document links to, in order; examples in code are none."""
    return _ADDRESS.findall(_CODE.sub("", _FENCE.sub("", markdown)))


def fault_of(address: str) -> str:
    """What is wrong with the form of an address; empty when nothing is."""
    try:
        parts = urlsplit(address)
        host = parts.hostname or ""
        _ = parts.port
    except ValueError as error:
        return str(error)
    if parts.scheme != "https":
        return "not https"
    if "." not in host or host in _PLACEHOLDERS:
        return "no public host"
    if parts.username or parts.password:
        return "a user or password"
    if re.search(r"[^!-~]", address):
        return "characters that have to be escaped"
    return ""


def answer_of(client: httpx.Client, address: str) -> str:
    """Asks for an address, redirects followed; what is wrong with the answer, empty when nothing is."""
    try:
        with client.stream("GET", address) as reply:
            return "" if reply.status_code < 400 else f"HTTP {reply.status_code}"
    except httpx.HTTPError as error:
        return f"{type(error).__name__}: {error}"


def main() -> int:
    """Prints each address that does not answer, with the documents that have it; 1 when there is one."""
    linked: dict[str, set[str]] = {}
    for document in (*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md"))):
        for address in addresses(document.read_text(encoding="utf-8")):
            linked.setdefault(address.partition("#")[0], set()).add(document.relative_to(ROOT).as_posix())
    bad = 0
    with httpx.Client(follow_redirects=True, timeout=_PATIENCE_S, headers={"User-Agent": "xpudbg-links"}) as client:
        for address, documents in sorted(linked.items()):
            said = fault_of(address) or answer_of(client, address)
            if said:
                bad += 1
                print(f"{address}: {said} ({', '.join(sorted(documents))})")
    print(f"{len(linked)} addresses, {bad} bad")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
