"""Screen 5: wait counters, driven by keys."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.fakes.counter_answers import answer, counter
from tests.tui.counter_scripts import counter_job, trained
from tests.tui.running import Running, running
from tests.tui.scripted import job
from xpudbg.services.counters.metrics import Metric
from xpudbg.services.counters.sheet import RANK
from xpudbg.services.events import Event, TargetFailed, TargetOpened, TargetOpening
from xpudbg.services.snapshot import RankAddress
from xpudbg.tui.screens.counters import CountersScreen

if TYPE_CHECKING:
    from pathlib import Path

SCRIPT = counter_job(16, trained(14, waiting=[3], slow=[9]), {14: "dead"}, without=[15])


def exported(folder: Path) -> list[str]:
    (path,) = folder.glob("xpudbg-*.csv")
    return path.read_text().splitlines()


def line_of(run: Running, rank: int) -> str:
    return next(line for line in run.lines() if line.strip("* ").startswith(f"{rank} "))


async def test_who_waits_in_what_is_read_without_another_key(tmp_path: Path) -> None:
    async with running(SCRIPT, tmp_path, size=(120, 40)) as run:
        await run.press("5")
        assert isinstance(run.app.screen, CountersScreen)
        said = run.text()
        assert "waiting now" in said
        assert "1 rank in a wait now: 3" in said
        assert "14 of 16 ranks gave counters" in said
        head = next(line for line in run.lines() if line.startswith("  rank"))
        assert head.split()[1] == "TCPStore__wait"
        assert "1 >!" in line_of(run, 3)
        assert "not there: the rank has no wait_counter_values" in line_of(run, 15)


async def test_metric_order_filter_and_the_way_to_the_stack_and_back(tmp_path: Path) -> None:
    async with running(SCRIPT, tmp_path, size=(120, 40)) as run:
        await run.press("5", "m")
        view = run.app.view.counters
        assert view.metric.label == Metric.TOTAL.label
        assert "18.2 s  !" in line_of(run, 9)
        await run.press("M", "M")
        assert view.metric is Metric.CALL_RATE
        assert "look 2 since look 1" in run.text()
        await run.press("m", "s")
        assert (view.metric, view.sorted_by) == (Metric.ACTIVE, RANK)
        await run.press("S")
        assert view.descending
        await run.press("/", *"tcp rank:2-4", "enter")
        assert [int(view.sheet.ranks[row]) for row in view.rows] == [4, 3, 2]
        assert run.app.session.selected == 4
        await run.press("escape")
        assert len(view.rows) == 16
        await run.press("/", *"zzq")
        assert "0 of 16 ranks" in run.text(), "no counter is left, so no rank is"
        await run.press("escape")
        await run.press("enter")
        assert run.app.current_mode == "stacks"
        await run.press("escape")
        assert run.app.current_mode == "counters"


async def test_the_cursor_is_the_selected_rank_and_its_cell_is_told_in_full(tmp_path: Path) -> None:
    async with running(SCRIPT, tmp_path, size=(160, 40)) as run:
        await run.press("5", "n")
        assert run.app.session.selected == 3
        said = run.text()
        assert "rank 3 in TCPStore__wait" in said
        assert "the same wait in TCPStore__wait" in said
        assert "most 1: rank 3" in said
        await run.press("m", "n")
        assert run.app.session.selected == 9
        assert "above the others: z = +" in run.text()
        await run.press("]")
        assert "rank 10 in data.next_batch" in run.text()
        await run.press("l", "y")
        assert "9,007,199,254,740,993 µs" in run.app.clipboard
        assert run.app.clipboard.startswith("rank 10 in FlightRecorder__dump")
        await run.press("d")
        assert "longest wait" not in run.text()


async def test_what_is_shown_goes_to_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    async with running(SCRIPT, tmp_path, size=(120, 40)) as run:
        await run.press("5", "e", "enter")
        await run.until(lambda: list(tmp_path.glob("xpudbg-*counters*.csv")), "the file is there")
        await run.until(lambda: "16 rows of waiting now as shown in" in run.text(), "it is said")
        head, first, *rest = exported(tmp_path)
        assert head.startswith("rank,pytorch.wait_counter.TCPStore__wait,")
        assert first.startswith("3,1,0")
        assert rest[-1] == "15,,,,,"


async def test_a_new_look_is_shown_and_a_rank_that_began_anew_told(tmp_path: Path) -> None:
    anew = {0: answer(a=counter(0, 1, 1, 1)), 1: answer(a=counter(1, 90, 9, 9))}
    before = {0: answer(a=counter(0, 9, 9, 9)), 1: answer(a=counter(0, 9, 9, 9))}
    async with running(counter_job(2, [before]), tmp_path, size=(120, 40)) as run:
        await run.press("5")
        assert "nobody is in a wait now" in run.text()
        await run.say(counter_job(2, [before, anew])[2:])
        assert "1 rank in a wait now: 1" in run.text()
        assert "counters of 0 began anew" in run.text()


async def test_before_counters_came_it_says_so(tmp_path: Path) -> None:
    async with running(job(4), tmp_path) as run:
        await run.press("5")
        assert "Looking" in run.text()
        await run.press("m", "e", "n", "s", "y")
        assert run.app.current_mode == "counters"


async def test_where_no_rank_has_counters_the_reason_is_told(tmp_path: Path) -> None:
    async with running(counter_job(2, [{}], without=[0, 1]), tmp_path) as run:
        await run.press("5")
        assert "No rank gave wait counters. Rank 0: not there" in " ".join(run.text().split())


async def test_post_mortem_there_are_none(tmp_path: Path) -> None:
    address = RankAddress(0, "", "", "", file="/dumps/nccl_trace_rank_0")
    script: list[Event] = [TargetOpening("files"), TargetOpened("files", 1, (address,))]
    async with running(script, tmp_path) as run:
        await run.press("5")
        assert run.app.current_mode == "overview"
        said = [note.message for note in run.app._notifications]
        assert said == ["not now: these files hold no wait counters"]


@pytest.mark.parametrize("size", [(40, 10), (60, 18), (250, 70)])
async def test_no_size_is_too_small_or_large(tmp_path: Path, size: tuple[int, int]) -> None:
    name = "\x1b[2J[bold red]\u202e節点" + "x" * 400
    said = {0: {name: counter(2**40, 2**62, 2**62, 2**62)}, 1: {name: counter(-1, -5, -5, -5)}}
    async with running(counter_job(2, [said, said]), tmp_path, size=size) as run:
        await run.press("5", *"mmmmmmmljhkGgnNsSd/", "x", "escape", "escape")
        assert "\x1b" not in run.text()


async def test_why_there_is_nothing_is_plain_text(tmp_path: Path) -> None:
    refused = TargetFailed("store", "no \x1b[31m[bold]answer[/]\u202e", "is it up?")
    async with running([TargetOpening("store"), refused], tmp_path) as run:
        await run.press("5")
        assert "no \\x1b[31m[bold]answer[/]\\u202e" in run.text()
