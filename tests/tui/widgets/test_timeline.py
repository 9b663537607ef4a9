"""The timeline pane: its lines, keys, mouse, sizes, and hostile text."""

from __future__ import annotations

from dataclasses import replace

import pytest
from rich.cells import cell_len

from tests.services.flight_recorder.recorded import dump_of, entry
from tests.services.recorder_timeline.timed_jobs import TimedJob
from tests.tui.widgets.painting import Alone, line_texts
from xpudbg.services.flight_recorder.analysis import analyse
from xpudbg.services.flight_recorder.diagnosis import Diagnosis, diagnose
from xpudbg.services.ranksets import RankSet
from xpudbg.services.recorder_timeline.timelines import Timelines
from xpudbg.tui.recorder import timeline_view
from xpudbg.tui.recorder.timeline_view import Subject
from xpudbg.tui.widgets import timeline
from xpudbg.tui.widgets.timeline import CallKey, TimelinePane


def hung() -> Diagnosis:
    return TimedJob(8, 64, {5: 12.0}, stops={3: 40}, without_dump=(6,)).diagnosis()


class Listening(Alone):
    """Keeps what the pane says."""

    def on_timeline_pane_call_chosen(self, message: TimelinePane.CallChosen) -> None:
        self.messages.append(message)

    def on_timeline_pane_rank_chosen(self, message: TimelinePane.RankChosen) -> None:
        self.messages.append(message)


@pytest.mark.parametrize("size", [(80, 24), (120, 40), (200, 60), (30, 6), (12, 3)])
async def test_lines_are_as_wide_as_the_widget(size: tuple[int, int]) -> None:
    pane = TimelinePane()
    async with Alone(pane).run_test(size=size) as pilot:
        pane.show(None)
        assert {cell_len(line) for line in line_texts(pane)} == {size[0]}
        pane.show(hung())
        pane.focus()
        for key in ("x", "u", "z", "plus"):
            await pilot.press(key)
            assert {cell_len(line) for line in line_texts(pane)} == {size[0]}


async def test_what_it_says_of_a_job_that_hangs() -> None:
    pane = TimelinePane()
    async with Alone(pane).run_test(size=(90, 24)) as pilot:
        pane.show(hung())
        await pilot.pause()
        lines = line_texts(pane)
        assert lines[0].startswith("default_pg  8 ranks, worst first · by sequence · clocks as recorded")
        assert lines[1].startswith("rank 5 is last in 40 of 40 calls, 12 ms behind the median (clocks may differ)")
        assert lines[3].startswith(">     3   0%  ▁▁")
        assert lines[3].rstrip().endswith("▁×")
        assert lines[4].startswith("      5 100%  ██████")
        assert lines[4].rstrip().endswith("░")
        assert lines[10].rstrip() == "      6       no dump: connection refused"
        assert lines[21].startswith("nccl:all_reduce #41 of default_pg  rank 3 has not come")
        assert lines[22].startswith("6 of 8 came within 12 ms, first rank ")
        assert "last rank 5  not come: 3  not known of 6" in lines[22]
        assert "× has not come" in lines[23]


async def test_a_rank_that_is_stuck_itself_is_in_the_call_and_others_wait_in_it() -> None:
    pane = TimelinePane()
    async with Alone(pane).run_test(size=(90, 24)) as pilot:
        pane.show(hung(), cursor=CallKey(5, 0, 41, False))
        await pilot.pause()
        assert "#41 of default_pg  rank 5 waits in it" in line_texts(pane)[21], "rank 3 has not come"
        entries = [
            entry("nccl:all_reduce", 1, state="completed"),
            entry("nccl:all_reduce", 1, state="scheduled", retired=False, time_discovered_completed_ns=0),
        ]
        both = diagnose(analyse([dump_of(rank, [one], "[0, 1]") for rank, one in enumerate(entries)]))
        pane.show(both, cursor=CallKey(1, 0, 1, False))
        await pilot.pause()
        assert "rank 1 is in it" in line_texts(pane)[21]


async def test_keys() -> None:
    pane = TimelinePane()
    app = Listening(pane)
    async with app.run_test(size=(80, 24)) as pilot:
        pane.show(TimedJob(64, 400, {5: 12.0}).diagnosis())
        pane.focus()
        await pilot.press("j", "k", "x")
        assert "by time" in line_texts(pane)[0]
        ticks = line_texts(pane)[2]
        await pilot.press("plus", "equals_sign")
        assert line_texts(pane)[2] != ticks
        await pilot.press("z", "underscore")
        assert line_texts(pane)[2] == ticks
        await pilot.press("plus", "plus", "H", "L", "H", "0")
        assert line_texts(pane)[2] == ticks
        await pilot.press("x", "left", "h", "right")
        assert pane.view.key is not None
        assert pane.view.key.rank == 5
        await pilot.press("G", "pageup", "w")
        assert "in order" in line_texts(pane)[0]
        await pilot.press("g")
        assert line_texts(pane)[3].startswith(">     0")
        await pilot.press("pagedown", "u")
        assert line_texts(pane)[0].startswith("rank 18  1 group")
        await pilot.press("u")
        assert "in order" in line_texts(pane)[0]
        assert pane.view.key is not None
        assert pane.view.key.rank == 18
        pane.choose_call()
        await pilot.pause()
        ranks = [message.rank for message in app.messages if isinstance(message, TimelinePane.RankChosen)]
        assert (ranks[1], ranks[-2:]) == (5, [0, 18])
        chosen = app.messages[-1]
        assert isinstance(chosen, TimelinePane.CallChosen)
        assert (chosen.rank, chosen.group_index, chosen.p2p) == (18, 0, False)


async def test_the_mouse() -> None:
    pane = TimelinePane()
    app = Listening(pane)
    async with app.run_test(size=(80, 24)) as pilot:
        pane.show(TimedJob(8, 60, {5: 12.0}).diagnosis())
        await pilot.pause()
        await pilot.click(TimelinePane, offset=(14 + 29, 5), times=2)
        await pilot.click(TimelinePane, offset=(40, 1))
        await pilot.click(TimelinePane, offset=(40, 18))
        await pilot.pause()
        chosen = [message for message in app.messages if isinstance(message, TimelinePane.CallChosen)]
        assert [(one.seq, one.rank) for one in chosen] == [(30, pane.view.key.rank if pane.view.key else None)]
        assert pane.view.place == 2


async def test_names_from_outside_are_painted_as_they_are() -> None:
    bad = "[/x]\x1b[31m\u202e節"
    job = TimedJob(3, 20, desc=bad, op=bad)
    dumps = [replace(job.dump(rank), host=bad) for rank in range(2)]
    diagnosis = diagnose(analyse(dumps, world_size=3, unreadable={2: bad}))
    pane = TimelinePane()
    async with Alone(pane).run_test(size=(100, 24)) as pilot:
        pane.show(diagnosis)
        pane.focus()
        await pilot.pause()
        for _ in range(2):
            text = "\n".join(line_texts(pane))
            assert "[/x]\\x1b[31m\\u202e節" in text
            assert "\x1b" not in text
            assert {cell_len(line) for line in line_texts(pane)} == {100}
            await pilot.press("u")


async def test_the_filter_leaves_no_lane() -> None:
    pane = TimelinePane()
    async with Alone(pane).run_test(size=(80, 24)):
        pane.show(hung(), shown=RankSet())
        assert "no rank of this group matches the filter" in line_texts(pane)[4]
        assert pane.choose_call() == "there is no call to go to: no rank is shown"
        pane.show(hung(), shown=RankSet([0, 6]))
        pane.do_down()
        assert pane.choose_call() == "there is no call to go to: rank 6: no dump: connection refused"
        pane.do_up()
        assert pane.choose_call() == ""
        assert [line[:7] for line in line_texts(pane)[3:6]] == [">     0", "      6", "       "]


async def test_wishes_of_the_screen() -> None:
    pane = TimelinePane()
    async with Alone(pane).run_test(size=(80, 24)) as pilot:
        diagnosis = TimedJob(8, 64, {5: 12.0}).diagnosis()
        pane.show(diagnosis, group=0, rank=3)
        assert pane.view.key is not None
        assert pane.view.key.rank == 3
        pane.focus()
        await pilot.press("k")
        chosen = pane.view.key
        pane.show(TimedJob(8, 64, {5: 12.0}).diagnosis(), group=0, rank=3)
        assert pane.view.key == chosen  # nothing else is wanted: what a person chose stays
        pane.show(diagnosis, group=0, rank=7)
        assert pane.view.key.rank == 7
        pane.show(diagnosis, group=0, rank=7, cursor=CallKey(2, 0, 10, False))
        assert pane.view.key == CallKey(2, 0, 10, False)
        pane.show(diagnosis, group=0, rank=7, selected=1)
        assert pane.view.key.rank == 2  # selected before this was shown
        pane.show(diagnosis, group=0, rank=7, selected=4)
        assert pane.view.key.rank == 4
        pane.show(diagnosis, rank=4)
        assert line_texts(pane)[0].startswith("rank 4")
        pane.show(diagnosis, rank=6)
        assert line_texts(pane)[0].startswith("rank 6")


async def test_4096_lanes_made_beside_the_screen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(timeline_view, "AT_ONCE", 1_000)
    pane = TimelinePane()
    async with Alone(pane).run_test(size=(120, 40)) as pilot:
        made: list[Subject] = []

        def counted(timelines: Timelines, subject: Subject) -> object:
            made.append(subject)
            return timeline_view.make(timelines, subject)

        monkeypatch.setattr(timeline, "make", counted)
        diagnosis = TimedJob(4096, 4, {77: 12.0}).diagnosis()
        for _ in range(3):
            pane.show(diagnosis, group=0, rank=4000)
        assert "bringing 16,384 calls of ranks together" in line_texts(pane)[0]
        await pane.workers.wait_for_complete()
        await pilot.pause()
        assert made == [Subject(0, None)]
        assert "4,096" in line_texts(pane)[0]
        assert pane.view.key is not None
        assert pane.view.key.rank == 4000
        pane.focus()
        await pilot.press("g")
        assert line_texts(pane)[3].startswith(">    77 100%  +11.9 ms")
        assert {cell_len(line) for line in line_texts(pane)} == {120}


async def test_another_size_is_painted_anew() -> None:
    pane = TimelinePane()
    async with Alone(pane).run_test(size=(80, 24)) as pilot:
        pane.show(TimedJob(64, 400, {5: 12.0}).diagnosis())
        pane.focus()
        await pilot.press("G")
        await pilot.resize_terminal(130, 12)
        for _ in range(500):
            if pane.size.width == 130:
                break
            await pilot.pause(0.01)
        lines = line_texts(pane)
        assert {cell_len(line) for line in lines} == {130}
        assert any(line.startswith(">") for line in lines)
