"""How a target is attached to: which ranks, how they are reached, how long they may take."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from .addressing.addresses import AddressMap
from .cluster.lanes import FAST_SLOTS
from .looks.bounds import USUAL_BOUNDS, LookBounds

if TYPE_CHECKING:
    from pathlib import Path

    from .ranksets import RankSet

__all__ = ["AttachOptions"]


@dataclass(frozen=True, slots=True)
class AttachOptions:
    """What a person chose for one attachment; the defaults hold where nothing was."""

    world_size: int | None = None
    """Number of ranks, where it is known; the job's own number when None."""
    ranks: RankSet | None = None
    """Look at these only; at all when None."""
    address_map: AddressMap = field(default_factory=AddressMap)
    """Where hosts are from here (--map)."""
    timeout_s: float = 3.0
    """Seconds a small request may take: a ping, one exchange with the store."""
    proxy: str | None = None
    """URL of the HTTP proxy towards the ranks; none is used, whatever the environment says, unless given."""
    ca_file: Path | None = None
    """PEM certificates that are trusted in place of the system's."""
    recursive: bool = False
    """Files: sub-folders of a folder count even when it has dumps itself."""
    executor: str = ""
    """Files: scheduler of a Dask cluster that reads them where they lie, `tcp://host:8786`; empty: read here."""
    insecure: bool = False
    """Accept any TLS certificate."""
    parallel: int = FAST_SLOTS
    """Requests on their way to ranks at one time, those that are not answered at once beside them."""
    largest_answer: int | None = None
    """Bytes at which an answer of a rank is given up, where its own cap is not lower; only that one holds when
    None."""
    bounds: LookBounds = USUAL_BOUNDS
    """How much the closed looks may take."""
    name: str = ""
    """What the settings call the target; empty for one that has no name, or was not given by it."""
    typed: frozenset[str] | None = field(default=None, compare=False)
    """Fields that a person gave on the command line; None: those that are not at their default count as given."""
