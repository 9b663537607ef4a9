"""The animated picture of the README: from a job that hangs to the line that holds it up, in some twenty seconds.

The real program, run headless on the real demo job; each step is a frame of `tour.gif`, its keys in the title.
"""

from __future__ import annotations

import asyncio
import os
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from PIL import Image

from xpudbg.services.attach_options import AttachOptions
from xpudbg.services.engine import Engine
from xpudbg.services.settings.recent import RecentTargets
from xpudbg.services.targets import DemoTarget
from xpudbg.tui.app import XpudbgApp

from .drawing import image_of
from .make import FOLDER, until

SIZE = (110, 32)
"""Columns and rows."""
WIDTH = 1_000
"""Pixels."""
COLOURS = 96


@dataclass(frozen=True)
class Step:
    """Keys, and how long what they lead to is shown."""

    title: str
    keys: tuple[str, ...]
    seconds: float


STEPS = (
    Step("xpudbg HOST:PORT - who holds up whom, where, how sure", (), 4.5),
    Step("f - the finding in full: evidence, what to do, what would refute it", ("f",), 4.0),
    Step("4 - the flight recorders of all ranks, matched", ("escape", "4"), 3.0),
    Step("enter - the collective that was not joined", ("enter",), 3.0),
    Step("v - the group along time", ("v",), 3.0),
    Step("3 - all stacks merged: one rank is somewhere else", ("3",), 4.0),
    Step("5 - wait counters", ("5",), 2.5),
    Step("1 - back; Y copies the report for the ticket, B keeps a bundle", ("1",), 3.5),
)


async def frames(state: Path) -> list[str]:
    """The SVG after each step."""
    shown = []
    with Engine() as engine:
        recent = RecentTargets(state / "recent.json")
        app = XpudbgApp(engine, DemoTarget(64, "not-joined"), AttachOptions(), env={}, recent=recent)
        async with app.run_test(size=SIZE) as pilot:
            await until(pilot, lambda: len(app.session.looks) >= 2, "the second look")
            for step in STEPS:
                for key in step.keys:
                    await pilot.press(key)
                await pilot.pause(0.5)
                shown.append(app.export_screenshot(title=step.title))
    return shown


def animated(shown: list[str], file: Path) -> None:
    """Write the frames as a GIF that goes round."""
    images = [image_of(svg) for svg in shown]
    height = round(images[0].height * WIDTH / images[0].width)
    small = [
        Image.alpha_composite(Image.new("RGBA", image.size, "white"), image)
        .convert("RGB")
        .resize((WIDTH, height), Image.Resampling.LANCZOS)
        .quantize(COLOURS, method=Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE)
        for image in images
    ]
    milliseconds = [round(step.seconds * 1000) for step in STEPS]
    small[0].save(file, save_all=True, append_images=small[1:], duration=milliseconds, loop=0, optimize=True)


def main() -> int:
    with tempfile.TemporaryDirectory() as state:
        os.environ["XPUDBG_HISTORY"] = f"{state}/history"
        os.environ["XDG_STATE_HOME"] = os.environ["XDG_CONFIG_HOME"] = state
        animated(asyncio.run(frames(Path(state))), FOLDER / "tour.gif")
    print("tour.gif")
    return 0


if __name__ == "__main__":
    sys.exit(main())
