"""Waiting until an application has nothing left to do.

Textual's Pilot sleeps until the process uses little time of the processor: slow, and on a busy machine no proof. Here
the event loop itself says it: nothing is ready to run, and the screen has nothing left to lay out or to paint.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from textual._context import active_app

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["quiet"]

CALM_TURNS = 5
"""Turns of the loop in a row in which nothing else ran."""


async def quiet(min_sleep: float = 0.0, max_sleep: float = 1.0) -> None:
    """Let the loop run until only timers and threads could bring something new; the arguments are Pilot's, not used."""
    loop: Any = asyncio.get_running_loop()
    calm = 0
    while calm < CALM_TURNS:
        await asyncio.sleep(0)
        if loop._ready:
            calm = 0
            continue
        held_back, paint = _left_to_paint()
        calm = 0 if held_back or paint is not None else calm + 1
        if held_back:
            await asyncio.sleep(0.001)  # a timer of Textual's own ends it
        elif paint is not None:
            paint()


def _left_to_paint() -> tuple[bool, Callable[[], None] | None]:
    """Whether Textual holds back what is painted, and what lays out and paints what is due."""
    app: Any = active_app.get(None)
    if app is None or not app.is_running or not app.screen_stack or not app.screen.is_running:
        return False, None
    due = app.screen._update_timer._active.is_set()
    return bool(app._batch_count), app.screen._on_timer_update if due else None
