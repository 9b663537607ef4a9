"""Dumps of a big healthy job straight as columns: a million calls in a second, where JSON would take minutes.

Each rank calls its three groups in turn: the tensor parallel group of its node, the data parallel group across nodes,
and the world. `late` ranks have not made the last call of the world: the others wait there.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import numpy as np

from xpudbg.services.flight_recorder.columns import COLUMNS, Entries, GroupLabel, State, Tables, Thread
from xpudbg.services.flight_recorder.dump import Dump, Format, GroupConfig, GroupStatus
from xpudbg.services.ranksets import RankSet

__all__ = ["big_dumps"]

START_NS = 1_796_046_929_000_000_000
STEP_NS = 5_000_000
WIDTH = 8
"""Ranks of a node."""
NAMES = ("nccl:_all_gather_base", "nccl:all_reduce", "nccl:_reduce_scatter_base", "nccl:broadcast")
SHAPES = (((1048576,),), ((4096, 5120),), ((120,),), ((32, 4096, 128),))


def big_dumps(ranks: int, entries: int, late: Collection[int] = ()) -> tuple[Dump, ...]:
    """One dump a rank with `entries` entries each; `ranks` is a multiple of 8 or below it.

    Args:
        late: ranks that have not made the world's last call.
    """
    width = min(WIDTH, ranks)
    tensor = [RankSet(range(first, first + width)) for first in range(0, ranks, width)]
    data = [RankSet(range(local, ranks, width)) for local in range(width)]
    return tuple(_dump(rank, entries, late, RankSet.full(ranks), tensor, data) for rank in range(ranks))


def _dump(
    rank: int, entries: int, late: Collection[int], world: RankSet, tensor: list[RankSet], data: list[RankSet]
) -> Dump:
    node, local = divmod(rank, len(data))
    labels = (GroupLabel(str(1 + node), "tp"), GroupLabel(str(100_000 + local), "dp"), GroupLabel("0", "default_pg"))
    members = (tensor[node], data[local], world)
    number = np.arange(entries)
    group = number % 3
    sequence = number // 3 + 1
    last_of_world = int(number[group == 2][-1]) if entries > 2 else -1
    if rank in late and last_of_world >= 0:
        number, group, sequence = number[:last_of_world], group[:last_of_world], sequence[:last_of_world]
    count = len(number)
    # Ranks of one group set out together; within a call the last of a node comes 70 us after its first.
    created = START_NS + number * STEP_NS + local * 10_000
    is_open = np.zeros(count, dtype=bool)
    if late and rank not in late:
        is_open = number >= last_of_world
    kind = sequence % 2 + 2 * (group == 2)
    given: dict[str, Any] = {
        "record_id": number,
        "pg_id": group,
        "collective_seq": sequence,
        "op_id": sequence,
        "created": created,
        "started": np.where(is_open, 0, created + 500_000),
        "completed": np.where(is_open, 0, created + 1_500_000),
        "timeout_ms": np.full(count, 600_000),
        "duration_ms": np.where(is_open, np.nan, 1.0),
        "state": np.where(is_open, int(State.SCHEDULED), int(State.COMPLETED)),
        "retired": ~is_open,
        "group": group,
        "name": kind % 4 * (group != 2) + (group == 2),
        "input_shapes": group,
        "output_shapes": group,
        "splits": np.full(count, -1),
        "stack": np.full(count, -1),
    }
    columns = {name: np.asarray(given.get(name, np.zeros(count)), dtype=dtype) for name, dtype in COLUMNS.items()}
    counted = [int(sequence[group == index][-1]) if (group == index).any() else None for index in range(3)]
    ended = [None if one is None else one - int(is_open[group == index].sum()) for index, one in enumerate(counted)]
    return Dump(
        rank=rank,
        entries=Entries(
            **columns,
            tables=Tables(
                groups=labels,
                names=NAMES,
                shapes=SHAPES,
                dtypes=(("BFloat16",),),
                threads=(Thread("140525802212224", "pt_main_thread"),),
            ),
        ),
        format=Format.JSON,
        version=(2, 10),
        configs=tuple(GroupConfig(label.name, label.desc, ranks) for label, ranks in zip(labels, members, strict=True)),
        statuses={
            index: GroupStatus(one, one, over) for index, (one, over) in enumerate(zip(counted, ended, strict=True))
        },
        library="2.27.5",
        source="dump_nccl_trace_json",
        host=f"node-{node:03d}",
        taken_at=START_NS + entries * STEP_NS + 10_000_000_000,
    )
