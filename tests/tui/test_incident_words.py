"""What is said of bundles and of the watch."""

from __future__ import annotations

from pathlib import Path

import pytest

from xpudbg.services.bundle.events import BundleFailed, BundleProgress, BundleWritten
from xpudbg.services.bundle.shown import BundlesShown
from xpudbg.tui.incident_words import bundle_part, end_said

KEPT = Path("in/x.xpudbg")


@pytest.mark.parametrize(
    ("end", "expected"),
    [
        (BundleWritten(KEPT, 2048, 1, 9), "wrote in/x.xpudbg, 1 look, 2 KiB; open it with: xpudbg in/x.xpudbg"),
        (BundleWritten(KEPT, 2048, 2, 9, why="dead"), "wrote in/x.xpudbg, 2 looks, 2 KiB"),
        (
            BundleWritten(KEPT, 10, 2, 9, ("a", "b", "c", "d", "e"), "dead"),
            "wrote in/x.xpudbg, 2 looks, 10 B; left out: a, b, c and 2 more",
        ),
        (BundleFailed(KEPT, "in/x.xpudbg: full"), "no bundle: in/x.xpudbg: full"),
        (BundleFailed(Path("in"), "in: full", "dead"), "no file of the incident (dead): in: full"),
    ],
    ids=["asked", "watch", "left-out", "failed", "watch-failed"],
)
def test_how_writing_ended(end: BundleWritten | BundleFailed, expected: str) -> None:
    assert end_said(end) == (expected, isinstance(end, BundleFailed))


def test_how_far_writing_is() -> None:
    shown = BundlesShown()
    assert bundle_part(shown) is None
    said = []
    for _ in range(2):
        shown.ordered(KEPT)
        part = bundle_part(shown)
        said.append(part.plain if part is not None else "")
    for done, total in ((0, 0), (2, 3), (3, 3)):
        shown.apply(BundleProgress(KEPT, done, total))
        part = bundle_part(shown)
        said.append(part.plain if part is not None else "")
    assert said == ["bundle", "bundle, 1 more", "bundle 0 %, 1 more", "bundle 66 %, 1 more", "bundle 100 %, 1 more"]
