"""All ranks as a picture: a cell a rank, in rows of equal length; equal neighbours are one shape."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from ...ranksets import RankSet
from ...snapshot import RankClass
from .elements import Element, el

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ...snapshot import RankState

__all__ = ["MOST_RANKS", "SIGNS", "class_map", "tone_of"]

MOST_RANKS = 16_384
"""Ranks that are drawn."""
_SIGNED = 4_096
"""Cells that get a letter or a frame of their own; more would be no picture any more."""
_CELL = 14
_LEFT = 44
"""Room for the number of the first rank of a row."""

_TONES: dict[RankClass, str] = {
    RankClass.DEAD: "bad",
    RankClass.STOPPED: "bad",
    RankClass.GIL_HELD: "warn",
    RankClass.SERVER_ERROR: "warn",
    RankClass.FOREIGN_PORT: "warn",
    RankClass.UNREACHABLE: "info",
    RankClass.NAME_UNKNOWN: "info",
    RankClass.NOT_REGISTERED: "info",
    RankClass.UNKNOWN: "",
    RankClass.ALIVE: "good",
}
SIGNS: dict[RankClass, str] = {
    RankClass.DEAD: "X",
    RankClass.STOPPED: "S",
    RankClass.GIL_HELD: "G",
    RankClass.SERVER_ERROR: "E",
    RankClass.FOREIGN_PORT: "F",
    RankClass.UNREACHABLE: "U",
    RankClass.NAME_UNKNOWN: "N",
    RankClass.NOT_REGISTERED: "-",
    RankClass.UNKNOWN: ".",
    RankClass.ALIVE: "o",
}
"""The letters that the screens have too. Well and unknown ranks carry none in the picture."""
_QUIET = (RankClass.ALIVE, RankClass.UNKNOWN)


def tone_of(rank_class: RankClass) -> str:
    """The class of style in which ranks of a class stand."""
    return _TONES[rank_class]


def class_map(ranks: Mapping[int, RankState], accused: RankSet, said: str) -> Element:
    """The picture.

    Args:
        ranks: at most `MOST_RANKS` of them, ascending.
        accused: ranks that findings accuse: these get a frame.
        said: the same in words, for who can't see it.
    """
    order = list(ranks)
    width = 64 if len(order) > 256 else 32
    rows = -(-len(order) // width)
    picture = el(
        "svg",
        "map",
        viewBox=f"0 0 {_LEFT + width * _CELL + 2} {rows * _CELL + 2}",
        role="img",
        aria_label=said,
        style=f"max-width:{_LEFT + width * _CELL + 2}px",
    )
    signed = 0
    for row in range(rows):
        line = order[row * width : (row + 1) * width]
        top = row * _CELL + 1
        picture.append(el("text", "edge", str(line[0]), x=str(_LEFT - 6), y=str(top + 10)))
        column = 0
        for rank_class, same in groupby(line, key=lambda rank: ranks[rank].rank_class):
            run = list(same)
            left = _LEFT + column * _CELL
            told = f"{'rank' if len(run) == 1 else 'ranks'} {RankSet(run)}: {rank_class.value}"
            shape = _box(left, top, len(run) * _CELL - 2, tone_of(rank_class))
            shape.append(el("title", "", told))
            picture.append(shape)
            if rank_class not in _QUIET and signed < _SIGNED:
                signed += len(run)
                for place in range(len(run)):
                    middle = left + place * _CELL + _CELL // 2 - 1
                    picture.append(el("text", "sign", SIGNS[rank_class], x=str(middle), y=str(top + 9)))
            column += len(run)
        for column, rank in enumerate(line):
            if rank in accused and signed < _SIGNED:
                signed += 1
                left = _LEFT + column * _CELL
                shape = _box(left, top, _CELL - 2, "accused")
                shape.append(el("title", "", f"rank {rank}: accused, {ranks[rank].rank_class.value}"))
                picture.append(shape)
                if ranks[rank].rank_class in _QUIET:
                    picture.append(el("text", "sign", "!", x=str(left + _CELL // 2 - 1), y=str(top + 9)))
    return picture


def _box(left: int, top: int, width: int, css: str) -> Element:
    return el("rect", css, x=str(left), y=str(top), width=str(width), height=str(_CELL - 2), rx="2")
