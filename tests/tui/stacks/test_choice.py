"""Parts of merged stacks."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from xpudbg.services.ranksets import RankSet
from xpudbg.services.stacks.model import Frame, StackDump, StackSource, ThreadStack
from xpudbg.services.stacks.tree import MergedStacks, merge
from xpudbg.tui.stacks.choice import find_hits, restrict

A, B, C, D = (Frame(name, f"/{name}.py", 1) for name in "abcd")


def merged(stacks: dict[int, tuple[Frame, ...]]) -> MergedStacks:
    return merge({r: StackDump(StackSource.FAULTHANDLER, (ThreadStack("1", fs),), 0) for r, fs in stacks.items()})


JOB = {0: (C, B, A), 1: (C, B, A), 2: (D, B, A), 3: (A,)}


def test_of_some_ranks() -> None:
    part = restrict(merged(JOB), RankSet([0, 2, 9]), ())
    assert [(one.frames, one.ranks, one.threads) for one in part.classes] == [
        ((C, B, A), RankSet([0]), 1),
        ((D, B, A), RankSet([2]), 1),
    ]
    (top,) = part.root.children()
    assert top.ranks == part.ranks == RankSet([0, 2])
    assert [node.frame for node in top.chain()] == [A, B]


def test_with_some_frames() -> None:
    part = restrict(merged(JOB), RankSet(range(9)), [C, D])
    assert part.ranks == RankSet([0, 1, 2])
    assert [one.ranks for one in part.classes] == [RankSet([2]), RankSet([0, 1])]


FRAMES = st.lists(st.sampled_from([A, B, C, D]), min_size=1, max_size=5).map(tuple)


@given(st.dictionaries(st.integers(0, 40), FRAMES, max_size=12), st.sets(st.integers(0, 40)))
def test_a_part_is_what_merging_these_ranks_alone_gives(stacks: dict[int, tuple[Frame, ...]], kept: set[int]) -> None:
    part = restrict(merged(stacks), RankSet(kept), ())
    alone = merged({rank: frames for rank, frames in stacks.items() if rank in kept})
    assert part.classes == alone.classes
    assert part.ranks == alone.ranks
    assert [(n.frame, n.depth, n.ranks, n.threads, n.ends) for n in part.root.walk()] == [
        (n.frame, n.depth, n.ranks, n.threads, n.ends) for n in alone.root.walk()
    ]


@given(st.dictionaries(st.integers(0, 40), FRAMES, max_size=8), st.sets(st.sampled_from([A, B, C, D])))
def test_hits_are_all_places_with_such_a_frame_once(stacks: dict[int, tuple[Frame, ...]], wanted: set[Frame]) -> None:
    part = merged(stacks)
    hits = find_hits(part.classes, wanted)
    paths = [part.classes[number].frames[::-1][:depth] for number, depth in hits]
    expected = {frames[::-1][: n + 1] for frames in stacks.values() for n, f in enumerate(frames[::-1]) if f in wanted}
    assert len(paths) == len(set(paths))
    assert set(paths) == expected
