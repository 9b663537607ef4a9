"""Counts and sizes in words."""

from __future__ import annotations

__all__ = ["number_text", "size_text"]

_UNITS = ("B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB")


def number_text(number: int) -> str:
    """A count with separators; one far beyond any tensor as a power of two."""
    bits = abs(number).bit_length()
    return f"{number:,}" if bits <= 80 else f"over 2^{bits - 1}"


def size_text(size: int) -> str:
    """`12 B`, `1.5 KiB`, `8 MiB`: bytes in the largest unit that they fill."""
    power = 0
    while power + 1 < len(_UNITS) and size >= 1024 ** (power + 1):
        power += 1
    scale = 1024**power
    if size >= scale * 100_000:
        return f"{number_text(size // scale)} {_UNITS[power]}"
    whole = size % scale == 0 or size / scale >= 100
    return f"{size / scale:,.0f} {_UNITS[power]}" if whole else f"{size / scale:.1f} {_UNITS[power]}"
