"""Take the pictures of this folder: the real program, run headless, on the real demo job.

Writes `<scene>.svg` and `<scene>.png` for 120x36, `<scene>-80x24.*` for a small terminal. Names of scenes as
arguments take only those.
"""

from __future__ import annotations

import asyncio
import os
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import resvg_py

from xpudbg.services.attach_options import AttachOptions
from xpudbg.services.engine import Engine
from xpudbg.services.recent import RecentTargets
from xpudbg.services.targets import DemoTarget, StoreTarget
from xpudbg.tui.app import XpudbgApp

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from textual.pilot import Pilot

FOLDER = Path(__file__).parent
SIZES = ((120, 36), (80, 24))
"""Columns and rows; the first has no suffix in the file name."""
PATIENCE_S = 180
TWO_HOURS = 7200 * 10**9

FONTS = {"Fira Code": "FiraCode*", "Noto Mono": "NotoMono*", "Symbola": "Symbola*"}
"""Fonts that have the glyphs of the screens, and the names of their files."""
FONT_FOLDERS = ("/usr/share/fonts", "/usr/local/share/fonts", "~/.local/share/fonts", "~/.fonts", "/Library/Fonts")


@dataclass(frozen=True)
class Scene:
    """One picture: what the demo plays, and the keys that lead to what is shown."""

    name: str
    scenario: str | None
    ranks: int = 64
    keys: tuple[str, ...] = ()
    sizes: tuple[tuple[int, int], ...] = SIZES
    looks: int = 2
    """Looks that have ended when it is taken; the second comes by itself."""
    settled: Callable[[XpudbgApp], bool] | None = None
    """What holds when the keys have done their work."""
    then: tuple[str, ...] = ()
    """Keys after that."""


def profiled(app: XpudbgApp) -> bool:
    """Whether a capture is over and read."""
    profiles = app.attachment.profiles
    shown = profiles.shown
    return shown is not None and profiles.capturing is None and len(profiles.read_ranks()) == 4


def ran(app: XpudbgApp) -> bool:
    """Whether each case of the console has run."""
    console = app.attachment.console
    return len(console.cases) == 3 and all(console.latest(case) for case in console.cases) and not console.under_way


FOUR = ("2", "g", "space", "down", "space", "down", "space", "down", "space")
"""Keys that mark four ranks."""

SCENES = (
    Scene("start", None),
    Scene("overview", "mixed"),
    Scene("overview-healthy", "healthy", ranks=8),
    Scene("overview-4096", "mixed", ranks=4096, sizes=((120, 36), (250, 70))),
    Scene("ranks", "mixed", keys=("2", "space")),
    Scene("ranks-filtered", "mixed", keys=("2", "slash", *"class:stopped", "enter")),
    Scene("stacks", "gil-held", ranks=64, keys=("3",)),
    Scene("stacks-text", "gil-held", ranks=64, keys=("3", "v", "v")),
    Scene("stacks-filtered", "mixed", keys=("3", "slash", *"loader", "enter", "n")),
    Scene("overview-hang", "not-joined"),
    Scene("recorder", "not-joined", keys=("4",)),
    Scene("recorder-calls", "not-joined", keys=("4", "enter", "enter")),
    Scene("recorder-timeline", "not-joined", keys=("4", "v")),
    Scene("counters", "not-joined", keys=("5",)),
    Scene("profiler", "healthy", ranks=8, keys=(*FOUR, "6", "c", "enter"), settled=profiled, then=("tab",)),
    Scene("store", "healthy", ranks=8, keys=("7",)),
    Scene("dispatch", "healthy", ranks=8, keys=("8",), settled=ran, then=("g", "n")),
    Scene("help", "mixed", keys=("2", "question_mark")),
    Scene("palette", "mixed", keys=("colon",)),
)


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


async def take(scene: Scene, size: tuple[int, int], state: Path) -> str:
    """The scene as SVG."""
    recent = RecentTargets(state / "recent.json")
    target = None
    if scene.scenario is None:
        recent.add(StoreTarget("node-a01", 29500), time.time_ns() - TWO_HOURS)
    else:
        target = DemoTarget(scene.ranks, scene.scenario)
    with Engine() as engine:
        app = XpudbgApp(engine, target, AttachOptions(), env={}, recent=recent)
        async with app.run_test(size=size) as pilot:
            if target is not None:
                await until(pilot, lambda: len(app.session.looks) >= scene.looks, "the end of the looks")
            for key in scene.keys:
                await pilot.press(key)
            if scene.settled is not None:
                settled = scene.settled
                await until(pilot, lambda: settled(app), "what the keys lead to")
            for key in scene.then:
                await pilot.press(key)
            await pilot.pause(0.5)
            return app.export_screenshot(title=f"xpudbg: {scene.name}")


def missing_fonts() -> list[str]:
    """Fonts without which the PNGs have gaps."""
    folders = [Path(name).expanduser() for name in FONT_FOLDERS]
    return [name for name, files in FONTS.items() if not any(any(folder.rglob(files)) for folder in folders)]


def write(name: str, svg: str) -> None:
    (FOLDER / f"{name}.svg").write_text(svg, encoding="utf-8")
    png = resvg_py.svg_to_bytes(svg_string=svg, font_family="Fira Code", monospace_family="Fira Code")
    (FOLDER / f"{name}.png").write_bytes(bytes(png))


def main(names: Sequence[str]) -> int:
    unknown = set(names) - {scene.name for scene in SCENES}
    if unknown:
        print(f"no scene is called {', '.join(sorted(unknown))}; there are: {', '.join(s.name for s in SCENES)}")
        return 2
    missing = missing_fonts()
    if missing:
        print(f"fonts that are missing, so that the PNGs may have gaps: {', '.join(missing)}")
    with tempfile.TemporaryDirectory() as state:
        os.environ["XPUDBG_HISTORY"] = f"{state}/history"
        os.environ["XPUDBG_PROFILES"] = f"{state}/profiles"
        for scene in SCENES:
            if names and scene.name not in names:
                continue
            for number, size in enumerate(scene.sizes):
                name = scene.name if number == 0 else f"{scene.name}-{size[0]}x{size[1]}"
                write(name, asyncio.run(take(scene, size, Path(state))))
                print(f"{name}.svg, {name}.png")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
