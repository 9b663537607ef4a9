"""The bytes of an artifact: gzip undone as far as it goes, never more than asked for, and what is missing is told."""

from __future__ import annotations

import gzip
import zlib
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from xpudbg.services.artifacts.artifact import Artifact
from xpudbg.services.artifacts.content import ContentReader, content
from xpudbg.services.artifacts.limits import Limits
from xpudbg.services.spool import Body

DATA = bytes(range(256)) * 40


def of(data: bytes) -> Artifact:
    return Artifact("x", Body(size=len(data), inline=data), 0)


@given(st.lists(st.binary(max_size=200), max_size=4), st.integers(0, 20))
@settings(deadline=None)
def test_gzip_members_one_after_another_are_one(pieces: list[bytes], padding: int) -> None:
    packed = b"".join(map(gzip.compress, pieces))
    found = content(of(packed + b"\0" * padding if packed else b""))
    assert (found.data, found.cut, found.why) == (b"".join(pieces), False, "")


@pytest.mark.parametrize("kept", range(1, 60, 7))
def test_of_a_cut_gzip_what_came_counts(kept: int) -> None:
    packed = gzip.compress(DATA, 0)
    found = content(of(packed[: len(packed) * kept // 60]))
    assert found.cut
    assert DATA.startswith(found.data)
    assert found.why.startswith("gzip cut at byte")


def test_of_a_damaged_gzip_what_came_before_counts() -> None:
    packed = bytearray(gzip.compress(DATA, 0))
    packed[-5] ^= 1  # the checksum at its end
    found = content(of(bytes(packed)))
    assert (found.data, found.cut) == (DATA, True)
    assert "damaged" in found.why
    assert content(of(b"\x1f\x8bxxxx")).data == b""


def test_what_stands_behind_a_gzip_is_said_and_passed_over() -> None:
    found = content(of(gzip.compress(DATA) + b"more"))
    assert (found.data, found.cut) == (DATA, False)
    assert "behind its gzip" in found.why


@pytest.mark.parametrize("packed", [False, True])
def test_never_more_than_asked_for(packed: bool) -> None:
    data = gzip.compress(DATA) if packed else DATA
    found = content(of(data), 100)
    assert (found.data, found.cut, found.why) == (DATA[:100], True, "only the first 100 bytes are read")
    assert not content(of(data), len(DATA)).cut


def test_a_bomb_is_stopped() -> None:
    packed = gzip.compress(b"\0" * 5_000_000)
    reader = ContentReader(of(packed), limits=Limits(ratio=100, ratio_from=1_000))
    assert sum(map(len, reader)) < 2_500_000
    assert (reader.cut, reader.why) == (True, "gzip that expands more than 100 times; the rest is not read")


def test_a_body_inside_a_file_and_a_deflated_one(tmp_path: Path) -> None:
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    deflated = packer.compress(DATA) + packer.flush()
    path = tmp_path / "several"
    path.write_bytes(b"before" + DATA + deflated + b"behind")
    plain = Body(size=len(DATA), path=path, offset=6)
    packed = Body(size=len(DATA), path=path, offset=6 + len(DATA), deflated=len(deflated))
    assert content(Artifact("x", plain, 0)).data == DATA
    assert content(Artifact("x", packed, 0)).data == DATA


def test_pieces_of_a_large_file_are_bounded(tmp_path: Path) -> None:
    path = tmp_path / "large.gz"
    path.write_bytes(gzip.compress(DATA * 400))
    reader = ContentReader(Artifact("large.gz", Body(size=path.stat().st_size, path=path), 0))
    pieces = list(reader)
    assert b"".join(pieces) == DATA * 400
    assert max(map(len, pieces)) <= 1 << 20
