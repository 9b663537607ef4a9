"""RankSet: notation, set algebra against Python's own sets, and what is refused."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from xpudbg.services.ranksets import MAX_RANK, RankSet, RankSetError, ranks_said

ranks = st.sets(st.integers(0, 5000), max_size=80)


@pytest.mark.parametrize(
    ("text", "members", "written"),
    [
        ("", [], ""),
        ("5", [5], "5"),
        ("0-7,12", [*range(8), 12], "0-7,12"),
        ("0-62:2", list(range(0, 63, 2)), "0-62:2"),
        ("0,1", [0, 1], "0-1"),
        ("1,3", [1, 3], "1,3"),
        ("1-7:2", [1, 3, 5, 7], "1,3,5,7"),
        ("1,3,5,7,9", [1, 3, 5, 7, 9], "1-9:2"),
        ("0,3,6-14:2", [0, 3, 6, 8, 10, 12, 14], "0,3,6-14:2"),
        ("0,2-4", [0, 2, 3, 4], "0,2-4"),
        ("0-63:8,1", [0, 1, *range(8, 64, 8)], "0-1,8-56:8"),
        (" 3 , 1-2 ", [1, 2, 3], "1-3"),
        ("7,7,7", [7], "7"),
        ("4-9:100", [4], "4"),
    ],
)
def test_notation(text: str, members: list[int], written: str) -> None:
    parsed = RankSet.parse(text)
    assert list(parsed) == members
    assert str(parsed) == written


@pytest.mark.parametrize("text", ["a", "1-", "-1", "1,,2", "5-3", "0-4:0", "1.5", "0x1", "1 2", "٣", f"{MAX_RANK + 1}"])
def test_what_is_no_rank_set_is_refused(text: str) -> None:
    with pytest.raises(RankSetError):
        RankSet.parse(text)


def test_a_hostile_range_is_refused_before_it_takes_memory() -> None:
    with pytest.raises(RankSetError, match="highest rank"):
        RankSet.parse("0-99999999999999999999")
    with pytest.raises(RankSetError):
        RankSet([0, 10**12])


@given(ranks)
def test_written_form_reads_back(members: set[int]) -> None:
    made = RankSet(members)
    assert RankSet.parse(str(made)) == made
    assert list(made) == sorted(members)
    assert len(made) == len(members)


@given(ranks, ranks)
def test_algebra_is_that_of_sets(left: set[int], right: set[int]) -> None:
    a, b = RankSet(left), RankSet(right)
    assert set(a | b) == left | right
    assert set(a & b) == left & right
    assert set(a - b) == left - right
    assert set(a ^ b) == left ^ right
    assert (a <= b) == (left <= right)
    assert (a == b) == (left == right)
    assert bool(a) == bool(left)
    assert a.first == min(left, default=None)
    assert a.last == max(left, default=None)
    assert all(rank in a for rank in left)
    assert -1 not in a


def test_full_and_bits() -> None:
    assert str(RankSet.full(4096)) == "0-4095"
    assert RankSet.full(0) == RankSet()
    assert RankSet.from_bits(0b1011).bits == 0b1011
    assert hash(RankSet([1, 2])) == hash(RankSet.parse("1-2"))


@pytest.mark.parametrize(("members", "said"), [([3], "rank 3 is"), ([0, 1, 2, 5], "ranks 0-2,5 are")])
def test_one_rank_is_no_plural(members: list[int], said: str) -> None:
    assert ranks_said(RankSet(members), "is", "are") == said
    assert ranks_said(RankSet(members)) == said.rpartition(" ")[0]
