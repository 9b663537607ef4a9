"""The arrays of a case by their places, and a case with some of them replaced."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ..dispatch.inputs import Generated
from ..run_history.blobs import blob_of
from ..run_history.case_text import case_to_json
from ..run_history.errors import NotKeptError

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy as np

    from ..dispatch.case import Leaf, OpCase, Slot

__all__ = ["Place", "case_key", "case_size", "elements", "leaf_at", "places", "shape_of", "with_leaves"]


@dataclass(frozen=True, slots=True, order=True)
class Place:
    """One array of a case."""

    slot: int
    leaf: int

    def name(self, case: OpCase) -> str:
        slot = case.inputs[self.slot]
        return f"{slot.name}[{self.leaf}]" if isinstance(slot.value, tuple) else slot.name


def places(case: OpCase) -> list[Place]:
    """All arrays in order."""
    return [Place(at, leaf) for at, slot in enumerate(case.inputs) for leaf in range(len(slot.leaves))]


def leaf_at(case: OpCase, place: Place) -> Leaf:
    """The array of a case at a place."""
    return case.inputs[place.slot].leaves[place.leaf]


def shape_of(case: OpCase, place: Place) -> tuple[int, ...]:
    """Logical shape: of complex32 without the axis of real and imaginary part."""
    leaf = leaf_at(case, place)
    if not isinstance(leaf, Generated) and case.inputs[place.slot].logical_dtype == "complex32":
        return leaf.shape[:-1]
    return leaf.shape


def with_leaves(case: OpCase, changes: Mapping[Place, Leaf]) -> OpCase:
    """The case with other arrays at some places."""
    slots: list[Slot] = list(case.inputs)
    for place, leaf in changes.items():
        slot = slots[place.slot]
        if isinstance(slot.value, tuple):
            values = (*slot.value[: place.leaf], leaf, *slot.value[place.leaf + 1 :])
            slots[place.slot] = replace(slot, value=values)
        else:
            slots[place.slot] = replace(slot, value=leaf)
    return replace(case, inputs=tuple(slots))


def elements(case: OpCase) -> int:
    """Elements of all arrays."""
    return sum(math.prod(shape_of(case, place)) for place in places(case))


def case_size(case: OpCase) -> str:
    """How large a case is, for people."""
    shapes = ", ".join(f"{place.name(case)}[{','.join(map(str, shape_of(case, place)))}]" for place in places(case))
    attrs = f"{len(case.attrs)} attributes" if len(case.attrs) != 1 else "1 attribute"
    return f"{elements(case):,} elements ({shapes or 'no arrays'}), {attrs}"


def case_key(case: OpCase) -> str:
    """Equal for equal cases, whatever their arrays' addresses."""

    def keep(_name: str, array: np.ndarray) -> str:
        try:
            return blob_of(array).hash
        except NotKeptError:
            return f"object {id(array)}"

    return json.dumps(case_to_json(case, keep), sort_keys=True)
