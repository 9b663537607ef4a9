"""The scenes of the pictures: what the demo plays, the keys that lead there, and what can be read on each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from xpudbg.tui.app import XpudbgApp

__all__ = ["SCENES", "SIZES", "THEMED", "Picture", "Scene", "pictures"]

SIZES = ((120, 36), (80, 24))
"""Columns and rows; the first has no suffix in the file name."""
THEMED = ("light", "contrast", "safe")
"""Our themes beside the dark one, each screen once; a folder each."""


@dataclass(frozen=True)
class Scene:
    """One thing to be shown."""

    name: str
    scenario: str | None
    says: tuple[str, ...]
    """What can be read on it in the first size."""
    ranks: int = 64
    keys: tuple[str, ...] = ()
    sizes: tuple[tuple[int, int], ...] = SIZES
    looks: int = 2
    """Looks that have ended when it is taken; the second comes by itself."""
    settled: Callable[[XpudbgApp], bool] | None = None
    """What holds when the keys have done their work."""
    then: tuple[str, ...] = ()
    """Keys after that."""
    themed: bool = False
    """Whether it stands for its screen in every theme."""


@dataclass(frozen=True)
class Picture:
    """One picture of a scene."""

    name: str
    """Of its files, without suffix."""
    size: tuple[int, int]
    theme: str
    says: tuple[str, ...]


def pictures(scene: Scene) -> Iterator[Picture]:
    """All pictures of a scene: the dark theme in its sizes, the other themes in the first."""
    for number, size in enumerate(scene.sizes):
        name = scene.name if number == 0 else f"{scene.name}-{size[0]}x{size[1]}"
        yield Picture(name, size, "xpudbg-dark", scene.says if number == 0 else scene.says[:1])
        if number == 0 and scene.themed:
            for theme in THEMED:
                yield Picture(f"{theme}/{scene.name}", size, f"xpudbg-{theme}", scene.says)


def profiled(app: XpudbgApp) -> bool:
    """Whether a capture is over and read."""
    profiles = app.attachment.profiles
    shown = profiles.shown
    return shown is not None and profiles.capturing is None and len(profiles.read_ranks()) == 4


def ran(app: XpudbgApp) -> bool:
    """Whether each case of the console has run."""
    console = app.attachment.console
    return len(console.cases) == 3 and all(console.latest(case) for case in console.cases) and not console.under_way


def examined(app: XpudbgApp) -> bool:
    """Whether the doctor has asked what it asks."""
    return "py-spy" in str(app.export_screenshot())


FOUR = ("2", "g", "space", "down", "space", "down", "space", "down", "space")
"""Keys that mark four ranks."""

SCENES = (
    Scene("start", None, ("node-a01:29500", "demo"), themed=True),
    Scene("overview", "mixed", ("stopped", "dead", "64 ranks"), themed=True),
    Scene("overview-healthy", "healthy", ("8 ranks",), ranks=8),
    Scene("overview-4096", "mixed", ("4,096 ranks",), ranks=4096, sizes=((120, 36), (250, 70))),
    Scene("ranks", "mixed", ("class", "127.0.0.1", "* marked"), keys=("2", "space"), themed=True),
    Scene("ranks-filtered", "mixed", ("stopped", "of 64"), keys=("2", "slash", *"state:stopped", "enter")),
    Scene("stacks", "gil-held", ("63", "train.py"), keys=("3",), themed=True),
    Scene("stacks-text", "gil-held", ("Thread", "train.py"), keys=("3", "v", "v")),
    Scene("stacks-filtered", "mixed", ("loader",), keys=("3", "slash", *"loader", "enter", "n")),
    Scene("overview-hang", "not-joined", ("has not joined", "64 ranks")),
    Scene("recorder", "not-joined", ("not_joined", "calls", "groups"), keys=("4",), themed=True),
    Scene("recorder-calls", "not-joined", ("gloo:all_reduce",), keys=("4", "enter", "enter")),
    Scene("recorder-timeline", "not-joined", ("timeline",), keys=("4", "v")),
    Scene("counters", "not-joined", ("waiting now",), keys=("5",), themed=True),
    Scene(
        "profiler",
        "healthy",
        ("aten::",),
        ranks=8,
        keys=(*FOUR, "6", "c", "enter"),
        settled=profiled,
        then=("tab",),
        themed=True,
    ),
    Scene("store", "healthy", ("debug_server",), ranks=8, keys=("7",), themed=True),
    Scene("dispatch", "healthy", ("aten",), ranks=8, keys=("8",), settled=ran, then=("g", "n"), themed=True),
    Scene(
        "doctor",
        "healthy",
        ("py-spy",),
        ranks=8,
        keys=("colon", *"doctor: check", "enter"),
        settled=examined,
        themed=True,
    ),
    Scene("help", "mixed", ("Keys",), keys=("2", "question_mark"), themed=True),
    Scene("palette", "mixed", ("Search",), keys=("colon",)),
)
