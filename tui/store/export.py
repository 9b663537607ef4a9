"""The keys of the store as a table for a file: what each is for, and what has been read of its value."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...services.store_browse.purposes import key_purpose
from ...services.store_browse.values import key_text, value_preview
from ...services.table_export import ExportTable

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from ...services.store_browse.values import StoreValue

__all__ = ["store_table"]

NOT_READ = "not read"


def store_table(keys: Sequence[bytes], values: Mapping[bytes, StoreValue]) -> ExportTable:
    """
    Args:
        keys: in the order in which they are written.
        values: what was read so far.
    """
    known = {key: values[key] for key in keys if key in values}

    def made() -> Iterator[list[str | int | None]]:
        for key in keys:
            value = known.get(key)
            size = value.length if value is not None and value.readable else None
            preview = value_preview(value) if value is not None else NOT_READ
            yield [key_text(key), size, preview, key_purpose(key)]

    return ExportTable(("key", "bytes", "value", "what for"), len(keys), made, (1,))
