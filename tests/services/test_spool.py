"""Bodies: small ones in memory, large ones on disk by content, gone at the end."""

from __future__ import annotations

import gc
import hashlib
from pathlib import Path

from xpudbg.services.spool import EMPTY, INLINE_LIMIT, PACK_LEAST, Body, Spool


def test_small_bodies_make_no_file(tmp_path: Path) -> None:
    spool = Spool(tmp_path)
    body = spool.put(b"x" * INLINE_LIMIT)
    assert body.path is None
    assert body.read() == b"x" * INLINE_LIMIT
    assert list(tmp_path.iterdir()) == []


def test_a_large_body_lies_on_disk_under_its_hash_once(tmp_path: Path) -> None:
    spool = Spool(tmp_path)
    data = bytes(range(256)) * 1024
    first, second = spool.put(data), spool.put(data)
    assert first == second
    assert first.path is not None
    assert first.path.name == hashlib.sha256(data).hexdigest()
    assert first.read() == data
    assert first.read(10) == data[:10]
    assert [path.name for path in spool.folder.iterdir()] == [first.path.name]


def test_pieces_across_the_limit_keep_their_order(tmp_path: Path) -> None:
    writer = Spool(tmp_path).writer()
    pieces = [bytes([number]) * 1000 for number in range(200)]
    for piece in pieces:
        writer.write(piece)
    body = writer.finish()
    assert body.size == 200_000
    assert body.read() == b"".join(pieces)


def test_close_removes_everything_and_discard_its_part(tmp_path: Path) -> None:
    spool = Spool(tmp_path)
    kept = spool.put(b"y" * (INLINE_LIMIT + 1))
    writer = spool.writer()
    writer.write(b"z" * (INLINE_LIMIT + 1))
    writer.discard()
    assert list(spool.folder.iterdir()) == [kept.path]
    spool.close()
    spool.close()
    assert list(tmp_path.iterdir()) == []


def test_text_replaces_what_is_not_utf8() -> None:
    assert Body(size=2, inline=b"\xe9a").text() == "\ufffda"
    assert EMPTY.read() == b""


def test_equal_small_bodies_are_one_as_long_as_one_is_in_use(tmp_path: Path) -> None:
    spool = Spool(tmp_path)
    first, second = spool.put(b"pong"), spool.put(b"pong")
    assert first is second
    del first, second
    gc.collect()
    assert len(spool._inline) == 0


def test_a_file_goes_with_the_last_body_that_has_it(tmp_path: Path) -> None:
    spool = Spool(tmp_path)
    data = b"z" * (INLINE_LIMIT + 1)
    first, second = spool.put(data), spool.put(data)
    del first
    gc.collect()
    assert second.read() == data
    del second
    gc.collect()
    assert list(spool.folder.iterdir()) == []
    assert spool.put(data).size == len(data)


def test_packed_bodies_lie_in_one_file_that_goes_with_the_last_of_them(tmp_path: Path) -> None:
    spool = Spool(tmp_path)
    texts = [b"a" * PACK_LEAST, b"small", b"b" * PACK_LEAST, b"a" * PACK_LEAST]
    given = [spool.put(text) for text in texts]
    large = spool.put(b"z" * (INLINE_LIMIT + 1))
    made = spool.pack([*given, EMPTY, large])
    assert [body.read() for body in made] == [*texts, b"", large.read()]
    assert [body.read(3) for body in made[:3]] == [b"aaa", b"sma", b"bbb"]
    assert (made[1], made[4], made[5]) == (given[1], EMPTY, large)
    assert made[0] is made[3]
    assert len({body.path for body in (made[0], made[2])}) == 1
    assert len(list(spool.folder.iterdir())) == 2
    del made[0], made[-1], large
    gc.collect()
    assert made[1].read() == texts[2]
    made.clear()
    gc.collect()
    assert list(spool.folder.iterdir()) == []


def test_nothing_to_pack_leaves_no_file(tmp_path: Path) -> None:
    spool = Spool(tmp_path)
    assert spool.pack([EMPTY]) == [EMPTY]
    gc.collect()
    assert list(spool.folder.iterdir()) == []
