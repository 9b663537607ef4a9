"""Whether bytes begin one of our incident bundles: a zip whose first member is `meta.json` with the bundle's schema."""

from __future__ import annotations

import io
import re
import zlib

from ..npz import zip_records as records
from .zip_members import read_local

__all__ = ["META", "SCHEMA", "is_bundle_head"]

META = b"meta.json"
SCHEMA = re.compile(rb'"schema"\s*:\s*"xpudbg\.bundle/\d')
_META_LIMIT = 64 * 1024


def is_bundle_head(head: bytes) -> bool:
    """Whether a bundle begins with these bytes, which may end within its first member.

    A head that ends before the schema counts by the name of its first member alone.
    """
    if not head.startswith(records.LOCAL_SIGNATURE):
        return False
    local = read_local(io.BytesIO(head), 0, len(head))
    if local is None or local.raw_name != META or local.method not in (records.STORED, records.DEFLATED):
        return False
    packed = head[local.start : local.start + (local.packed or _META_LIMIT)]
    if local.method == records.STORED:
        meta, ended = packed, len(packed) >= local.packed > 0
    else:
        unpacker = zlib.decompressobj(-zlib.MAX_WBITS)
        try:
            meta = unpacker.decompress(packed, _META_LIMIT)
        except zlib.error:
            return False
        ended = unpacker.eof
    return bool(SCHEMA.search(meta)) or not (ended or len(meta) >= _META_LIMIT)
