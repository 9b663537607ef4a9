"""Take the pictures of this folder: the real program, run headless, on the real demo job.

Writes `<scene>.svg` and `<scene>.png` for 120x36, `<scene>-80x24.*` for a small terminal, `<theme>/<scene>.*` for the
other themes. Names of scenes as arguments take only those.
"""

from __future__ import annotations

import asyncio
import os
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from xpudbg.services.attach_options import AttachOptions
from xpudbg.services.engine import Engine
from xpudbg.services.settings.recent import RecentTargets
from xpudbg.services.targets import DemoTarget, StoreTarget
from xpudbg.tui.app import XpudbgApp

from .drawing import missing_fonts, png_of
from .scenes import SCENES, pictures

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from textual.pilot import Pilot

    from .scenes import Scene

FOLDER = Path(__file__).parent
PATIENCE_S = 180
TWO_HOURS = 7200 * 10**9


async def until(pilot: Pilot[int], condition: Callable[[], object], what: str) -> None:
    """Let the program run until `condition` holds.

    Raises:
        TimeoutError: it did not within PATIENCE_S.
    """
    try:
        async with asyncio.timeout(PATIENCE_S):
            while not condition():
                await pilot.pause(0.05)
    except TimeoutError:
        raise TimeoutError(f"{what} did not come within {PATIENCE_S} s") from None
    await pilot.pause()


async def lead_to(scene: Scene, app: XpudbgApp, pilot: Pilot[int]) -> None:
    """Press the keys of a scene once the job has been looked at."""
    if scene.scenario is not None:
        await until(pilot, lambda: len(app.session.looks) >= scene.looks, "the end of the looks")
    for key in scene.keys:
        await pilot.press(key)
    if scene.settled is not None:
        settled = scene.settled
        await until(pilot, lambda: settled(app), "what the keys lead to")
    for key in scene.then:
        await pilot.press(key)


async def take(scene: Scene, state: Path) -> dict[str, str]:
    """The pictures of a scene as SVG, by the names of their files."""
    recent = RecentTargets(state / "recent.json")
    target = None
    if scene.scenario is None:
        recent.add(StoreTarget("node-a01", 29500), time.time_ns() - TWO_HOURS)
    else:
        target = DemoTarget(scene.ranks, scene.scenario)
    taken: dict[str, str] = {}
    with Engine() as engine:
        app = XpudbgApp(engine, target, AttachOptions(), env={}, recent=recent)
        async with app.run_test(size=scene.sizes[0]) as pilot:
            await lead_to(scene, app, pilot)
            for picture in pictures(scene):
                if (app.size.width, app.size.height) != picture.size:
                    await pilot.resize_terminal(*picture.size)
                app.theme = picture.theme
                await pilot.pause(0.5)
                taken[picture.name] = app.export_screenshot(title=f"xpudbg: {scene.name}")
    return taken


def write(name: str, svg: str) -> None:
    """Both files of a picture."""
    path = FOLDER / f"{name}.svg"
    path.parent.mkdir(exist_ok=True)
    path.write_text(svg, encoding="utf-8")
    path.with_suffix(".png").write_bytes(png_of(svg))


def taken(names: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Name and SVG of each picture; all scenes where none is named."""
    with tempfile.TemporaryDirectory() as state:
        os.environ["XPUDBG_HISTORY"] = f"{state}/history"
        os.environ["XPUDBG_PROFILES"] = f"{state}/profiles"
        os.environ["XDG_STATE_HOME"] = os.environ["XDG_CONFIG_HOME"] = state
        for scene in SCENES:
            if not names or scene.name in names:
                yield from asyncio.run(take(scene, Path(state))).items()


def main(names: Sequence[str]) -> int:
    unknown = set(names) - {scene.name for scene in SCENES}
    if unknown:
        print(f"no scene is called {', '.join(sorted(unknown))}; there are: {', '.join(s.name for s in SCENES)}")
        return 2
    missing = missing_fonts()
    if missing:
        print(f"fonts that are missing, so that the PNGs may have gaps: {', '.join(missing)}")
    for name, svg in taken(names):
        write(name, svg)
        print(f"{name}.svg, {name}.png")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
