"""Hypothesis strategies for jobs of any layout."""

from __future__ import annotations

from hypothesis import strategies as st

from tests.fakes.flight_recorder_jobs import Call, FakeGroup

__all__ = ["BACKENDS", "group_layouts", "programs", "rings"]

BACKENDS = ["nccl", "nccl2", "ncclx", "hccl", "xccl", "rccl", "mccl", "gloo", "somelib"]
_OPS = ["all_reduce", "all_gather", "reduce_scatter", "broadcast", "barrier", "all_to_all", "gather", "brand_new_op"]


@st.composite
def group_layouts(draw: st.DrawFn, most: int = 8) -> tuple[int, list[FakeGroup]]:
    """A world size and groups over it: the world, and rows and columns of a grid, or any sets of ranks."""
    columns = draw(st.integers(1, 4))
    rows = draw(st.integers(1, max(most // columns, 1)))
    world = columns * rows
    groups = [FakeGroup("0", "default_pg", tuple(range(world)))]
    hashed = draw(st.booleans())

    def name() -> str:
        return f"a{len(groups):03x}f" if hashed else str(len(groups) * 3)

    members = [("tp", tuple(range(row * columns, (row + 1) * columns))) for row in range(rows)]
    members += [
        (draw(st.sampled_from(["dp", "undefined"])), tuple(range(column, world, columns))) for column in range(columns)
    ]
    for desc, ranks in members:
        groups.append(FakeGroup(name(), desc, ranks))
    for _ in range(draw(st.integers(0, 2))):
        some = draw(st.sets(st.integers(0, world - 1), min_size=1))
        groups.append(FakeGroup(name(), "extra", tuple(sorted(some))))
    return world, groups


@st.composite
def programs(draw: st.DrawFn, groups: list[FakeGroup], longest: int = 14) -> list[Call]:
    """Calls of a program that every rank follows in the same order."""
    return [draw(_calls(draw(st.sampled_from(groups)))) for _ in range(draw(st.integers(0, longest)))]


@st.composite
def _calls(draw: st.DrawFn, group: FakeGroup) -> Call:
    size = len(group.ranks)
    kind = draw(st.sampled_from(["collective", "collective", "collective", "batch", "chain", "coalesced"]))
    dtype = draw(st.sampled_from(["Float", "BFloat16", "Long"]))
    if kind == "coalesced":
        inner = tuple(("_broadcast_oop", draw(st.integers(1, 50))) for _ in range(draw(st.integers(1, 3))))
        return Call(group.name, "ALLGATHER_coalesced", inner=inner, dtype=dtype)
    if kind in ("batch", "chain") and size > 1:
        pairs = [(place, place + 1) for place in range(size - 1)]
        if kind == "batch":
            pairs += [(target, source) for source, target in pairs]
        batched = draw(st.booleans())
        if not batched:
            pairs = [draw(st.sampled_from(pairs))]
        return Call(group.name, pairs=tuple(pairs), inputs=((4,),), outputs=((4,),), batched=batched)
    op = draw(st.sampled_from(_OPS))
    share = draw(st.integers(1, 100))
    inputs, outputs = {
        "all_gather": (((share,),), ((size * share,),)),
        "reduce_scatter": (((size * share,),), ((share,),)),
        "barrier": ((), ()),
    }.get(op, (((share,),), ((share,),)))
    return Call(group.name, op, inputs, outputs, dtype)


def rings(world: int, fewest: int = 0) -> st.SearchStrategy[dict[int, int]]:
    """How much each rank's ring keeps; ranks without a number keep everything."""
    return st.dictionaries(st.integers(0, max(world - 1, 0)), st.integers(fewest, fewest + 12), max_size=world)
