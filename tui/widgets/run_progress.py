"""The runs of a case that are under way: at which stage, how fast, how long still."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.content import Content

from ...services.dispatch import progress
from ..actions.registry import key_of
from ..wording import count, duration
from .painted import Painted, styled

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...services.console.runs import RunUnderWay, Transfer

__all__ = ["RunProgress", "stage"]

UNITS = ("B", "kB", "MB", "GB", "TB")
BAR = 16
"""Terminal cells of the bar of a transfer."""
LINES = 6
"""Runs that are shown; further ones are counted."""


class RunProgress(Painted):
    """One line a run; nothing when none is under way."""

    def show(self, runs: Sequence[RunUnderWay], now: int) -> None:
        """
        Args:
            now: ns since the epoch.
        """
        self.set_class(bool(runs), "-running")
        self.paint_with(lambda width: Content("\n").join(_lines(runs, now, width)))


def _lines(runs: Sequence[RunUnderWay], now: int, width: int) -> list[Content]:
    lines = []
    for run in runs[:LINES]:
        took = duration((now - run.began_ns) / 1e9)
        words = [styled(f"> {run.endpoint}", "bold $text-accent"), _bar(run.transfer), styled(stage(run, now))]
        line = Content("  ").join([word for word in words if word.plain])
        end = styled("ending …" if run.cancelling else f"{took}  {key_of('cancel_run')} ends it", "$foreground-muted")
        room = max(width - end.cell_length - 2, 8)
        line = line.truncate(room, ellipsis=True)
        lines.append(line.pad_right(room - line.cell_length + 2) + end)
    if len(runs) > LINES:
        lines.append(styled(f"and {count(len(runs) - LINES, 'more run')}", "$foreground-muted"))
    return lines


def stage(run: RunUnderWay, now: int) -> str:
    """Where a run is, in words."""
    if run.comparing:
        return "comparing"
    moved = run.transfer
    match run.latest:
        case None:
            return "preparing"
        case progress.Connecting(attempt):
            return "connecting" if attempt == 1 else f"connecting, attempt {attempt}"
        case progress.Syncing(files, size):
            return f"uploading {count(len(files), 'source file')}, {_bytes(size)}"
        case progress.Uploading(sent, total):
            return f"uploading {_share(sent, total)}{_speed(moved)}"
        case progress.Running():
            return f"running on the server for {duration((now - run.since_ns) / 1e9)}"
        case progress.Downloading(received, total):
            return f"downloading {_share(received, total)}{_speed(moved)}"
        case progress.Busy(refused, allowed, wait_s):
            return f"the server is busy ({refused} of {allowed}), again in {_rest(wait_s, run, now)}"
        case progress.Reconnecting(failed, allowed, wait_s, reason):
            return f"{reason} ({failed} of {allowed}), again in {_rest(wait_s, run, now)}"


def _rest(wait_s: float, run: RunUnderWay, now: int) -> str:
    return duration(wait_s - (now - run.since_ns) / 1e9)


def _bar(moved: Transfer | None) -> Content:
    if moved is None or not moved.total:
        return Content("")
    full = min(moved.done * BAR // moved.total, BAR)
    return Content.assemble(("#" * full, "$text-accent"), ("." * (BAR - full), "$foreground-disabled"))


def _share(done: int, total: int | None) -> str:
    return _bytes(done) if not total else f"{100 * done // total} % of {_bytes(total)}"


def _speed(moved: Transfer | None) -> str:
    if moved is None or moved.rate is None:
        return ""
    left = moved.left_s
    return f", {_bytes(round(moved.rate))}/s" + (f", {duration(left)} left" if left is not None else "")


def _bytes(number: float) -> str:
    for unit in UNITS:
        if number < 999.5 or unit == UNITS[-1]:
            break
        number /= 1000
    return f"{number:.0f} {unit}" if unit == "B" or number >= 99.5 else f"{number:.3g} {unit}"
