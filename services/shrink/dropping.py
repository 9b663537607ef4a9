"""Taking whole parts away: inputs, elements of lists, attributes."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ..dispatch.edits import remove

if TYPE_CHECKING:
    from .search import Shrinker

__all__ = ["drop_parts"]


async def drop_parts(search: Shrinker) -> None:
    """Inputs from the last to the first (absent, then None), then attributes, then parts of lists."""
    for name in [slot.name for slot in reversed(search.best.inputs)]:
        if await search.takes(remove(search.best, f"input.{name}"), f"without input {name}"):
            continue
        slots = search.best.inputs
        if any(slot.name == name and slot.value is not None for slot in slots):
            nothing = tuple(
                replace(slot, value=None, logical_dtype=None) if slot.name == name else slot for slot in slots
            )
            await search.takes(replace(search.best, inputs=nothing), f"input {name} is None")
    for name in list(search.best.attrs):
        await search.takes(remove(search.best, f"attr.{name}"), f"without attribute {name}")
    for at in range(len(search.best.inputs)):
        await _shorten_list(search, at)


async def _shorten_list(search: Shrinker, at: int) -> None:
    value = search.best.inputs[at].value
    if not isinstance(value, tuple):
        return
    part = len(value)
    while part >= 1:
        start = 0
        while isinstance(value, tuple) and start < len(value):
            left = (*value[:start], *value[start + part :])
            slots = list(search.best.inputs)
            slots[at] = replace(slots[at], value=left)
            tried = f"{len(left)} of {len(value)} arrays of {slots[at].name}"
            if await search.takes(replace(search.best, inputs=tuple(slots)), tried):
                value = search.best.inputs[at].value
            else:
                start += part
        part //= 2
