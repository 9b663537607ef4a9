"""Keys of a store in torch's periodic dump: literals only, nothing is evaluated."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from xpudbg.services.artifacts.periodic_store import VALUE_LIMIT, read_bytes_literal, read_store

KEYS = st.text(st.characters(codec="utf-8", exclude_characters="\r\n"), max_size=30)


def written(entries: list[tuple[str, bytes]]) -> bytes:
    return "\n".join(f"{key}: {value!r}" for key, value in entries).encode()


@given(st.binary(max_size=60))
def test_a_literal_is_read_as_python_writes_it(value: bytes) -> None:
    assert read_bytes_literal(repr(value)) == value


@pytest.mark.parametrize(
    "text",
    [
        "",
        "b''b''",
        "'a'",
        "b'a",
        "b'\\q'",
        "b'\\x4'",
        "b'\\u0041'",
        "b'é'",
        "rb'a'",
        "b'a' + b'b'",
        "__import__('os')",
        "b'a\n'",
    ],
    ids=str,
)
def test_what_repr_never_writes_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"literal"):
        read_bytes_literal(text)


@given(st.lists(st.tuples(KEYS, st.binary(max_size=30)), max_size=5))
def test_keys_and_values_come_back(entries: list[tuple[str, bytes]]) -> None:
    found = read_store(written(entries))
    assert list(found.keys) == entries
    assert found.notes == ()


def test_keys_with_colons_quotes_and_line_breaks() -> None:
    entries = [("a: b'1'", b"2"), ("it's", b'it\'s: b"x"'), ("two\nlines", b"\n"), ("", b"")]
    assert list(read_store(written(entries)).keys) == entries


def test_what_has_no_value_is_counted_and_a_long_value_is_cut() -> None:
    found = read_store(b"a: b'1'\n" + written([("long", bytes(VALUE_LIMIT + 1))]) + b"\nrest: os.system('x')")
    assert [(key, len(value)) for key, value in found.keys] == [("a", 1), ("long", VALUE_LIMIT)]
    assert len(found.notes) == 2
    assert found.notes[0].startswith("1 entries of the store are not read")


@given(st.binary(max_size=200))
def test_any_bytes_are_read(data: bytes) -> None:
    read_store(data)
