"""The difference of two looks as text for a terminal, Markdown for a ticket, or JSON."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from ...markdown_text import Piece, joined, unmarked
from ...plain_text import plain
from .document import document
from .sentences import head_lines, parts_of, verdict_said, wrapped

if TYPE_CHECKING:
    from .values import LookDifference

__all__ = ["difference_lines", "render_json", "render_markdown", "render_text"]


def difference_lines(difference: LookDifference, width: int | None = None) -> list[str]:
    """The difference in plain lines: the verdict, findings, ranks, and the rest.

    Args:
        width: characters of a line, None when lines may be as long as they are.
    """
    made = document(difference)
    verdict = made["verdict"]
    lines = [*head_lines(made), "", f"verdict  {verdict_said(made)}"]
    if verdict["summary_before"] != verdict["summary_after"]:
        lines.append(f"  was  {verdict['summary_before']}")
    lines.append(f"  is   {verdict['summary_after']}")
    for heading, told in parts_of(made):
        lines += ["", heading, *(f"  {line}" for line in told)]
    return [piece for line in lines for piece in wrapped(plain(line), width)]


def render_text(difference: LookDifference) -> str:
    """For a terminal: plain text without colour, every foreign text made visible."""
    return "\n".join(difference_lines(difference)) + "\n"


def render_json(difference: LookDifference) -> str:
    """The document as JSON text, one line at the end; lone surrogates and controls are escaped."""
    return json.dumps(document(difference), indent=2, ensure_ascii=True) + "\n"


def render_markdown(difference: LookDifference) -> str:
    """For a ticket: GitHub's Markdown, foreign text escaped, no longer than a ticket may be."""
    made = document(difference)
    verdict = made["verdict"]
    lines = [f"## xpudbg diff: {unmarked(verdict_said(made))}", ""]
    lines += [f"- {unmarked(line)}" for line in head_lines(made)]
    lines += ["", f"**{unmarked(verdict['summary_after'])}**"]
    if verdict["summary_before"] != verdict["summary_after"]:
        lines += ["", f"Before: {unmarked(verdict['summary_before'])}"]
    pieces = [Piece("verdict", "\n".join(lines))]
    for heading, told in parts_of(made):
        kind, head = f"line of {heading}", f"\n### {heading}\n"
        pieces += [Piece(kind, f"{'  ' if line[:1] == ' ' else ''}- {unmarked(line.strip())}", head) for line in told]
    return joined(pieces)
