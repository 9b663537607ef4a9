"""`xpudbg report TARGET... --summary`: a line for each target, one after the other, each looked at for itself."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from ...services.engine import Engine
from ...services.reports.summary import (
    job_line,
    refused,
    summary_json,
    summary_markdown,
    summary_notes,
    summary_row,
    summary_title,
    target_width,
    worst,
)
from ...services.session import Session
from ...services.targets import TargetError, WorkersTarget, parse_target
from ..named_targets import named_words
from .interrupts import signals_interrupt
from .putting_out import put_out
from .report import exit_code, watch
from .telling import tell_faults

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from ...services.attach_options import AttachOptions
    from ...services.reports.summary import JobLine
    from ...services.targets import Target

__all__ = ["SUMMARY_FORMATS", "run_summary"]

SUMMARY_FORMATS = ("text", "json", "markdown")
_UNREADABLE, _INTERRUPTED = 3, 4
"""Exit codes."""


def run_summary(
    words: Sequence[str], options: AttachOptions, style: str, looks: tuple[int, float], output: Path | None = None
) -> int:
    """Look at each target in turn, print a line for each, and return the worst exit code.

    One that can't be read gets its line, and the others go on. An interrupt (Ctrl-C, SIGTERM, SIGHUP) ends it with the
    lines that are there.

    Args:
        words: a target each.
        style: one of `SUMMARY_FORMATS`.
        looks: how often to look at each, and seconds between two looks.
        output: the file that it goes to; None: standard output, text line by line.
    """
    signals_interrupt()
    lines: list[JobLine] = []
    width = target_width(words)
    at_once = style == "text" and output is None
    interrupted = at_once and not put_out(summary_title(width) + "\n")
    for word in words if not interrupted else ():
        try:
            line, interrupted = _looked_at(word, options, looks)
        except KeyboardInterrupt:
            interrupted = True
            break
        lines.append(line)
        if at_once and not put_out(summary_row(line, width) + "\n"):
            interrupted = True
        if interrupted:
            break
    notes = summary_notes(lines)
    if at_once and notes and not interrupted:
        interrupted = not put_out(notes + "\n")
    if not at_once and not put_out(_written(lines, style, width), output):
        if output is not None:
            return 2
        interrupted = True
    if interrupted and len(lines) < len(words):
        print(f"xpudbg: ended; {len(words) - len(lines):,} targets were not looked at", file=sys.stderr)
    return worst([line.exit_code for line in lines] + [_INTERRUPTED] * interrupted)


def _written(lines: Sequence[JobLine], style: str, width: int) -> str:
    if style == "json":
        return summary_json(lines)
    if style == "markdown":
        return summary_markdown(lines)
    notes = summary_notes(lines)
    rows = [summary_title(width), *(summary_row(line, width) for line in lines), *([notes] if notes else ())]
    return "\n".join(rows) + "\n"


def _looked_at(word: str, options: AttachOptions, looks: tuple[int, float]) -> tuple[JobLine, bool]:
    """The line of a target, and whether the person ended it."""
    try:
        target: Target | None = parse_target(named_words([word]), os.environ)
    except TargetError as error:
        return refused(word, f"{error}; {error.hint}", _UNREADABLE), False
    assert target is not None  # there is a word
    session = Session()
    with Engine() as engine:
        interrupted = watch(engine, session, target, options, looks)
    tell_faults(session)
    code = exit_code(session, names_workers=isinstance(target, WorkersTarget), interrupted=interrupted)
    return job_line(word, session, code), interrupted
