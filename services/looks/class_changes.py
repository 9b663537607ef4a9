"""What changed between two looks: which ranks went from one class to another."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..ranksets import RankSet

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..snapshot import RankClass, RankState

__all__ = ["Change", "class_changes"]


@dataclass(frozen=True, slots=True)
class Change:
    """Ranks that went the same way."""

    before: RankClass | None
    """None for ranks that the earlier look did not know."""
    after: RankClass
    ranks: RankSet


def class_changes(before: Mapping[int, RankState], after: Mapping[int, RankState]) -> tuple[Change, ...]:
    """Changes from one rank table to a later one, the fewest ranks first: few ranks changing is what stands out."""
    found: dict[tuple[RankClass | None, RankClass], list[int]] = {}
    for rank, state in after.items():
        earlier = before.get(rank)
        was = earlier.rank_class if earlier is not None else None
        if was is not state.rank_class:
            found.setdefault((was, state.rank_class), []).append(rank)
    changes = [Change(was, became, RankSet(ranks)) for (was, became), ranks in found.items()]
    return tuple(sorted(changes, key=lambda change: (len(change.ranks), change.ranks.first)))
