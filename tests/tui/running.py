"""The application on a scripted job, headless, and waiting for conditions instead of sleeping."""

from __future__ import annotations

from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from xpudbg.services.attach_options import AttachOptions
from xpudbg.services.settings.recent import RecentTargets
from xpudbg.services.targets import StoreTarget
from xpudbg.tui.app import XpudbgApp

from .scripted import NOW, SECOND, ScriptedEngine

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterable
    from pathlib import Path

    from textual.pilot import Pilot

    from xpudbg.services.events import Event
    from xpudbg.services.targets import Target
    from xpudbg.tui.dispatch.desk import DispatchStart

TARGET = StoreTarget("head-0", 29500)


class Clock:
    """A clock that a test sets forward by hand."""

    def __init__(self, now: int = NOW + 4 * SECOND) -> None:
        self.now = now

    def __call__(self) -> int:
        return self.now


class Running:
    """One running application."""

    def __init__(self, app: XpudbgApp, engine: ScriptedEngine, clock: Clock) -> None:
        self.app = app
        self.engine = engine
        self.clock = clock
        self.pilot: Pilot[int]
        self._tick = app._tick
        app._tick = lambda: None  # type: ignore[method-assign]  # by `Running.tick`: nothing depends on how long it took

    async def until(self, condition: Callable[[], object], what: str = "") -> None:
        """Let the application run until a condition holds."""
        for _ in range(1500):
            if condition():
                return
            await self.pilot.pause(0.01)
        raise AssertionError(f"never came about: {what or condition}")

    async def settled(self) -> None:
        """All that the engine said is applied and painted."""
        await self.until(
            lambda: self.engine.events.empty() and self.app.attachment.is_told, "the queue of events is empty"
        )
        await self.pilot.pause()

    def tick(self) -> None:
        """What the application does once a second by its own clock."""
        self._tick()

    async def say(self, events: Iterable[Event]) -> None:
        self.engine.say(events)
        await self.settled()

    async def press(self, *keys: str) -> None:
        await self.pilot.press(*keys)
        await self.pilot.pause()

    def lines(self) -> list[str]:
        """The screen as text, line by line."""
        strips = self.app.screen._compositor.render_strips()
        return ["".join(segment.text for segment in strip) for strip in strips]

    def text(self) -> str:
        return "\n".join(self.lines())


def made(
    script: Iterable[Event],
    folder: Path,
    *,
    target: Target | None = TARGET,
    refresh_s: float | None = None,
    env: dict[str, str] | None = None,
    dispatch: DispatchStart | None = None,
) -> Running:
    """An application that is not running yet."""
    engine, clock = ScriptedEngine(script), Clock()
    app = XpudbgApp(
        engine,  # type: ignore[arg-type]
        target,
        AttachOptions(),
        refresh_s,
        env or {},
        recent=RecentTargets(folder / "recent.json"),
        clock=clock,
        dispatch=dispatch,
    )
    return Running(app, engine, clock)


@asynccontextmanager
async def running(
    script: Iterable[Event],
    folder: Path,
    *,
    size: tuple[int, int] = (80, 24),
    target: Target | None = TARGET,
    refresh_s: float | None = None,
    env: dict[str, str] | None = None,
) -> AsyncIterator[Running]:
    """An application that has shown what the script says."""
    run = made(script, folder, target=target, refresh_s=refresh_s, env=env)
    async with run.app.run_test(size=size, notifications=True) as pilot:
        run.pilot = pilot
        await run.settled()
        yield run
