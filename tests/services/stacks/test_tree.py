"""Merging against a naive oracle, and what the tree is asked for."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from xpudbg.services.ranksets import RankSet
from xpudbg.services.stacks import faulthandler
from xpudbg.services.stacks.model import Frame, StackDump, StackSource
from xpudbg.services.stacks.tree import MISSING_FRAMES, MergedStacks, StackNode, ThreadChoice, merge

from .building import ALL_REDUCE, DATA, LOADER, dump, frame, main, recorded, stack, thread

HELPER = ("wait lib/threading.py:327", "work pool.py:5", "_bootstrap lib/threading.py:1002")


def paths(merged: MergedStacks) -> dict[tuple[Frame, ...], tuple[RankSet, int, RankSet]]:
    """Every node by the frames from the outermost to it: ranks, threads, ranks that end there."""
    found: dict[tuple[Frame, ...], tuple[RankSet, int, RankSet]] = {}

    def visit(node: StackNode, path: tuple[Frame, ...]) -> None:
        found[path] = (node.ranks, node.threads, node.ends)
        for child in node.children():
            assert child.frame is not None
            visit(child, (*path, child.frame))

    visit(merged.root, ())
    return found


def naive(stacks: list[tuple[int, tuple[Frame, ...]]]) -> dict[tuple[Frame, ...], tuple[RankSet, int, RankSet]]:
    ranks: dict[tuple[Frame, ...], list[int]] = {}
    ends: dict[tuple[Frame, ...], list[int]] = {}
    for rank, frames in stacks:
        outer = frames[::-1]
        for length in range(len(outer) + 1):
            ranks.setdefault(outer[:length], []).append(rank)
        ends.setdefault(outer, []).append(rank)
    ranks.setdefault((), [])
    return {path: (RankSet(members), len(members), RankSet(ends.get(path, ()))) for path, members in ranks.items()}


letters = st.sampled_from([Frame(name, "/job/a.py", 1) for name in "abc"])
drawn_stacks = st.lists(letters, min_size=1, max_size=5).map(tuple)
jobs = st.dictionaries(st.integers(0, 70), st.lists(drawn_stacks, min_size=1, max_size=3), max_size=12)


@given(jobs)
def test_the_tree_of_main_threads_is_that_of_the_oracle(job: dict[int, list[tuple[Frame, ...]]]) -> None:
    dumps = {rank: dump(*(thread(frames=frames) for frames in stacks)) for rank, stacks in job.items()}
    merged = merge(dumps)
    assert paths(merged) == naive([(rank, stacks[-1]) for rank, stacks in job.items()])
    assert merged.ranks == RankSet(job)


@given(jobs)
def test_the_tree_of_all_threads_is_that_of_the_oracle(job: dict[int, list[tuple[Frame, ...]]]) -> None:
    dumps = {rank: dump(*(thread(frames=frames) for frames in stacks)) for rank, stacks in job.items()}
    merged = merge(dumps, threads=ThreadChoice.ALL)
    assert paths(merged) == naive([(rank, frames) for rank, stacks in job.items() for frames in stacks])
    assert sum(one.threads for one in merged.classes) == sum(map(len, job.values()))


@given(jobs)
def test_classes_are_the_equal_stacks_and_the_odd_ones_come_first(job: dict[int, list[tuple[Frame, ...]]]) -> None:
    merged = merge({rank: dump(thread(frames=stacks[0])) for rank, stacks in job.items()})
    sizes = [len(one.ranks) for one in merged.classes]
    assert sizes == sorted(sizes)
    assert sorted(rank for one in merged.classes for rank in one.ranks) == sorted(job)
    for one in merged.classes:
        assert {job[rank][0] for rank in one.ranks} == {one.frames}


@given(jobs, letters)
def test_each_frame_tells_who_has_it_and_who_lacks_it(job: dict[int, list[tuple[Frame, ...]]], one: Frame) -> None:
    merged = merge(
        {rank: dump(*(thread(frames=s) for s in stacks)) for rank, stacks in job.items()}, threads=ThreadChoice.ALL
    )
    having = RankSet(rank for rank, stacks in job.items() if any(one in frames for frames in stacks))
    assert merged.having(one) == having
    assert merged.lacking(one) == RankSet(job) - having
    assert merged.having(one) == having


@given(jobs)
def test_a_chain_goes_as_far_as_nothing_branches_or_ends(job: dict[int, list[tuple[Frame, ...]]]) -> None:
    merged = merge({rank: dump(thread(frames=stacks[0])) for rank, stacks in job.items()})
    for node in merged.root.walk():
        expected = [node]
        while len(children := expected[-1].children()) == 1 and not expected[-1].ends:
            expected.append(children[0])
        chain = node.chain()
        assert [(one.frame, one.depth, one.ranks, one.ends) for one in chain] == [
            (one.frame, one.depth, one.ranks, one.ends) for one in expected
        ]


def test_a_job_with_one_odd_rank() -> None:
    dumps = {rank: main(*ALL_REDUCE) for rank in range(8)}
    dumps[5] = main(*LOADER)
    merged = merge(dumps)
    assert [(str(one.ranks), one.frames[0].function) for one in merged.classes] == [
        ("5", "read"),
        ("0-4,6-7", "all_reduce"),
    ]
    (module,) = merged.root.children()
    assert module.ranks == RankSet(range(8))
    assert [(child.frame and child.frame.function, str(child.ranks)) for child in module.children()] == [
        ("train_step", "0-4,6-7"),
        ("batches", "5"),
    ]
    assert merged.lacking(frame("all_reduce torch/distributed/distributed_c10d.py:3252")) == RankSet([5])
    assert merged.left_out == 1
    assert merged.root.chain()[-1].frame == frame("<module> train.py:300")


def test_boring_frames_are_kept_when_they_are_asked_for() -> None:
    shown = merge({0: main(*ALL_REDUCE)}, show_boring=True)
    assert shown.classes[0].frames == stack(*ALL_REDUCE)
    assert shown.left_out == 0


def test_stacks_that_differ_in_boring_frames_alone_are_one_class() -> None:
    other = (ALL_REDUCE[0], *ALL_REDUCE[2:])
    assert len(merge({0: main(*ALL_REDUCE), 1: main(*other)}).classes) == 1
    assert len(merge({0: main(*ALL_REDUCE), 1: main(*other)}, show_boring=True).classes) == 2


def test_ranks_without_such_a_stack_are_told() -> None:
    merged = merge(
        {
            0: main(*ALL_REDUCE),
            1: StackDump(StackSource.FAULTHANDLER, notes=("no stack returned",)),
            2: dump(thread(*HELPER), cut=True),
            3: dump(thread(frames=())),
        }
    )
    assert (str(merged.ranks), str(merged.without)) == ("0", "1-3")
    every = merge({2: dump(thread(*HELPER), cut=True)}, threads=ThreadChoice.ALL)
    assert str(every.ranks) == "2"
    assert merge({}).classes == ()
    assert merge({}).root.children() == ()


def test_all_threads_count_and_name_themselves() -> None:
    helper = [thread(*HELPER, name=f"worker {number % 20}") for number in range(4999)]
    merged = merge({5: dump(*helper, thread(*ALL_REDUCE))}, threads=ThreadChoice.ALL)
    assert sorted(one.threads for one in merged.classes) == [1, 4999]
    names = max(merged.classes, key=lambda one: one.threads).names
    assert 0 < len(names) < 20


def test_a_stack_whose_outer_frames_are_missing_does_not_join_the_others() -> None:
    merged = merge({0: main(*ALL_REDUCE), 1: dump(thread(*ALL_REDUCE, truncated=True))})
    assert {child.frame for child in merged.root.children()} == {frame(ALL_REDUCE[-1]), MISSING_FRAMES}


def test_both_sources_merge_into_one_tree() -> None:
    merged = merge({0: recorded("jobs/loader_0.faulthandler.txt"), 1: recorded("jobs/loader_1.faulthandler.txt")})
    mixed = merge({0: recorded("jobs/loader_0.faulthandler.txt"), 1: recorded("jobs/loader_1.pyspy.txt")})
    (branch,) = merged.root.children()
    assert branch.ranks == RankSet([0, 1])
    assert RankSet([0, 1]) in [child.ranks for child in mixed.root.children()]


def hostile() -> tuple[Frame, ...]:
    recorded_frames = json.loads((DATA / "hostile_frames.json").read_text())["frames"]
    return tuple(Frame(one["name"], one["filename"], one["line"]) for one in recorded_frames)


def test_hostile_text_is_kept_whole_and_found() -> None:
    merged = merge({0: dump(thread(frames=hostile())), 1: main(*ALL_REDUCE)})
    assert [one.frames for one in merged.classes if 0 in one.ranks] == [hostile()]
    (found,) = merged.matching("[/rank0]")
    assert found.function == "fwd_[/rank0]_[bold red]x[/]"
    assert merged.having(found) == RankSet([0])
    assert merged.matching("RUN.PY") == (found,)
    assert merged.matching("nowhere") == ()


def test_a_stack_of_a_thousand_frames() -> None:
    deep = tuple(Frame(f"recurse_{number}", "/job/deep.py", number) for number in range(1000))
    merged = merge({0: dump(thread(frames=deep)), 1: dump(thread(frames=deep[1:]))})
    assert len(list(merged.root.walk())) == 1001
    chain = merged.root.chain()
    assert [node.depth for node in chain] == list(range(1000))
    assert chain[-1].ends == RankSet([1])
    assert [node.frame for node in chain[-1].children()] == [deep[0]]


@pytest.mark.parametrize("ranks", [3, 64])
def test_texts_of_real_dumps_merge(ranks: int) -> None:
    text = (DATA / "jobs" / "fsdp2_0.faulthandler.txt").read_bytes()
    merged = merge({rank: faulthandler.parse(text) for rank in range(ranks)})
    assert len(merged.classes) == 1
    assert merged.classes[0].ranks == RankSet.full(ranks)
