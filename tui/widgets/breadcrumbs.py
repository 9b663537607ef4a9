"""Where one is: the job, the screen, what was gone into there. As much as there is room for. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.content import Content

from .painted import styled

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["breadcrumbs"]

LEAST_JOB = 8
"""Terminal cells that the job's name keeps, or it goes."""
SIGN = " › "


def breadcrumbs(
    job: str,
    size: str,
    steps: Sequence[str],
    room: int,
    *,
    badge: Content | None = None,
    rank: int | None = None,
) -> Content:
    """The left part of the top line, at most `room` terminal cells wide.

    Where there is too little room the rank goes first, then the program's name, the size, the steps between, the end of
    the job's name; the name of the screen is cut last.

    Args:
        job: the target's name.
        size: how many ranks; empty when the name says it.
        steps: the screen, then what was gone into on it, outermost first; none where there is no such line.
        badge: what has to stand beside the name.
        rank: the selected rank.
    """
    brand = Content.styled("xpudbg", "bold $primary")
    place = [styled(step, "bold $primary" if at == 0 else "bold") for at, step in enumerate(steps)]
    named = [styled(job), *([badge] if badge is not None else [])]
    after = [Content.styled(f"  {said}", "$foreground-muted") for said in (size, _rank(rank)) if said]
    short = place if len(place) < 4 else [place[0], Content("…"), place[-1]]
    for head, way, said in (
        ([brand, *named], place, after),
        ([brand, *named], place, after[:1] if size else []),
        (named if place else [brand, *named], place, after[:1] if size else []),
        (named if place else [brand, *named], place, []),
        (named if place else [brand, *named], short, []),
    ):
        line = Content("").join([_joined([Content("  ").join(head), *way]), *said])
        if line.cell_length <= room:
            return line
    if not place:
        return Content("  ").join([brand, *named]).truncate(max(room, 0), ellipsis=True)
    way_only = _joined([*([badge] if badge is not None else []), *short])
    left = room - way_only.cell_length - len(SIGN)
    if left < LEAST_JOB:
        return way_only.truncate(max(room, 0), ellipsis=True)
    return _joined([named[0].truncate(left, ellipsis=True), way_only])


def _joined(parts: Sequence[Content]) -> Content:
    """A sign of its own each time: `Content.join` counts one that has been measured twice."""
    return Content.styled(SIGN, "$foreground-muted").join(parts)


def _rank(rank: int | None) -> str:
    return f"rank {rank}" if rank is not None else ""
