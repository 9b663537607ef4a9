"""Screen 6: asking for a capture, following it, its tables, Perfetto."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.tui.profile_scripts import FOLDER, captured, opened_set, trace_row, under_way
from tests.tui.running import Running, running
from tests.tui.scripted import NOW, SECOND, job
from xpudbg.services import events
from xpudbg.services.profiles import orders
from xpudbg.services.profiles.events import HandedOver, ProfileSaid, SavedListed, SetOpened
from xpudbg.services.profiles.trace_set import TraceState
from xpudbg.services.ranksets import RankSet
from xpudbg.tui.profiler.view import ProfileTab
from xpudbg.tui.screens.line_request import LineRequest


def ordered(run: Running) -> list[object]:
    """What the engine was told to do for the profiler, without the listing of saved captures."""
    told = [order for name, order in run.engine.calls if name == "profile"]
    return [order for order in told if not isinstance(order, orders.ListSaved)]


def tab_of(run: Running) -> ProfileTab:
    return run.app.attachment.profiler.tab


def said(run: Running) -> str:
    """What was told in passing."""
    return "\n".join(notification.message for notification in run.app._notifications)


async def test_a_capture_asks_first_and_says_what_it_costs(tmp_path: Path) -> None:
    async with running(job(8, {3: "stopped", 5: "dead"}), tmp_path, size=(100, 30)) as run:
        run.app.attachment.change(events.RanksMarked(RankSet([0, 1, 3, 5])))
        await run.press("6", "c")
        assert isinstance(run.app.screen, LineRequest)
        shown = " ".join(run.text().replace("│", " ").split())
        assert "Run torch's profiler on 2 ranks (0-1)" in shown
        assert "Left out: 3 stopped, 5 dead." in shown
        assert "A rank that hangs gives nothing" in shown
        assert ordered(run) == []
        await run.press("escape")
        assert ordered(run) == []
        await run.press("c", "backspace", *"0", "enter")
        assert "write seconds, from 0.1 to 600" in run.text()
        await run.press("backspace", *"2.5", "enter")
        assert ordered(run) == [orders.Capture(RankSet([0, 1]), 2.5)]


async def test_a_capture_of_another_job_says_so(tmp_path: Path) -> None:
    async with running(job(2), tmp_path, size=(140, 30)) as run:
        await run.press("6")
        other = replace(opened_set([trace_row(0)]).traces, target="store other-0:1")
        await run.say([SetOpened(other)])
        assert "of store other-0:1" in run.text()
        await run.say([SetOpened(replace(other, target=run.app.session.label))])
        assert f"of {run.app.session.label}" not in run.text()


@pytest.mark.parametrize(("sick", "why"), [("stopped", "0 stopped"), ("dead", "0 dead"), ("gil_held", "0 gil held")])
async def test_a_rank_that_would_give_nothing_is_not_asked(tmp_path: Path, sick: str, why: str) -> None:
    async with running(job(2, {0: sick}), tmp_path) as run:
        await run.press("6", "c")
        assert not isinstance(run.app.screen, LineRequest)
        assert said(run) == f"not now: none of these ranks can be profiled: {why}"


async def test_a_capture_under_way_is_followed_and_can_be_ended(tmp_path: Path) -> None:
    async with running(job(4), tmp_path, size=(120, 30)) as run:
        run.clock.now = NOW + 4 * SECOND
        await run.press("6")
        await run.say(under_way())
        lines = run.text()
        assert "receiving 34.0 MB" in lines
        assert "profiling, 3 of 10 s" in lines
        assert "no answer for 24 s" in lines
        assert "1 of 4 ranks · 3 still out" in lines
        run.clock.now += 4 * SECOND
        run.tick()
        await run.pilot.pause()
        assert "profiling, 7 of 10 s" in run.text()
        await run.press("c")
        assert said(run) == "not now: a capture is under way; x ends it"
        await run.press("x")
        assert ordered(run)[-1] == orders.CancelCapture()


async def test_through_the_tables_of_a_rank(tmp_path: Path) -> None:
    async with running([*job(8), *captured()], tmp_path, size=(140, 40)) as run:
        await run.press("6")
        assert "4 of 6 ranks · 2 without a trace" in run.text()
        assert "x failed: HTTP 500:" in run.text()
        await run.press("enter")
        assert tab_of(run) is ProfileTab.OPERATORS
        assert "aten::mm" in run.lines()[4]
        await run.press("right_square_bracket", "right_square_bracket")
        assert run.app.session.selected == 2
        await run.press("enter")
        assert "against the median of 3 others" in run.lines()[2]
        assert "+2.88 ms" in run.lines()[4]
        await run.press("d")
        assert "against rank 0" in run.lines()[2]
        await run.press("tab", "tab")
        assert tab_of(run) is ProfileTab.RANKS
        await run.press("shift+tab", "shift+tab", "shift+tab")
        assert "before ncclDevKernel" in " ".join(run.text().split())
        await run.press("escape")
        assert tab_of(run) is ProfileTab.RANKS


async def test_tables_are_sorted_and_filtered(tmp_path: Path) -> None:
    async with running([*job(8), *captured()], tmp_path, size=(120, 30)) as run:
        await run.press("6", "enter", "slash", *"!kernel aten", "enter")
        names = [line[2:40].strip() for line in run.lines()[5:10]]
        assert names[0] == "aten::mm"
        assert all(name.startswith("aten") for name in names)
        await run.press("s")
        assert [line[2:30].strip() for line in run.lines()[5:7]] == ["aten::gelu", "aten::layer_norm"]
        await run.press("S")
        assert run.lines()[5][2:12].strip() == "aten::scal"
        await run.press("escape")
        assert "gemm" in run.text()
        assert "ncclDevKernel" in run.text()


async def test_a_rank_without_a_trace_says_why(tmp_path: Path) -> None:
    async with running([*job(8), *captured()], tmp_path, size=(120, 30)) as run:
        await run.press("6", "left_square_bracket", "left_square_bracket", "enter")
        assert "There is no trace of rank 4: HTTP 500: RuntimeError: no" in run.text()
        assert "\x1b" not in run.text()


async def test_marked_traces_go_to_perfetto(tmp_path: Path) -> None:
    async with running([*job(8), *captured()], tmp_path, size=(120, 30)) as run:
        await run.press("6", "p")
        path = {rank: FOLDER / f"rank-{rank:05d}.json.gz" for rank in range(4)}
        assert ordered(run)[-1] == orders.HandToPerfetto(((0, path[0]),), FOLDER)
        await run.press("space", "down", "down", "down", "down", "space", "up", "space", "p")
        assert ordered(run)[-1] == orders.HandToPerfetto(((0, path[0]), (3, path[3])), FOLDER)
        await run.say([HandedOver(FOLDER / "merged-0-3.json.gz", "", opened=False)])
        assert f"no browser is here: open {FOLDER}/merged-0-3.json.gz at ui.perfetto.dev" in said(run)
        await run.say([HandedOver(FOLDER / "merged-0.json.gz", "http://127.0.0.1:4000/secret/", opened=True)])
        assert "the browser opens 127.0.0.1:4000; the trace is handed over once" in said(run)
        assert "secret" not in said(run) + run.text()


async def test_saved_captures_are_listed_and_opened(tmp_path: Path) -> None:
    async with running([*job(8), *captured()], tmp_path, size=(140, 30)) as run:
        await run.press("6", "shift+tab")
        assert FOLDER.name in run.lines()[4]
        await run.press("down", "enter")
        assert ordered(run)[-1] == orders.OpenTraces((Path("/profiles/older"),))
        await run.say([SavedListed((), "/profiles")])
        await run.press("shift+tab")
        assert "No capture is saved. They go to /profiles." in run.text()


async def test_trace_files_are_opened_by_name(tmp_path: Path) -> None:
    trace = tmp_path / "trace.json"
    trace.write_text("[]")
    async with running(job(2), tmp_path) as run:
        await run.press("6", "o", *"none.json", "enter")
        assert "none.json: there is no such file" in run.text()
        run.app.screen.query_one("#request-line").value = str(trace)  # type: ignore[attr-defined]
        await run.press("enter")
        assert ordered(run)[-1] == orders.OpenTraces((trace,))
        await run.say([ProfileSaid("x has no [b]trace")])
        assert "x has no [b]trace" in said(run)


async def test_without_anything_it_says_what_to_do(tmp_path: Path) -> None:
    async with running(job(2), tmp_path, size=(120, 30)) as run:
        await run.press("6")
        assert "no capture is shown" in run.text()
        assert "c runs the profiler on ranks, o opens trace files" in run.text()
        for key, why in (
            ("p", "not now: there is no trace to hand over"),
            ("x", "no capture is under way"),
            ("enter", "not now: there is no row here"),
        ):
            await run.press(key)
            assert said(run).splitlines()[-1] == why


async def test_ranks_that_the_job_does_not_have_are_shown_all_the_same(tmp_path: Path) -> None:
    async with running(job(1), tmp_path, size=(120, 30)) as run:
        await run.press("6")
        await run.say([SetOpened(opened_set([trace_row(7), trace_row(9, TraceState.CUT, "closed")]).traces)])
        await run.press("down")
        assert run.app.session.selected == 0
        assert ordered(run)[-1] == orders.ReadTraces((FOLDER / "rank-00009.json.gz",))
        await run.press("enter")
        assert "The trace of rank 9 is being read." in run.text()
        await run.press("y")
        assert said(run) == "there is nothing to copy yet"
