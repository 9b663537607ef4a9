"""What is said of bundles and of the watch: how far writing is, how it ended, since when it is watched."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from textual.content import Content

from ..services.bundle.events import BundleFailed
from ..services.sizes import size_text
from ..services.watch.events import Told
from .look_words import clock_text
from .widgets.painted import styled
from .wording import count

if TYPE_CHECKING:
    from ..services.bundle.shown import BundleEnd, BundlesShown
    from ..services.watch.events import WatchEvent
    from ..services.watch.session_watch import SessionWatch
    from .app import XpudbgApp

__all__ = ["bundle_part", "end_said", "incident_parts", "watch_part", "worth_telling"]

_LEFT_OUT = 3
"""Reasons for what a bundle lacks that are named."""


def end_said(end: BundleEnd) -> tuple[str, bool]:
    """How writing ended, in a sentence; and whether it failed."""
    if isinstance(end, BundleFailed):
        what = f"no file of the incident ({end.why})" if end.why else "no bundle"
        return f"{what}: {end.message}", True
    said = f"wrote {end.path}, {count(end.looks, 'look')}, {size_text(end.size)}"
    if not end.why:
        said += f"; open it with: xpudbg {shlex.quote(str(end.path))}"
    if end.left_out:
        more = f" and {len(end.left_out) - _LEFT_OUT} more" if len(end.left_out) > _LEFT_OUT else ""
        said += f"; left out: {', '.join(end.left_out[:_LEFT_OUT])}{more}"
    return said, False


def incident_parts(app: XpudbgApp) -> list[Content]:
    """What is being written, and that the job is watched, for the status line."""
    writing, watch = bundle_part(app.attachment.bundles), app.attachment.watch
    parts = [writing] if writing is not None else []
    return [*parts, watch_part(watch, app.clock())] if watch is not None else parts


def bundle_part(bundles: BundlesShown) -> Content | None:
    """How far writing is; None when nothing is written."""
    if not bundles.under_way:
        return None
    progress = bundles.progress
    done = f" {100 * progress.done // max(progress.total, 1)} %" if progress is not None else ""
    more = f", {len(bundles.under_way) - 1} more" if len(bundles.under_way) > 1 else ""
    return Content.styled(f"bundle{done}{more}", "$text-accent")


def watch_part(watch: SessionWatch, now: int) -> Content:
    """That the job is watched, and what it rang for last.

    Args:
        now: ns since the epoch.
    """
    parts = [Content.styled(f"watching, stall {watch.wanted.rules.stall_s:g} s", "bold")]
    if watch.gone:
        parts.append(Content.styled("the job is gone", "bold $text-warning"))
    if watch.last is not None:
        style = "bold $text-error" if watch.in_incident else "$foreground-muted"
        parts.append(styled(f"rang {clock_text(watch.last.at, now)} {watch.last.why}", style))
    return Content(", ").join(parts)


def worth_telling(event: WatchEvent) -> bool:
    """Whether a person is to be told at once; how the job gets on shows by itself."""
    return event.told is not Told.PACE
