"""Waiting until an application has nothing left to do.

Textual's Pilot sleeps until the process uses little time of the processor: slow, and on a busy machine no proof. Here
the event loop itself says it: nothing is ready to run, and the screen has nothing left to lay out or to paint.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from textual._context import active_app

if TYPE_CHECKING:
    from textual.screen import Screen

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
        screen = _screen()
        if screen is None:
            calm += 1
        elif screen.app._batch_count:
            await asyncio.sleep(0.001)  # Textual holds back what is painted until a timer of its own
            calm = 0
        elif screen._update_timer._active.is_set():
            screen._on_timer_update()
            calm = 0
        else:
            calm += 1


def _screen() -> Screen[Any] | None:
    try:
        app = active_app.get()
    except LookupError:
        return None
    return app.screen if app.is_running and app.screen_stack and app.screen.is_running else None
