"""One line of the stack tree: what is called, where, and which ranks are there. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rich.text import Text

from ..wording import count
from .text import cell_len, fit, plain

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.style import Style

    from ...services.ranksets import RankSet

__all__ = ["LabelStyles", "branch_label"]

NAME_LIMIT = 120
"""Characters of one function name that are ever looked at here; the whole name stands in the stack and in copies."""


@dataclass(frozen=True, slots=True)
class LabelStyles:
    """How the parts are painted; the cursor's line has one style for all."""

    usual: Style
    muted: Style
    match: Style
    ranks: Style


def branch_label(
    names: Sequence[str],
    place: str,
    ranks: RankSet,
    hosts: int,
    width: int,
    styles: LabelStyles,
    *,
    threads: int = 0,
    matching: bool = False,
) -> Text:
    """The line, exactly `width` terminal cells wide.

    Args:
        names: the functions of a chain of frames, outermost first; one function for a single frame.
        place: file and line of the last of them.
        ranks: the ranks that are there.
        hosts: the number of their hosts.
        threads: how many threads they are, 0 when that is not told.
        matching: whether a frame of the chain is what is searched for.
    """
    shown, at = [plain(name, NAME_LIMIT) for name in names], plain(place, NAME_LIMIT)
    rights = _ranks(ranks, hosts, threads)
    least = cell_len(_chains(shown)[-1]) + (cell_len(at) + 2 if at else 0)
    right = next((one for one in rights if least + 2 + cell_len(one) <= width), rights[-1])
    left = _frames(shown, at, width - cell_len(right) - 2)
    label = Text(no_wrap=True, end="")
    label.append(left[0], styles.match if matching else styles.usual)
    label.append(left[1], styles.muted)
    label.append(" " * max(width - label.cell_len - cell_len(right), 0), styles.usual)
    label.append(right, styles.ranks)
    return label


def _ranks(ranks: RankSet, hosts: int, threads: int) -> list[str]:
    """The right part, the widest first."""
    number = count(len(ranks), "rank")
    if threads > len(ranks):
        number = f"{count(threads, 'thread')} of {number}"
    named = str(ranks)
    return [
        f"{_cut(named, 20)}  {number}  {count(hosts, 'host')}",
        f"{_cut(named, 12)}  {number}  {count(hosts, 'host')}",
        f"{_cut(named, 12)}  {number}",
    ]


def _cut(text: str, width: int) -> str:
    return fit(text, min(len(text), width))


def _chains(names: list[str]) -> list[str]:
    """The names, the longest way of writing them first. The last one stays longest: it is where the ranks are."""
    said = [" > ".join(names)]
    if len(names) > 2:
        said.append(f"{names[0]} > … > {names[-1]}")
    if len(names) > 1:
        said.append(f"… > {names[-1]}")
    return said


def _frames(names: list[str], place: str, width: int) -> tuple[str, str]:
    """Names and the rest of the left part."""
    folded = f"  ({len(names):,} frames)" if len(names) > 1 else ""
    rests = [f"  {place}{folded}", f"  {place}", folded] if place else [folded]
    said = _chains(names)
    for rest in rests:
        for chain in said:
            if cell_len(chain) + cell_len(rest) <= width:
                return chain, rest
    return fit(said[-1], min(max(width, 1), cell_len(said[-1]))), ""
