"""The table of a million calls on the flight recorder's screen, against textual's DataTable and fastdatatable.

All three in one run, each in a running headless application of 200 x 60 cells, every line of the screen really made.
Ours shows all columns of the calls, twice: on the application's screen with all that is around it, from the analysed
dumps on, and as a table alone like the others. These show the ten first columns, read from columns that lie ready.
DataTable gets fewer rows, since a million take minutes: what it takes for more grows with the rows, which is said as
the time for a row.

    python -m benchmarks.bench_recorder_table [--ranks 512] [--entries 2000] [--data-table-rows 10000]
"""

from __future__ import annotations

import argparse
import asyncio
import importlib
import json
import os
import random
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

os.environ["TEXTUAL_ANIMATIONS"] = "none"
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import numpy as np
from tabulate import tabulate
from textual.app import App, ComposeResult
from textual.widgets import DataTable

from benchmarks.bench_flight_recorder import dump_of
from benchmarks.bench_widgets import cpu_ms, paint_anew
from benchmarks.figures import record
from tests.tui.running import running
from tests.tui.scripted import NOW, job
from xpudbg.services import events
from xpudbg.services.flight_recorder.analysis import analyse
from xpudbg.services.flight_recorder.decode import decode
from xpudbg.services.flight_recorder.diagnosis import diagnose
from xpudbg.services.looks.recorders import RecorderLook
from xpudbg.services.looks.stacks import StackLook
from xpudbg.services.recorder_tables.browser import RecorderTables
from xpudbg.services.recorder_tables.order import Sort, ordered
from xpudbg.services.recorder_tables.row_filter import RowFilter
from xpudbg.tui.recorder.rows import RecorderRows
from xpudbg.tui.recorder.spots import Tab
from xpudbg.tui.screens.recorder import RecorderScreen
from xpudbg.tui.widgets.grid_table import GridTable

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from numpy.typing import NDArray
    from textual.pilot import Pilot

SIZE = (200, 60)
SOURCE = "dump_nccl_trace_json"
COLUMNS = 10
GOALS_MS = {"first paint": 100.0, "page down": 30.0, "sort": 400.0, "filter": 100.0}


class Step(NamedTuple):
    """What one thing costs: CPU of the thread that paints and of the others, milliseconds."""

    name: str
    screen: float
    beside: float = 0.0

    @property
    def both(self) -> float:
        return self.screen + self.beside


def tables_of(ranks: int, entries: int) -> RecorderTables:
    """The tables of a job whose dumps are decoded and analysed as in the program."""
    bodies = ((rank, json.dumps(uneven(rank, ranks, entries)).encode()) for rank in range(ranks))
    dumps = [replace(decode(body, rank), source=SOURCE, taken_at=NOW) for rank, body in bodies]
    diagnosis = diagnose(analyse(dumps, world_size=ranks))
    return RecorderTables(RecorderLook(1, {SOURCE: diagnosis}), SOURCE)


def uneven(rank: int, ranks: int, entries: int) -> dict[str, Any]:
    """A dump whose times are scattered: numbers that stand in order already would be sorted for nothing."""
    scatter = random.Random(rank)
    dump = dump_of(rank, ranks, entries, frames=False)
    for entry in dump["entries"]:
        entry["time_created_ns"] += scatter.randrange(10**9)
        entry["duration_ms"] = scatter.random()
    return dump


async def measured(name: str, step: Callable[[], Awaitable[None]], times: int = 3) -> Step:
    """The best of some runs: CPU of this thread, and of all others."""
    best = Step(name, float("inf"))
    for _ in range(times):
        here, all_threads = time.thread_time(), time.process_time()
        await step()
        screen = (time.thread_time() - here) * 1000
        made = Step(name, screen, max((time.process_time() - all_threads) * 1000 - screen, 0.0))
        best = min(best, made, key=lambda one: one.both)
    return best


async def ours(look: RecorderLook, ranks: int) -> list[Step]:
    """The screen in the application, its rows found and ordered beside it."""
    script: list[events.Event] = job(ranks)
    script[-1:-1] = [events.Analysed(1, StackLook(look_id=1), look)]
    with tempfile.TemporaryDirectory() as folder:
        async with running(script, Path(folder), size=SIZE) as run:
            view = run.app.view.recorder

            async def shown() -> None:
                await run.until(lambda: view.shown is not None and view.shown.made_by == view.wanted())
                await run.pilot.pause()

            async def first() -> None:
                run.app.go_to("recorder")
                await shown()
                paint_anew(run.app.screen)

            steps = [await measured("to the screen", first, 1)]
            screen = run.app.screen
            assert isinstance(screen, RecorderScreen)

            async def calls() -> None:
                view.choose(Tab.CALLS)
                screen.show_all()
                await shown()
                paint_anew(screen)

            steps.append(await measured("first paint", calls, 1))

            async def sort(*keys: str) -> None:
                view.state.sort.chosen = ()
                for key in keys:
                    view.sort_by(key, also=True)
                screen.show_all()
                await shown()

            async def narrow(text: str) -> None:
                view.set_filter(text)
                screen.show_all()
                await shown()

            steps += [
                Step("page down", await cpu_ms(lambda: run.pilot.press("pagedown"), 5)),
                await measured("to the end and back", lambda: run.press("G", "g")),
                await measured("sort by a number", lambda: sort("created"), 1),
                await measured("sort by a text", lambda: sort("op"), 1),
                await measured("sort by three columns", lambda: sort("group", "rank", "created"), 1),
            ]
            await sort()
            steps += [
                await measured("filter: a text, the first time", lambda: narrow("all_gather"), 1),
                await measured("filter: a text", lambda: narrow("all_reduce"), 1),
                await measured("filter: ranks and numbers", lambda: narrow("rank:0-63 seq:100-200"), 1),
            ]
            return steps


class Alone(App[None]):
    """One table and nothing else."""

    def __init__(self, table: Any) -> None:
        super().__init__()
        self.table = table

    def compose(self) -> ComposeResult:
        yield self.table


async def ours_alone(tables: RecorderTables) -> list[Step]:
    """Our table alone; what its columns share is made first, as the screen has it made beside itself."""
    table, order = GridTable(), np.arange(len(tables.calls), dtype=np.intp)
    rows: list[RecorderRows] = []

    async def columns() -> None:
        rows.append(RecorderRows(tables.calls))

    def show(order: NDArray[np.intp]) -> None:
        table.show(rows[0], order, cursor=int(order[0]))

    async with Alone(table).run_test(size=SIZE) as pilot:

        async def shown(make: Callable[[], NDArray[np.intp]]) -> None:
            show(make())
            await pilot.pause()
            paint_anew(pilot.app.screen)

        async def page_down() -> None:
            table.do_page_down()
            await pilot.pause()

        table.focus()
        by_number, by_three = (Sort("created", True),), (Sort("group"), Sort("rank"), Sort("created"))
        return [
            await measured("columns made", columns, 1),
            await measured("first paint", lambda: shown(lambda: order), 1),
            Step("page down", await cpu_ms(page_down, 5)),
            await measured("sort by a number", lambda: shown(lambda: ordered(tables.calls, by_number)), 1),
            await measured("sort by three columns", lambda: shown(lambda: ordered(tables.calls, by_three)), 1),
            await measured(
                "filter: a text",
                lambda: shown(lambda: ordered(tables.calls, (), tables.calls.mask(RowFilter.parse("all_gather")))),
                1,
            ),
        ]


async def theirs(
    make: Callable[[], Any], fill: Callable[[Any], None], sort: Callable[[Any], object], empty: bool
) -> list[Step]:
    """The same steps with a table widget of somebody else."""
    table: list[Any] = []

    async def first(pilot: Pilot[None]) -> None:
        if not empty:
            table.append(make())
            await pilot.app.mount(table[0])
        fill(table[0])
        table[0].focus()
        await pilot.pause()
        paint_anew(pilot.app.screen)

    app: App[None] = App() if not empty else Alone(make())
    async with app.run_test(size=SIZE) as pilot:
        if isinstance(app, Alone):
            table.append(app.table)

        async def sorted_by() -> None:
            sort(table[0])
            await pilot.pause()
            paint_anew(pilot.app.screen)

        return [
            await measured("first paint", lambda: first(pilot), 1),
            Step("page down", await cpu_ms(lambda: pilot.press("pagedown"), 5)),
            await measured("sort by a number", sorted_by, 1),
        ]


def ready_columns(tables: RecorderTables, rows: int) -> dict[str, list[Any] | NDArray[Any]]:
    """The first columns as the other tables want them: numbers as numbers, texts as texts."""
    calls = tables.calls
    made: dict[str, list[Any] | NDArray[Any]] = {}
    for place, field in enumerate(calls.fields[:COLUMNS]):
        if field.numeric:
            made[field.title] = np.asarray(calls.keys(place))[:rows]
        else:
            made[field.title] = [calls.cell(row, place).text for row in range(rows)]
    return made


async def data_table(tables: RecorderTables, rows: int) -> list[Step]:
    columns = ready_columns(tables, rows)

    def fill(table: Any) -> None:
        table.add_columns(*((title, title) for title in columns))
        table.add_rows(zip(*columns.values(), strict=True))

    return await theirs(DataTable, fill, lambda table: table.sort("global_rank"), empty=True)


async def fast_table(tables: RecorderTables) -> list[Step] | None:
    """None where the package is not installed."""
    try:
        pyarrow: Any = importlib.import_module("pyarrow")
        fast: Any = importlib.import_module("textual_fastdatatable")
    except ImportError:
        return None
    data = pyarrow.table(
        {title: pyarrow.array(column) for title, column in ready_columns(tables, len(tables.calls)).items()}
    )
    sort = lambda table: table.sort([("global_rank", "ascending")])  # noqa: E731
    return await theirs(lambda: fast.DataTable(backend=fast.ArrowBackend(data)), lambda _table: None, sort, empty=False)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ranks", type=int, default=512)
    parser.add_argument("--entries", type=int, default=2000)
    parser.add_argument("--data-table-rows", type=int, default=10_000)
    options = parser.parse_args()
    tables = tables_of(options.ranks, options.entries)
    rows = len(tables.lines)
    alone = asyncio.run(ours_alone(tables))
    print(
        tabulate(
            [(step.name, step.both) for step in alone],
            [f"our table alone: {rows:,} calls, {len(tables.calls.fields)} columns", "CPU ms"],
            floatfmt=".1f",
        ),
        end="\n\n",
    )
    tables = RecorderTables(tables.look, SOURCE)
    mine = asyncio.run(ours(tables.look, options.ranks))
    print(
        tabulate(
            [(step.name, step.screen, step.beside) for step in mine],
            [f"our screen: {rows:,} calls", "its thread, CPU ms", "beside it"],
            floatfmt=".1f",
        ),
        end="\n\n",
    )
    by_name = {step.name: step for step in alone}
    few = min(options.data_table_rows, rows)
    others = {
        "fastdatatable": (rows, asyncio.run(fast_table(tables))),
        "DataTable": (few, asyncio.run(data_table(tables, few))),
    }
    for step in alone:
        goal = next((most for begins, most in GOALS_MS.items() if step.name.startswith(begins)), None)
        record(f"our table alone: {step.name}", step.both, "ms CPU", at_most=goal)
    for step in mine:
        record(f"our screen: {step.name}", step.screen, "ms CPU")
    for name, (count, steps) in others.items():
        if steps is None:
            print(f"{name}: not installed (pip install textual-fastdatatable)\n")
            continue
        lines = []
        for step in steps:
            own = by_name[step.name].both
            record(f"{step.name}, {count:,} rows of {name}", own, "ms CPU", peer=step.both, against=name)
            lines.append((step.name, step.both, step.both / own, step.both / count / (own / rows)))
        print(
            tabulate(
                lines,
                [f"{name}: {count:,} rows, {COLUMNS} columns", "CPU ms", "times ours", "for a row, times ours"],
                floatfmt=".1f",
            ),
            end="\n\n",
        )


if __name__ == "__main__":
    main()
