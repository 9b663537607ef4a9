"""What is told by a notification: defects, what became of bundles, what the watch says."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...services.watch.events import Told
from ..incident_words import end_said, worth_telling
from ..widgets.text import plain

if TYPE_CHECKING:
    from textual.notifications import SeverityLevel

    from ..app import XpudbgApp

__all__ = ["LONG_S", "tell_faults", "tell_incidents"]

LONG_S = 10.0
"""Seconds for which it is told what became of something that took long."""


def tell_faults(app: XpudbgApp) -> None:
    """Defects of this program that the engine met."""
    for fault in app.attachment.new_faults():
        said = plain(f"{fault.doing}: {fault.error}")
        app.notify(said, title="A defect of xpudbg", severity="error", markup=False)


def tell_incidents(app: XpudbgApp) -> None:
    """What became of bundles, and what the watch has to tell."""
    for end in app.attachment.bundles.new_ends():
        said, failed = end_said(end)
        app.notify(plain(said), severity="error" if failed else "information", timeout=LONG_S, markup=False)
    watch = app.attachment.watch
    for event in watch.new_events() if watch is not None else ():
        if not worth_telling(event):
            continue
        severity: SeverityLevel = "information" if event.told in (Told.OVER, Told.CAPTURED) else "warning"
        app.notify(plain(event.text), title="Watch", severity=severity, timeout=LONG_S, markup=False)
        if event.told is Told.ALERT:
            app.ring(event.text)
