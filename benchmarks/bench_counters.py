"""What the wait counters cost: CPU time to read one look, and of the thread that paints, per step, really rendered.

Prints a table, with Textual's DataTable beside it. Run: python benchmarks/bench_counters.py [ranks [counters]]
"""

from __future__ import annotations

import asyncio
import json
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
from tests.tui.widgets.painting import Alone
from xpudbg.services.counters.look import CounterAnalyst, CounterLook
from xpudbg.services.counters.metrics import Metric
from xpudbg.services.counters.sheet import ACTIVITY, CounterSheet
from xpudbg.services.ranksets import RankSet
from xpudbg.services.snapshot import Outcome, RankReply
from xpudbg.services.spool import Body
from xpudbg.tui.widgets.counter_layout import CounterLayout, cell_text
from xpudbg.tui.widgets.counter_matrix import CounterMatrix

NOBODY = RankSet()
TABLE_ROWS = 128
"""Rows of the DataTable: it takes minutes for thousands; its figures are per row of these, scaled."""
SECOND = 1_000_000_000


def answers(ranks: int, counters: int, look: int) -> dict[tuple[int, str], RankReply]:
    """What the handlers of all ranks answer; every rank waits in something, one in each hundred cells is an outlier."""
    rng = np.random.default_rng(look)
    made = {}
    for rank in range(ranks):
        totals = rng.integers(1_000_000, 1_200_000, counters) * (look + 1)
        odd = rng.random(counters) < 0.01
        body = json.dumps(
            {
                f"pytorch.wait_counter.part{number}.wait": {
                    "active_count": int(number == rank % counters),
                    "max_time_us": 1_000,
                    "total_calls": 100 * (look + 1),
                    "total_time_us": int(total * 9 if odd[number] else total),
                }
                for number, total in enumerate(totals.tolist())
            }
        ).encode()
        at = (1_000 + 10 * look) * SECOND
        source = "wait_counter_values"
        made[rank, source] = RankReply(rank, source, "", Outcome.OK, 200, Body(len(body), body), "", at, 0.001)
    return made


def read(ranks: int, counters: int) -> tuple[CounterLook, list[Figure]]:
    """Two looks, the second timed."""
    analyst = CounterAnalyst()
    everybody = RankSet.full(ranks)
    took = 0.0
    for look in range(2):
        replies = answers(ranks, counters, look)
        begun = time.thread_time()
        made = analyst.analyse(
            look + 1, (1_000 + 10 * look) * SECOND, replies, everybody, without=NOBODY, inside=NOBODY
        )
        took = (time.thread_time() - begun) * 1_000
    return made, [("reading a look, beside the screen", took)]


async def matrix(look: CounterLook) -> list[Figure]:
    widget = CounterMatrix()
    everybody = look.ranks
    figures: list[Figure] = []
    async with Alone(widget).run_test(size=SIZE) as pilot:
        widget.focus()

        async def show(metric: Metric) -> None:
            sheet = CounterSheet(look, metric, everybody)
            columns = sheet.columns(np.ones(len(sheet.names), np.bool_))
            rows = sheet.rows(np.ones(len(sheet.ranks), np.bool_), columns, ACTIVITY)
            at = int(sheet.ranks[rows[len(rows) // 2]])
            widget.show(sheet, rows, columns, (at, 0), marked=NOBODY, culprits=NOBODY, missing={})
            paint_anew(widget.screen)

        async def press(key: str) -> None:
            await pilot.press(key)
            paint_anew(widget.screen)

        for metric in (Metric.ACTIVE, Metric.TOTAL, Metric.WAITED):
            took = await cpu_ms(lambda metric=metric: show(metric))  # type: ignore[misc]
            figures.append((f"matrix: first paint of {metric.label}, outliers and order too", took))
        steps = [(key, await cpu_ms(lambda key=key: press(key), 5)) for key in ("pagedown", "down", "right")]  # type: ignore[misc]
    return [*figures, *((f"matrix: key {key}", took) for key, took in steps)]


async def data_table(look: CounterLook) -> list[Figure]:
    widget: DataTable[str] = DataTable(cursor_type="cell")
    sheet = CounterSheet(look, Metric.TOTAL, look.ranks)
    layout = CounterLayout(sheet, np.arange(len(sheet.names)))
    rows = min(TABLE_ROWS, len(sheet.ranks))
    async with Alone(widget).run_test(size=SIZE) as pilot:
        widget.focus()

        async def show() -> None:
            widget.add_columns("rank", *layout.titles)
            for row in range(rows):
                texts = [cell_text(sheet, row, number, width)[0] for number, width in enumerate(layout.widths)]
                widget.add_row(str(row), *texts)
            await pilot.pause()
            paint_anew(widget.screen)

        async def press(key: str) -> None:
            await pilot.press(key)
            paint_anew(widget.screen)

        first = await cpu_ms(show)
        page = await cpu_ms(lambda: press("pagedown"), 5)
    scale = len(sheet.ranks) / rows
    return [
        (f"DataTable: first paint, {rows} rows x {scale:.0f}", first * scale),
        (f"DataTable: key pagedown, of {rows} rows only", page),
    ]


async def main(ranks: int, counters: int) -> None:
    look, figures = read(ranks, counters)
    figures += [*await matrix(look), *await data_table(look)]
    by_name = dict(figures)
    first, page = "matrix: first paint of ", "matrix: key pagedown"
    peers = {
        first: next(took for name, took in figures if name.startswith("DataTable: first paint")),
        page: next(took for name, took in figures if name.startswith("DataTable: key")),
    }
    goals = {first: 200.0, page: 30.0}
    for name, took in by_name.items():
        kind = next((one for one in peers if name.startswith(one)), "")
        if not name.startswith("DataTable"):
            against = "DataTable, scaled from 128 rows" if kind == first else "DataTable of 128 rows" if kind else ""
            record(name, took, "ms CPU", peer=peers.get(kind), against=against, at_most=goals.get(kind))
    title = f"{ranks:,} ranks x {counters} counters at {SIZE[0]}x{SIZE[1]}"
    print(tabulate(figures, [title, "CPU ms"], floatfmt=".1f"))


if __name__ == "__main__":
    numbers = [int(word) for word in sys.argv[1:]] + [4096, 200][len(sys.argv) - 1 :]
    asyncio.run(main(numbers[0], numbers[1]))
