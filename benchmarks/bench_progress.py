"""What the rank x group progress matrix costs: CPU time of the thread that paints, per step, really rendered.

Prints a table, with Textual's DataTable beside it. Run: python benchmarks/bench_progress.py [ranks [groups]]
"""

from __future__ import annotations

import asyncio
import os
import sys
import time
from pathlib import Path

os.environ["TEXTUAL_ANIMATIONS"] = "none"
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import numpy as np
from tabulate import tabulate
from textual.widgets import DataTable

from benchmarks.bench_widgets import SIZE, Figure, cpu_ms, paint_anew
from benchmarks.figures import record
from tests.fakes.flight_recorder_jobs import Call, FakeGroup, FakeJob, Fault
from tests.tui.progress_scripts import mesh, recorder_looks
from tests.tui.widgets.painting import Alone
from xpudbg.services.flight_recorder.groups import JobGroup
from xpudbg.services.progress.columns import GroupColumn
from xpudbg.services.progress.matrix import Progress, progress_of
from xpudbg.services.ranksets import RankSet
from xpudbg.tui.widgets.matrix_layout import MatrixLayout, cell_text
from xpudbg.tui.widgets.progress_matrix import ProgressMatrix

NOBODY = RankSet()
TABLE_ROWS = 256
"""Rows of the DataTable: it takes minutes for thousands; its figures are per row of these, scaled."""


def made(ranks: int, groups: int) -> Progress:
    """A matrix in which every rank is in every group: no column can be shared, the worst there is."""
    world = RankSet.full(ranks)
    table = [JobGroup(n, str(n), f"group-{n}", world, ranks=tuple(world)) for n in range(groups)]
    cells = np.arange(ranks * groups, dtype=np.int32).reshape(groups, ranks).T
    rng = np.random.default_rng(7)
    lag = rng.integers(0, 3, ranks * groups)
    return Progress(
        ranks=np.arange(ranks),
        columns=tuple(GroupColumn("x", one.desc, (one,)) for one in table),
        cells=cells,
        groups=tuple(table),
        group=np.repeat(np.arange(groups, dtype=np.int32), ranks),
        position=40_000 - lag,
        completed=39_999 - lag,
        lag=lag,
        made=lag,
        pace=rng.integers(1, 5, ranks * groups).astype(np.int8),
        p2p=np.zeros(ranks * groups, np.bool_),
        inside=np.zeros(ranks * groups, np.bool_),
        silent=np.zeros(ranks * groups, np.bool_),
        row_lag=np.max(lag[cells], axis=1),
        compared=True,
        unused=0,
    )


async def matrix(progress: Progress) -> list[Figure]:
    widget = ProgressMatrix()
    async with Alone(widget).run_test(size=SIZE) as pilot:
        widget.focus()

        async def show(place: int) -> None:
            rank = int(progress.ranks[place])
            widget.show(progress, progress.order(), (rank, 0), marked=NOBODY, culprits=NOBODY, waiting=NOBODY)
            paint_anew(widget.screen)

        async def press(key: str) -> None:
            await pilot.press(key)
            paint_anew(widget.screen)

        first = await cpu_ms(lambda: show(len(progress.ranks) // 2))
        steps = [(key, await cpu_ms(lambda key=key: press(key), 5)) for key in ("pagedown", "down", "right")]  # type: ignore[misc]
    order = await cpu_ms(progress.order, 5)
    return [("matrix: first paint", first), *((f"matrix: key {key}", took) for key, took in steps), ("order", order)]


async def data_table(progress: Progress) -> list[Figure]:
    widget: DataTable[str] = DataTable(cursor_type="cell")
    layout = MatrixLayout(progress, SIZE[0])
    rows = min(TABLE_ROWS, len(progress.ranks))
    async with Alone(widget).run_test(size=SIZE) as pilot:
        widget.focus()

        async def show() -> None:
            widget.add_columns("rank", *(column.title for column in layout.columns))
            for row in range(rows):
                numbers = progress.cells[row].tolist()
                texts = [cell_text(progress, at, layout.columns[n])[0] for n, at in enumerate(numbers)]
                widget.add_row(str(row), *texts)
            await pilot.pause()
            paint_anew(widget.screen)

        async def press(key: str) -> None:
            await pilot.press(key)
            paint_anew(widget.screen)

        first = await cpu_ms(show)
        page = await cpu_ms(lambda: press("pagedown"), 5)
    scale = len(progress.ranks) / rows
    return [
        (f"DataTable: first paint, {rows} rows x {scale:.0f}", first * scale),
        (f"DataTable: key pagedown, of {rows} rows only", page),
    ]


def making(world: int = 256) -> list[Figure]:
    """Making the matrix of an analysed job."""
    groups = mesh(world, 8)
    program = [Call(one.name) for one in groups]
    job = FakeJob(world, [*groups, FakeGroup("9999", "unused", (0, 1))], program, faults=[Fault(9, 1, "stops")])
    look = recorder_looks([job])[0]
    begun = time.thread_time()
    progress = progress_of(look.diagnoses)
    took = (time.thread_time() - begun) * 1000
    return [(f"made of {world} analysed dumps, {len(progress.groups)} groups, {len(progress.group):,} cells", took)]


async def main(ranks: int, groups: int) -> None:
    progress = made(ranks, groups)
    figures = [*await matrix(progress), *await data_table(progress), *making()]
    peer = next(took for name, took in figures if name.startswith("DataTable: first paint"))
    for name, took in figures:
        first = name.startswith("matrix: first paint")
        if not name.startswith("DataTable"):
            against = "DataTable, scaled from 128 rows" if first else ""
            record(name, took, "ms CPU", peer=peer if first else None, against=against)
    print(tabulate(figures, [f"{ranks:,} ranks x {groups} groups at {SIZE[0]}x{SIZE[1]}", "CPU ms"], floatfmt=".1f"))


if __name__ == "__main__":
    numbers = [int(word) for word in sys.argv[1:]] + [4096, 200][len(sys.argv) - 1 :]
    asyncio.run(main(numbers[0], numbers[1]))
