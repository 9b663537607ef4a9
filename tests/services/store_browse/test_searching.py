"""What can be searched for among keys and values."""

from __future__ import annotations

import pytest

from xpudbg.services.store_browse.searching import SearchError, keys_named, parse_search

KEYS = [b"debug_server/rank0", b"debug_server/rank1", b"Default_PG/0//cpu//0/0", "键/1".encode()]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("", KEYS),
        ("rank", KEYS[:2]),
        ("RANK 1", KEYS[1:2]),
        ("default", KEYS[2:3]),
        ("!rank", KEYS[2:]),
        ("键", KEYS[3:]),
        ("nothing", []),
        ("rank value:node", KEYS[:2]),
    ],
    ids=lambda given: given if isinstance(given, str) else None,
)
def test_words_of_keys(text: str, found: list[bytes]) -> None:
    assert list(keys_named(KEYS, parse_search(text))) == found


def test_what_a_value_has_to_hold() -> None:
    search = parse_search("rank value:NODE value:hex:3A34")
    assert search.reads_values
    assert search.fits(b"http://node-3:41234")
    assert not search.fits(b"http://node-3")
    assert not parse_search("rank").reads_values
    assert not parse_search("value: !")


@pytest.mark.parametrize("text", ["value:hex:8", "value:hex:xy", "value:hex:80 value:hex:0g"])
def test_hex_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(SearchError, match="pairs of hex digits"):
        parse_search(text)
