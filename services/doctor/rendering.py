"""The checks as one document: plain values (JSON, described in docs/doctor.md), or text for a terminal."""

from __future__ import annotations

import json
import textwrap
from collections import Counter
from typing import TYPE_CHECKING, Any

from ..instants import utc_text
from ..plain_text import plain
from ..version import __version__
from .check import CheckState, worst

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..session import Session
    from .check import Check

__all__ = ["SCHEMA", "document", "render_json", "render_text", "summary"]

SCHEMA = "xpudbg.doctor/1"
WIDTH = 110
_TEXT_WIDTH = 50
"""Columns that sentences have at least beside the names."""
_SIGNS = {
    CheckState.OK: "ok",
    CheckState.UNKNOWN: "unknown",
    CheckState.WARNING: "WARNING",
    CheckState.PROBLEM: "PROBLEM",
}


def document(session: Session, checks: Sequence[Check]) -> dict[str, Any]:
    """The checks as plain values: ranks as lists of int, durations in seconds, instants as ISO 8601 in UTC."""
    look = session.latest
    return {
        "schema": SCHEMA,
        "version": __version__,
        "target": session.label,
        "world_size": session.world_size,
        "looked_at": None if look is None else utc_text(look.taken_at),
        "result": worst(checks).value,
        "checks": [
            {
                "name": check.name,
                "state": check.state.value,
                "text": check.text,
                "why": check.why,
                "mend": check.mend,
                "ranks": list(check.ranks),
                "facts": dict(check.facts),
            }
            for check in checks
        ],
        "notes": [*session.notes, *(look.notes if look is not None else ())],
        "error": {"message": session.failure, "hint": session.hint} if session.failure else None,
        "faults": [{"doing": fault.doing, "error": fault.error} for fault in session.faults],
    }


def render_json(session: Session, checks: Sequence[Check]) -> str:
    """The document as JSON text, one line at the end; lone surrogates and controls are escaped."""
    return json.dumps(document(session, checks), indent=2, ensure_ascii=True) + "\n"


def summary(checks: Sequence[Check]) -> str:
    """`1 problem, 2 warnings, 9 ok, 1 unknown`."""
    counted = Counter(check.state for check in checks)
    words = {
        CheckState.PROBLEM: ("problem", "problems"),
        CheckState.WARNING: ("warning", "warnings"),
        CheckState.OK: ("ok", "ok"),
        CheckState.UNKNOWN: ("unknown", "unknown"),
    }
    return ", ".join(f"{counted[state]} {words[state][counted[state] > 1]}" for state in words if counted[state])


def render_text(session: Session, checks: Sequence[Check], width: int = WIDTH) -> str:
    """The checks for a terminal, the worst first: plain text without colour, every foreign text made visible."""
    order = (CheckState.PROBLEM, CheckState.WARNING, CheckState.UNKNOWN, CheckState.OK)
    name_width = max((len(check.name) for check in checks), default=0)
    title = [plain(session.label) or "no target"]
    if session.world_size:
        title.append(f"world size {session.world_size:,}")
    lines = [f"{', '.join(title)}: {summary(checks)}", ""]
    for state in order:
        for check in checks:
            if check.state is not state:
                continue
            head, indent = f"{_SIGNS[state]:<8} {check.name:<{name_width}}  ", " " * (name_width + 11)
            if width - len(head) < _TEXT_WIDTH:  # the name has a line of its own
                lines.append(head.rstrip())
                head = indent = " " * 9
            lines += _wrapped(head, check.text, width)
            if state is CheckState.OK:
                continue
            for label, text in (("why", check.why), ("mend", check.mend)):
                if text:
                    lines += _wrapped(f"{indent}{label}: ", text, width)
    notes = document(session, checks)["notes"]
    lines += ["", *(line for note in notes for line in _wrapped("note     ", note, width))] if notes else []
    return "\n".join(lines).rstrip() + "\n"


def _wrapped(head: str, text: str, width: int) -> list[str]:
    return textwrap.wrap(
        plain(text),
        max(width, len(head) + 20),
        initial_indent=head,
        subsequent_indent=" " * len(head),
        break_on_hyphens=False,
    ) or [head.rstrip()]
