"""Names of incident files, and which of them go."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from xpudbg.services.watch.rotation import PERIODIC, KeptFile, free_name, is_ours, rotate, why_of

AT = 1_767_323_045_000_000_000
NAME = "xpudbg-20260102T030405Z-hang.xpudbg"


def test_a_name_says_when_and_why() -> None:
    assert free_name(AT, "hang", ()) == NAME
    assert free_name(AT, "hang", {NAME}) == "xpudbg-20260102T030405Z-hang.2.xpudbg"
    assert why_of("hang", again=True) == "hang-again"
    assert why_of("../../a b", again=False) == "a-b"
    assert why_of("..") == "incident"
    assert why_of(PERIODIC, again=True) == PERIODIC


@pytest.mark.parametrize(
    "name",
    [
        "xpudbg-20260102T030405Z-hang.xpudbg.part",
        "xpudbg-20260102-hang.xpudbg",
        "my-xpudbg-20260102T030405Z-hang.xpudbg",
        "xpudbg-20260102T030405Z-.xpudbg",
        "xpudbg-20260102T030405Z-hang.zip",
        "xpudbg-20260102T030405Z-hang.xpudbg\n",
        "xpudbg-2026010２T030405Z-hang.xpudbg",
    ],
)
def test_others_files_are_not_ours(name: str) -> None:
    assert not is_ours(name)
    files = [KeptFile(name, 10), KeptFile("xpudbg-20270102T030405Z-periodic.xpudbg", 10)]
    assert rotate(files, keep=0, max_size=0).remove == ()


def files(*whys: str) -> list[KeptFile]:
    made: list[KeptFile] = []
    for number, why in enumerate(whys):
        made.append(KeptFile(free_name(AT + number * 10**9, why, [one.name for one in made]), 100))
    return made


def test_the_oldest_go_first_and_never_the_first_of_an_incident() -> None:
    kept = files(PERIODIC, "hang", "hang-again", PERIODIC, PERIODIC)
    names = [one.name for one in kept]
    made = rotate(reversed(kept), keep=3, max_size=None)
    assert (made.remove, made.over) == ((names[0], names[2]), False)
    made = rotate(kept, keep=None, max_size=250)
    assert (made.remove, made.over) == ((names[0], names[2], names[3]), False)
    made = rotate(kept, keep=1, max_size=None)
    assert (made.remove, made.over) == ((names[0], names[2], names[3]), True)


def test_the_newest_stays_whatever_it_takes() -> None:
    (one,) = files(PERIODIC)
    made = rotate([one], keep=1, max_size=10)
    assert (made.remove, made.over) == ((), True)


def test_files_of_one_second_are_in_the_order_of_their_numbers() -> None:
    names: list[str] = []
    for _ in range(12):
        names.append(free_name(AT, PERIODIC, names))
    assert rotate([KeptFile(name, 1) for name in sorted(names)], keep=1, max_size=None).remove == tuple(names[:-1])


whys = st.sampled_from([PERIODIC, "hang", "hang-again", "dead", "timeout-again"])


@given(
    st.lists(st.tuples(st.integers(0, 10**6), whys, st.integers(0, 1_000)), max_size=12),
    st.none() | st.integers(0, 12),
    st.none() | st.integers(0, 5_000),
)
def test_bounds_are_kept_or_said_not_to_be(
    given_files: list[tuple[int, str, int]], keep: int | None, max_size: int | None
) -> None:
    kept: dict[str, KeptFile] = {"notes.txt": KeptFile("notes.txt", 10**9)}
    for second, why, size in given_files:
        name = free_name(AT + second * 10**9, why, kept)
        kept[name] = KeptFile(name, size)
    made = rotate(kept.values(), keep=keep, max_size=max_size)
    assert len(set(made.remove)) == len(made.remove)
    left = [one for one in kept.values() if one.name not in made.remove and is_ours(one.name)]
    within = (keep is None or len(left) <= keep) and (max_size is None or sum(one.size for one in left) <= max_size)
    assert made.over is not within
    for name in made.remove:
        assert name != "notes.txt"
        assert name.endswith("periodic.xpudbg") or "-again" in name or PERIODIC in name
    if made.remove:  # no more than had to go: without the last of them the bounds would not be kept
        more = [*left, kept[made.remove[-1]]]
        assert (keep is not None and len(more) > keep) or (
            max_size is not None and sum(one.size for one in more) > max_size
        )
