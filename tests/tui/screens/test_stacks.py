"""Screen 3, by keys and mouse."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.tui.running import Running, running
from tests.tui.scripted import NOW, SECOND, job, look, opened
from tests.tui.stack_scripts import LOAD, PIN, TRAIN, WAIT, hung, stack_job, stacks, traceback
from xpudbg.services import events
from xpudbg.services.ranksets import RankSet
from xpudbg.services.stacks.tree import ThreadChoice
from xpudbg.tui.screens.stacks import StacksScreen
from xpudbg.tui.widgets.frame_pane import FramePane
from xpudbg.tui.widgets.grid_table import GridTable
from xpudbg.tui.widgets.stack_table import StackTable
from xpudbg.tui.widgets.stack_tree import LIVE_LIMIT, StackTree

if TYPE_CHECKING:
    from pathlib import Path


def tree(run: Running) -> list[str]:
    """The lines of the tree."""
    widget = run.app.screen.query_one(StackTree)
    return [text for y in range(widget.size.height) if (text := widget.render_line(y).text.rstrip())]


def table(run: Running, name: str) -> list[str]:
    """The lines of a table below its titles."""
    widget = run.app.screen.query_one(f"#{name}", GridTable)
    return [text for y in range(1, widget.size.height) if (text := widget.render_line(y).text.strip())]


def cursor(run: Running) -> str:
    widget = run.app.screen.query_one(StackTree)
    return widget.render_line(widget.cursor_line - widget.scroll_offset.y).text.strip()


def facts(run: Running) -> str:
    lines = run.app.screen.query_one(FramePane).content_shown.plain.split("\n")
    return "\n".join(line.rstrip() for line in lines)


@pytest.mark.parametrize(
    ("count", "size"), [(4, (80, 24)), (4, (250, 70)), (256, (80, 24)), (256, (120, 40)), (4096, (120, 40))]
)
async def test_the_odd_ones_are_first_and_the_tree_stands_on_them(
    tmp_path: Path, size: tuple[int, int], count: int
) -> None:
    async with running(stack_job(count, hung(count, loading=[2])), tmp_path, size=size) as run:
        await run.press("3")
        assert run.app.session.selected == 2
        assert f"{count:,} ranks at 2 places" in run.text()
        places = table(run, "places")
        assert places[0].split()[:3] == ["1", "!", "2"]
        assert places[0].split()[3:5] == ["18", "s"]
        assert "decode decode.py:40" in places[0]
        assert "flush buckets.py:57 > all_reduce" in places[1]
        lines = tree(run)
        assert len(lines) == 3
        assert f"{count:,} ranks" in lines[0]
        assert "train.py:142" in lines[0]
        assert "(2 frames)" in lines[0]
        assert "all_reduce" in lines[1]
        assert "decode" in cursor(run)
        assert f"has it   1 rank 2  1 host\nlacks it {count - 1:,} ranks" in facts(run)
        assert all(len(line) == size[0] for line in run.lines())


async def test_boring_frames_come_and_go(tmp_path: Path) -> None:
    async with running(stack_job(4, hung(4)), tmp_path, size=(180, 40)) as run:
        await run.press("3")
        assert "1 boring frame left out" in run.text()
        assert not any("wrapper" in line for line in table(run, "stack"))
        await run.press("b")
        await run.until(lambda: any("wrapper" in line for line in table(run, "stack")), "the boring frame")
        assert "(5 frames)" not in tree(run)[0]
        assert "(6 frames)" in tree(run)[0]
        await run.press("b")
        assert not any("wrapper" in line for line in table(run, "stack"))


async def test_all_threads_are_merged_beside_the_screen(tmp_path: Path) -> None:
    texts = {**hung(3, loading=[2]), 3: traceback(*[PIN] * 40, WAIT)}
    async with running(stack_job(4, texts), tmp_path, size=(120, 40)) as run:
        await run.press("3", "T")
        await run.until(lambda: "all threads" in run.text(), "the other merge")
        (pin,) = (line for line in table(run, "places") if "pin_memory" in line)
        assert pin.split()[:3] == ["4", "0-3", "43"]
        assert run.app.view.stacks.merged_threads is ThreadChoice.ALL
        await run.press("T")
        await run.until(lambda: "main threads" in run.text())


async def test_threads_of_a_rank_are_folded_and_equal_ones_are_one(tmp_path: Path) -> None:
    texts = {0: traceback(*[PIN] * 4999, WAIT)}
    async with running(stack_job(1, texts), tmp_path, size=(120, 40)) as run:
        await run.press("3", "tab")
        lines = table(run, "stack")
        assert lines[0].startswith("▼ main thread")
        assert lines[1].split() == ["all_reduce", "1", "distributed_c10d.py:3252"]
        assert lines[-1].startswith("▶ 4,999 threads")
        await run.press("G", "enter")
        assert table(run, "stack")[-2].split() == ["pin_memory", "pin.py:9"]
        assert "not among the merged stacks" not in facts(run)
        await run.press("down")
        assert "not among the merged stacks" in facts(run)
        await run.press("g", "enter")
        assert len(table(run, "stack")) == 4


async def test_keys_open_and_close_branches(tmp_path: Path) -> None:
    async with running(stack_job(8, hung(8, loading=[2])), tmp_path, size=(120, 40)) as run:
        await run.press("3", "g")
        assert "train.py:142" in cursor(run)
        assert run.app.session.selected == 2
        await run.press("enter")
        assert len(tree(run)) == 1
        await run.press("right")
        assert len(tree(run)) == 3
        await run.press("l")
        assert "all_reduce" in cursor(run)
        assert run.app.session.selected == 0
        assert "has it   7 ranks 0-1,3-7  1 host" in facts(run)
        await run.press("h")
        assert "train.py:142" in cursor(run)
        await run.press("left")
        assert len(tree(run)) == 1


async def test_the_mouse_opens_closes_and_selects(tmp_path: Path) -> None:
    async with running(stack_job(8, hung(8, loading=[2])), tmp_path, size=(120, 40)) as run:
        await run.press("3")
        await run.pilot.click(StackTree, offset=(6, 1))
        await run.until(lambda: run.app.session.selected == 0, "the rank of the line")
        await run.pilot.click(StackTree, offset=(0, 0))
        await run.until(lambda: len(tree(run)) == 1, "one line")
        await run.pilot.click(StackTree, offset=(0, 0))
        await run.until(lambda: len(tree(run)) == 3, "three lines")
        await run.pilot.click("#places", offset=(20, 1))
        await run.until(lambda: run.app.session.selected == 2, "the rank of the place")
        assert "decode" in cursor(run)


async def test_one_selection_for_all_screens(tmp_path: Path) -> None:
    async with running(stack_job(8, hung(8, loading=[2])), tmp_path, size=(120, 40)) as run:
        await run.press("3", "right_square_bracket")
        assert run.app.session.selected == 3
        assert "all_reduce" in cursor(run)
        await run.press("left_square_bracket")
        assert "decode" in cursor(run)
        await run.press("2", "G")
        assert run.app.session.selected == 7
        await run.press("minus")
        assert run.app.current_mode == "stacks"
        await run.press("escape", "escape")
        assert run.app.current_mode == "overview"


async def test_a_branch_becomes_the_marks(tmp_path: Path) -> None:
    async with running(stack_job(8, hung(8, loading=[2, 3])), tmp_path, size=(120, 40)) as run:
        await run.press("3", "space")
        assert run.app.session.marked == RankSet([2, 3])
        await run.press("up", "space")
        assert run.app.session.marked == RankSet([0, 1, 4, 5, 6, 7])
        await run.press("space")
        assert not run.app.session.marked
        await run.press("tab", "G", "space")
        assert run.app.session.marked == RankSet()
        await run.press("g", "down", "space")
        assert run.app.session.marked == RankSet([0, 1, 4, 5, 6, 7])
        await run.press("tab", "g", "space")
        assert run.app.session.marked == RankSet([2, 3])


async def test_the_list_of_places_shows_where_its_cursor_and_the_marks_are(tmp_path: Path) -> None:
    script = stack_job(16, hung(16, loading=[2], gone=[3]), {3: "dead"})
    async with running(script, tmp_path, size=(120, 40)) as run:
        await run.press("3")
        row = next(y for y, line in enumerate(run.lines()) if "0-1,4-15" in line)
        cursor_style = [segment.style for segment in run.app.screen._compositor.render_strips()[row]]
        while run.app.session.selected != 4:
            await run.press("right_square_bracket")
        await run.press("space")
        assert "*      14  0-1,4-15" in run.lines()[row]
        assert [segment.style for segment in run.app.screen._compositor.render_strips()[row]] != cursor_style


async def test_the_filter_finds_frames_and_ranks(tmp_path: Path) -> None:
    async with running(stack_job(16, hung(16, loading=[2, 9])), tmp_path, size=(120, 40)) as run:
        await run.press("3", "slash", *"all_red")
        assert "14 ranks at 1 place · 1 frame found" in run.text()
        assert len(tree(run)) == 1
        await run.press("escape", "slash", *"frame:train.py rank:0-7")
        assert "8 ranks at 2 places · 2 frames found" in run.text()
        await run.press("enter", "g")
        assert "8 ranks" in tree(run)[0]
        assert run.app.session.selected == 2
        await run.press("escape", "slash", *"host:node-001 decode", "enter")
        assert "1 rank at 1 place" in run.text()
        assert run.app.session.selected == 9
        await run.press("2")
        assert "1 of 16 ranks" in run.text()
        await run.press("3", "escape", "slash", *"zzz")
        assert "0 frames found" in run.text()
        assert "No stack matches the filter" in run.text()
        await run.press("escape")
        assert len(tree(run)) == 3


async def test_next_goes_through_the_frames_found_and_without_a_search_through_the_places(tmp_path: Path) -> None:
    async with running(stack_job(8, hung(8, loading=[2])), tmp_path, size=(120, 40)) as run:
        await run.press("3", "slash", *"frame:job/", "enter")
        stack = run.app.screen.query_one(StackTable)
        await run.press("g")
        seen = []
        for _ in range(6):
            await run.press("n")
            assert stack.frame is not None
            seen.append(stack.frame.function)
        assert seen == ["next_batch", "decode", "step", "flush", "<module>", "train"]
        await run.press("N", "N")
        assert stack.frame is not None
        assert stack.frame.function == "flush"
        assert run.app.session.selected == 0
        await run.press("escape", "n")
        assert run.app.session.selected == 2
        await run.press("N")
        assert run.app.session.selected == 0


async def test_a_refresh_keeps_what_is_open_and_the_cursor(tmp_path: Path) -> None:
    texts = hung(16, loading=[2])
    async with running(stack_job(16, texts), tmp_path, size=(120, 40)) as run:
        await run.press("3", "g", "enter", "enter", "down")
        before = cursor(run)
        assert "all_reduce" in before
        texts[5] = traceback(PIN, ("save /job/save.py:3", *TRAIN))
        await run.say(stacks(3, 16, texts, at=NOW + 10 * SECOND))
        assert cursor(run).startswith(before[:20])
        assert len(tree(run)) == 4
        await run.press("g", "enter")
        await run.say(stacks(4, 16, hung(16), at=NOW + 20 * SECOND))
        assert len(tree(run)) == 1


async def test_ranks_without_a_stack_say_why(tmp_path: Path) -> None:
    script = stack_job(16, hung(16, loading=[2], gone=[3, 4, 5]), {3: "stopped", 4: "dead", 5: "dead"})
    async with running(script, tmp_path, size=(120, 40)) as run:
        await run.press("3")
        assert "no stack of 3 " in run.text()
        places = table(run, "places")
        assert [line.split()[0] for line in places] == ["1", "1", "2", "12"]
        assert "no stack: ping: connection refused" in places[2]
        while run.app.session.selected != 4:
            await run.press("right_square_bracket")
        assert "No stack of rank 4: ping: connection refused" in " ".join("".join(table(run, "stack")).split())
        assert "No stack" not in facts(run)
        await run.press("y")
        await run.press("right_square_bracket", "right_square_bracket")
        assert "no stack 3 ranks 3-5  1 host" in facts(run)


async def test_before_the_first_look_has_ended(tmp_path: Path) -> None:
    script: list[events.Event] = [events.TargetOpening("s"), opened(4), *look(1, 4, closed=False)]
    async with running(script, tmp_path, size=(120, 40)) as run:
        await run.press("3")
        assert "no look has brought stacks" in run.text()
        assert "The stacks come with the end of the first look." in run.text()
        await run.press("b")
        await run.until(lambda: "not now: there are no stacks yet" in run.text())
        for key in ("n", "N", "space", "enter", "tab", "v", "y", "up", "G", "left", "right"):
            await run.press(key)
        await run.say(stacks(1, 4, hung(4)))
        assert "4 ranks at 1 place" in run.text()


async def test_an_idle_or_failed_target(tmp_path: Path) -> None:
    failed = events.TargetFailed("s", "refused by [b]head-0", "")
    async with running([events.TargetOpening("s"), failed], tmp_path, size=(120, 40)) as run:
        await run.press("3")
        assert "refused by [b]head-0" in run.text()


async def test_a_thousand_frames_scroll(tmp_path: Path) -> None:
    deep = (*(f"recurse /job/deep.py:{line}" for line in range(1, 1001)), *TRAIN)
    async with running(stack_job(2, {0: traceback(deep), 1: traceback(LOAD)}), tmp_path, size=(120, 40)) as run:
        await run.press("3", "g", "l", "j")
        assert "recurse" in cursor(run) or "decode" in cursor(run)
        while run.app.session.selected != 0:
            await run.press("left_square_bracket")
        assert "(1,000 frames)" in cursor(run)
        await run.press("tab")
        stack = run.app.screen.query_one(StackTable)
        assert "deep.py:1" in table(run, "stack")[1]
        await run.press("G")
        assert stack.frame is not None
        assert stack.frame.function == "<module>"
        assert stack.scroll_offset.y > 900
        await run.press("y")
        assert run.app.clipboard.count("recurse (/job/deep.py:") == 1000


async def test_many_places_stay_few_lines(tmp_path: Path) -> None:
    texts = {r: traceback((f"f{r} /job/f.py:{r + 1}", *TRAIN)) for r in range(2500)}
    async with running(stack_job(2500, texts), tmp_path, size=(120, 40)) as run:
        await run.press("3", "g", "right")
        widget = run.app.screen.query_one(StackTree)
        await run.until(lambda: "2,300 more" in "".join(tree(run)) or widget.last_line > 200)
        for _ in range(14):
            await run.press("G", "enter")
        assert widget.last_line < LIVE_LIMIT
        await run.until(lambda: "too many branches" in run.text(), "the refusal")
        await run.press("2", "G", "3")
        assert run.app.session.selected == 2499
        assert "f2499" in "".join(table(run, "stack"))


async def test_source_lines_where_the_file_is_here(tmp_path: Path) -> None:
    file = tmp_path / "train.py"
    file.write_text("".join(f"line_{number} = {number}\n" for number in range(1, 61)))
    texts = {0: traceback((f"step {file}:30", "<module> /nowhere/main.py:3"))}
    async with running(stack_job(1, texts), tmp_path, size=(120, 40)) as run:
        await run.press("3")
        await run.until(lambda: "→ 30  line_30 = 30" in facts(run), "the source")
        assert "  29  line_29 = 29" in facts(run)
        await run.press("tab", "down")
        await run.until(lambda: "not shown: there is no such" in facts(run), "the reason")


async def test_copying_whole_stacks(tmp_path: Path) -> None:
    long = "std::" + "x" * 1195
    texts = {r: traceback((f"{long} /job/a.py:3", *TRAIN)) for r in range(3)}
    async with running(stack_job(3, texts), tmp_path, size=(120, 40)) as run:
        await run.press("3")
        assert long not in run.text()
        assert "std::xxx" in cursor(run)
        await run.press("y")
        expected = f"3 ranks: 0-2\n{long} (/job/a.py:3)\ntrain (/job/train.py:142)\n<module> (/job/train.py:187)\n"
        assert run.app.clipboard == expected
        await run.press("tab", "y")
        assert run.app.clipboard == expected.replace("3 ranks: 0-2", "1 rank: 0")
        await run.press("tab", "y")
        assert run.app.clipboard == expected


async def test_hostile_frames_are_painted_as_they_are_and_found(tmp_path: Path) -> None:
    bad = "fwd_[/rank0]_[bold red]x[/]\u202egnp\x1b[2J"
    texts = {r: traceback((f"{bad} /job/[link=x]run.py:1", *TRAIN)) for r in range(4)}
    texts[3] = traceback((f"節点{'界' * 90} /job/a.py:3", *TRAIN))
    async with running(stack_job(4, texts), tmp_path, size=(120, 40)) as run:
        shown = "fwd_[/rank0]_[bold red]x[/]\\u202egnp\\x1b[2J"
        for keys in ("3", "T", "v", "2", "1"):
            await run.press(keys)
            await run.until(lambda: run.app.view.stacks.is_current)
            assert "\x1b" not in run.text()
            svg = run.app.export_screenshot()
            assert "\x1b" not in svg
            assert "\u202e" not in svg
        await run.press("3", "v", "v", "T", "slash", *"[/rank0]", "enter")
        assert "3 ranks at 1 place · 1 frame found" in run.text()
        assert shown.split("[", maxsplit=1)[0] in cursor(run)
        assert shown.replace(" ", "") in facts(run).replace("\n", "").replace(" ", "")
        assert all(len(line) == 120 for line in run.lines() if line.isascii())
        await run.press("y")
        assert bad in run.app.clipboard
        await run.press("escape", "slash", *"\\x1b[2j", "enter")
        assert "1 frame found" in run.text()


async def test_screens_1_and_2_show_where_ranks_are(tmp_path: Path) -> None:
    async with running(stack_job(16, hung(16, loading=[2])), tmp_path, size=(120, 40)) as run:
        assert "in         decode decode.py:40" in run.text()
        assert "           next_batch loader.py:88" in run.text()
        await run.press("2")
        assert "in decode decode.py:40 < next_batch < train < <module>" in run.text()
        assert run.text().count("flush buckets.py:57") == 15
        await run.press("slash", *"frame:loader", "enter")
        assert "1 of 16 ranks" in run.text()
        await run.press("escape")
        for _ in range(4):
            await run.press("s")
        assert "where ▲" in run.text()
        await run.press("g")
        assert run.app.session.selected == 2


async def test_the_screen_is_there_without_stacks_at_all(tmp_path: Path) -> None:
    async with running(job(4), tmp_path) as run:
        await run.press("3")
        assert isinstance(run.app.screen, StacksScreen)
        assert "No stack of rank 0: no look has ended yet" in run.text() or "no look has brought" in run.text()
        assert WAIT[0].split()[0] not in run.text()
