"""What is said of a run in a few lines: its outcome first, then why it failed or what it took, then what changed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.content import Content

from ...services.run_history.records import RunState
from ..actions.registry import key_of
from ..widgets.painted import hanging, styled

if TYPE_CHECKING:
    from ...services.runs.shown import RunShown

__all__ = ["outcome", "summary_lines"]

MESSAGE_LINES = 8
"""Lines that a server's message takes at most; copying gives all of it."""
NOTES = 3
CHANGES = 4


def outcome(shown: RunShown) -> tuple[str, str]:
    """The outcome in words, and the theme variable of its colour."""
    match shown.run.state:
        case RunState.FAILED:
            return "FAILED", "$text-error"
        case RunState.CANCELLED:
            return "cancelled", "$text-warning"
        case RunState.INTERRUPTED:
            return "interrupted", "$text-warning"
        case RunState.UNDER_WAY:
            return "under way", "$text-primary"
    if shown.passed is None:
        return ("ran, not all compared", "$text-warning") if shown.reference else ("ran", "$text-success")
    return ("PASSES", "$text-success") if shown.passed else ("WRONG", "$text-error")


def summary_lines(shown: RunShown, width: int) -> list[Content]:
    """The lines, each at most `width` terminal cells."""
    lines = [_first(shown), *_error(shown, width), *_facts(shown, width), *_changes(shown, width)]
    for note in shown.run.notes[:NOTES]:
        lines += hanging(Content.styled("note", "$foreground-muted"), styled(note), width, 11)
    if len(shown.run.notes) > NOTES:
        lines.append(Content.styled(f"and {len(shown.run.notes) - NOTES} more notes", "$foreground-muted"))
    return [line.truncate(width, ellipsis=True) for line in lines]


def _first(shown: RunShown) -> Content:
    run = shown.run
    word, colour = outcome(shown)
    said = Content.assemble(Content.styled(word, f"bold {colour}"), "  ", styled(run.title, "bold"))
    said += Content.assemble((" on ", "$foreground-muted"), styled(run.endpoint))
    if run.number is not None:
        said += Content.styled(f"  run #{run.number}", "$foreground-muted")
    return said


def _error(shown: RunShown, width: int) -> list[Content]:
    error = shown.run.error
    if error is None:
        return []
    if error.exception:
        status = f" (HTTP {error.status})" if error.status is not None else ""
        label, text = f"{error.exception}{status}", error.text
    else:
        label, text = error.kind, error.message
    first = styled(label, "bold $text-error") + Content(": ") + styled(text)
    lines = first.wrap(max(width, 8))
    if len(lines) > MESSAGE_LINES:
        rest = len(lines) - MESSAGE_LINES + 1
        lines = [
            *lines[: MESSAGE_LINES - 1],
            Content.styled(f"… {rest} more lines; {key_of('copy_run')} copies all", "$foreground-muted"),
        ]
    if error.hint:
        lines += hanging(Content.styled("try", "bold $text-accent"), styled(error.hint), width, 5)
    return list(lines)


def _facts(shown: RunShown, width: int) -> list[Content]:
    run = shown.run
    facts = []
    if run.took_s is not None:
        facts.append(f"took {_duration(run.took_s)}")
    if run.api and run.api != run.title:
        facts.append(f"ran as {run.api}")
    if run.perf is not None:
        device = "NA" if run.perf.device_us is None else f"{run.perf.device_us:,g} us"
        memory = "NA" if run.perf.peak_memory_mb is None else f"{run.perf.peak_memory_mb:,g} MB"
        facts.append(f"device {device}, peak memory {memory}")
    lines = [styled("  ".join(facts), "$foreground-muted")] if facts else []
    if shown.reference_problem:
        label = Content.styled("reference", "$text-warning")
        lines += hanging(label, styled(shown.reference_problem, "$text-warning"), width, 11)
    elif shown.reference:
        lines += hanging(Content.styled("reference", "$foreground-muted"), styled(shown.reference), width, 11)
    return lines


def _changes(shown: RunShown, width: int) -> list[Content]:
    if not shown.before:
        return []
    state = "" if shown.before_state is None else f", {shown.before_state.value}"
    label = Content.styled("before", "$foreground-muted")
    if not shown.changes:
        same = " of the same case" if shown.run.case is not None else ""
        return hanging(label, styled(f"{shown.before}{state}{same}"), width, 11)
    told = []
    for change in shown.changes[:CHANGES]:
        was = "not there" if change.before is None else change.before
        now = "left out" if change.after is None else change.after
        told.append(f"{change.field}: {was} -> {now}")
    if len(shown.changes) > CHANGES:
        told.append(f"and {len(shown.changes) - CHANGES} more")
    start = f"{shown.before}{state}; since then"
    if len(told) == 1 and 11 + len(start) + 1 + len(told[0]) <= width:
        return hanging(label, styled(f"{start} {told[0]}"), width, 11)
    lines = hanging(label, styled(start), width, 11)
    for line in told:
        lines += [each.pad_left(13) for each in styled(line).wrap(max(width - 13, 8))]
    return lines


def _duration(seconds: float) -> str:
    return f"{seconds * 1e3:.0f} ms" if seconds < 1 else f"{seconds:,.2f} s"
