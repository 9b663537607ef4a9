"""What a value looks like, and its views; nothing is ever unpickled."""

from __future__ import annotations

import json
import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from xpudbg.services.store_browse.values import (
    StoreValue,
    ValueKind,
    View,
    best_view,
    hex_dump,
    key_text,
    kind_of,
    value_preview,
    view_text,
)


def value(data: bytes, length: int | None = None) -> StoreValue:
    return StoreValue(b"key", data, len(data) if length is None else length, read_at=1)


class Bomb:
    """Its pickle calls a function when it is loaded."""

    loaded = False

    def __reduce__(self) -> tuple[object, tuple[object, ...]]:
        return setattr, (Bomb, "loaded", True)


@pytest.mark.parametrize(
    ("data", "kind", "view"),
    [
        (b"", ValueKind.EMPTY, View.TEXT),
        (b"http://node-3:41234", ValueKind.TEXT, View.TEXT),
        ("größe 節点\n".encode(), ValueKind.TEXT, View.TEXT),
        (b"[0, 64, 0, 64]", ValueKind.JSON, View.JSON),
        (b'{"role": "default"}', ValueKind.JSON, View.JSON),
        (b"[0, 64", ValueKind.TEXT, View.TEXT),
        (b"[NaN]", ValueKind.TEXT, View.TEXT),
        (b"[" * 100_000, ValueKind.TEXT, View.TEXT),
        (b"\x00\xff\xfe", ValueKind.BINARY, View.HEX),
        (b"\x1b[2Jx", ValueKind.BINARY, View.HEX),
        (pickle.dumps({"step": 3}), ValueKind.PICKLE, View.HEX),
        (b"\x80\x04 and no end", ValueKind.BINARY, View.HEX),
    ],
    ids=[
        *("empty", "text", "wide", "list", "object", "broken json", "nan", "deep json"),
        *("binary", "escape", "pickle", "like a pickle"),
    ],
)
def test_kind_and_view(data: bytes, kind: ValueKind, view: View) -> None:
    assert kind_of(value(data)) is kind
    assert best_view(value(data)) is view


def test_a_pickle_is_shown_as_bytes_and_never_loaded() -> None:
    data = pickle.dumps(Bomb())
    for view in View:
        view_text(value(data), view)
    assert value_preview(value(data)).startswith("looks like a pickle: 80 0")
    assert not Bomb.loaded


def test_the_hex_view() -> None:
    assert hex_dump(b"\x02\x00/abc\xff 0123456789") == (
        "00000000  02 00 2f 61 62 63 ff 20  30 31 32 33 34 35 36 37  |../abc. 01234567|\n"
        "00000010  38 39                                             |89|"
    )
    assert hex_dump(b"0123456789", 8) == (
        "00000000  30 31 32 33 34 35 36 37  |01234567|\n00000008  38 39                    |89|"
    )
    assert hex_dump(b"") == ""


@given(st.binary(max_size=100))
def test_the_hex_view_has_every_byte(data: bytes) -> None:
    rows = hex_dump(data).splitlines()
    assert bytes.fromhex("".join(row[10:58] for row in rows)) == data
    assert all(len(row) <= 78 for row in rows)


def test_json_is_laid_out_with_its_numbers_as_they_are() -> None:
    data = b'{"big":18446744073709551616123,"a":[1.0,2]}'
    shown = view_text(value(data), View.JSON)
    assert "18446744073709551616123" in shown
    assert json.loads(shown) == json.loads(data)
    assert view_text(value(b"plain"), View.JSON) == "Not shown as JSON: it is no JSON.\n\nplain"


def test_a_value_of_which_only_the_beginning_was_read_says_so() -> None:
    part = StoreValue(b"k", b"x" * 9 + b"\xc3", 1_048_576, 1)
    assert kind_of(part) is ValueKind.TEXT  # the cut went through a character
    assert "1,048,566 bytes more" in view_text(part, View.TEXT)
    assert "only its beginning" in view_text(part, View.JSON)
    assert kind_of(StoreValue(b"k", b"\x80\x04\x95", 5_000, 1)) is ValueKind.PICKLE


def test_what_could_not_be_read() -> None:
    gone = StoreValue(b"k", gone=True)
    assert not gone.readable
    assert value_preview(gone) == "gone"
    assert "gone" in view_text(gone, View.HEX)
    failed = StoreValue(b"k", error="no\x1banswer")
    assert value_preview(failed) == "no\\x1banswer"


@pytest.mark.parametrize(
    ("key", "shown"),
    [
        (b"worker/[/rank0]", "worker/[/rank0]"),
        ("键\n2".encode(), "键\\n2"),
        (b"a\x00b\xff", "a\\x00b\\xff"),
        ("\u202e".encode(), "\\u202e"),
    ],
    ids=["markup", "newline", "nul", "bidi"],
)
def test_keys_are_one_plain_line(key: bytes, shown: str) -> None:
    assert key_text(key) == shown
