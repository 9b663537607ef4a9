"""What can be searched for among keys and values."""

from __future__ import annotations

import pytest

from xpudbg.services.filters.terms import FilterError
from xpudbg.services.store_browse.searching import keys_named, parse_search

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
        ("re:rank[1-9]$", KEYS[1:2]),
        ("!re:^debug", KEYS[2:]),
        ("re:^键", KEYS[3:]),
        ('"server/rank0"', KEYS[:1]),
        ("!!rank", KEYS[:2]),
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
    assert not parse_search('"" !""')


@pytest.mark.parametrize(
    ("text", "fits"),
    [
        ("value:node-3", True),
        ("!value:node-3", False),
        ("!value:hex:6E6F", False),
        ("value:hex:4E4F", False),
        ('value:"de-3:4"', True),
        ('value:"hex 3"', False),
    ],
)
def test_terms_of_values_can_be_turned_round_and_quoted(text: str, fits: bool) -> None:
    search = parse_search(text)
    assert search.reads_values
    assert search.fits(b"node-3:41234") is fits
    assert search.names(b"any")


@pytest.mark.parametrize("text", ["value:hex:", "value:hex:8", "value:hex:xy", "value:hex:80 value:hex:0g"])
def test_hex_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(FilterError, match="pairs of hex digits"):
        parse_search(text)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("rank:3", "rank: can't be asked of store keys; fields here are value:x|hex:80049a, re:x"),
        ("re:(", "re: no regular expression"),
        ("value:", "value: needs a value, as value:x|hex:80049a"),
    ],
)
def test_what_is_wrong_is_said(text: str, said: str) -> None:
    with pytest.raises(FilterError) as error:
        parse_search(text)
    assert str(error.value).startswith(said)
