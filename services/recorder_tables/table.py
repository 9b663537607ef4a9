"""What a table to browse is: fields, cells made when they are read, sort keys and filter masks over whole columns."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from ..ranksets import RankSet
    from .row_filter import RowFilter

__all__ = ["BrowseTable", "CellValue", "Detail", "Field", "Sign"]


class Sign(StrEnum):
    """Why a cell stands out. The screen gives each a colour; the text of the cell says it too."""

    NONE = ""
    MISSING = "missing"
    """Ranks that have not come to a call."""
    WAITING = "waiting"
    """A rank that waits in a call that others have not come to."""
    MISMATCH = "mismatch"
    """Ranks that say something else than the others, or a call in which they do."""
    OPEN = "open"
    """A call that is not over."""
    FAINT = "faint"
    """Of no weight: nothing recorded, not known."""


class Field(NamedTuple):
    """One column."""

    key: str
    title: str
    """Torch's name of the column where torch has it."""
    numeric: bool = False
    """Painted to the right."""
    min_width: int = 0
    max_width: int = 40
    """Terminal cells."""


class CellValue(NamedTuple):
    """What a cell says, and the sign it carries."""

    text: str
    sign: Sign = Sign.NONE


@dataclass(frozen=True, slots=True)
class Detail:
    """One fact about a row, for the pane beside the table; not cut to the width of a cell."""

    label: str
    text: str
    sign: Sign = Sign.NONE


class BrowseTable(Protocol):
    """Rows by index from 0. Reading a cell costs the same however many rows there are."""

    @property
    def name(self) -> str:
        """Torch's name of the table where torch has it."""
        ...

    @property
    def lacking_sign(self) -> Sign:
        """What stands before a row of a call that ranks have not come to; `WAITING` only where the call is not over."""
        ...

    @property
    def fields(self) -> tuple[Field, ...]: ...

    def __len__(self) -> int: ...

    def cell(self, row: int, field: int) -> CellValue:
        """Text as recorded: hostile; who paints it makes it plain."""
        ...

    def keys(self, field: int) -> NDArray[np.generic]:
        """One sortable number for each row (shape `(len(self),)`), in the order in which the column sorts.

        NaN, and the lowest number of a signed whole type, stand for unknown (see `order`).
        """
        ...

    def mask(self, chosen: RowFilter) -> NDArray[np.bool_]:
        """Which rows a filter leaves, shape `(len(self),)`."""
        ...

    def ranks(self, row: int) -> RankSet:
        """The ranks that a row is about."""
        ...

    def details(self, row: int) -> Sequence[Detail]:
        """Everything known about a row: times absolute and as offsets, exact sizes, dtypes. Stacks: `CallRows.frames`.

        An empty label goes on with the fact before. Each fact is one line; what is hostile in it stays as recorded.
        """
        ...
