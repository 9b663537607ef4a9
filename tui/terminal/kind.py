"""What the terminal can show, told from its environment: characters beyond ASCII, colours, or nothing at all."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["Colours", "TerminalKind", "first_environment", "switched", "terminal_kind", "why_not"]

ON = frozenset(("1", "yes", "true", "on"))
OFF = frozenset(("0", "no", "false", "off"))


class Colours(enum.Enum):
    """How many colours a terminal has."""

    NONE = "none"
    FEW = "16 colours"
    MANY = "256 colours or more"


@dataclass(frozen=True, slots=True)
class TerminalKind:
    """How to paint for a terminal."""

    ascii: bool = False
    """Whether only ASCII may be sent."""
    colours: Colours = Colours.MANY


def terminal_kind(env: Mapping[str, str], system: str | None, *, ascii: bool | None = None) -> TerminalKind:
    """The kind of terminal that an environment speaks of.

    Args:
        env: the environment that the program was started in.
        system: Rich's word for its colours: `truecolor`, `256`, `standard` or None.
        ascii: what was asked for; None goes by XPUDBG_ASCII and else by the locale.
    """
    if ascii is None:
        ascii = switched(env, "XPUDBG_ASCII")
    if ascii is None:
        ascii = not _is_utf8(env)
    if env.get("NO_COLOR") or system is None or _is_monochrome(env.get("TERM", "")):
        return TerminalKind(ascii, Colours.NONE)
    return TerminalKind(ascii, Colours.FEW if system == "standard" else Colours.MANY)


def switched(env: Mapping[str, str], name: str) -> bool | None:
    """A switch in the environment: 1, yes, true, on or 0, no, false, off; None where it says neither."""
    word = env.get(name, "").lower()
    return True if word in ON else False if word in OFF else None


def why_not(env: Mapping[str, str]) -> str:
    """Why the screens cannot be drawn on a terminal, one line; empty when they can."""
    term = env.get("TERM", "")
    if term.lower() not in ("dumb", "unknown"):
        return ""
    return f"TERM={term} has none"


def first_environment(env: Mapping[str, str]) -> dict[str, str]:
    """The environment as it was before Python changed the locale in it, where the system tells (Linux)."""
    now = dict(env)
    try:
        then = Path("/proc/self/environ").read_bytes()
    except OSError:
        return now
    if "LC_CTYPE" in now and not any(entry.startswith(b"LC_CTYPE=") for entry in then.split(b"\0")):
        del now["LC_CTYPE"]
    return now


def _is_utf8(env: Mapping[str, str]) -> bool:
    """Whether the locale of characters is one of UTF-8: LC_ALL, else LC_CTYPE, else LANG."""
    locale = env.get("LC_ALL") or env.get("LC_CTYPE") or env.get("LANG") or ""
    return "utf8" in locale.lower().replace("-", "")


def _is_monochrome(term: str) -> bool:
    """Whether a terminal's name is that of one without colours: DEC's, or the variants for none (terminfo's -m)."""
    name = term.lower()
    return name.startswith(("vt1", "vt2", "vt3", "vt4", "vt5")) or name.endswith(("-m", "-mono"))
