"""Screen 1, by keys and mouse."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.tui.running import running
from tests.tui.scripted import NOW, SECOND, job, look, opened
from xpudbg.services import events
from xpudbg.services.ranksets import RankSet
from xpudbg.tui.screens.ranks import RanksScreen
from xpudbg.tui.widgets.rank_grid import RankGrid
from xpudbg.tui.widgets.verdict_card import VerdictCard

if TYPE_CHECKING:
    from pathlib import Path

    from xpudbg.services.events import Event


@pytest.mark.parametrize(
    ("count", "size"), [(4, (80, 24)), (4, (250, 70)), (256, (80, 24)), (256, (120, 40)), (4096, (120, 40))]
)
async def test_the_culprit_is_read_without_pressing_a_key(tmp_path: Path, size: tuple[int, int], count: int) -> None:
    async with running(job(count, {3: "stopped"}), tmp_path, size=size) as run:
        text = run.text()
        assert "HANG" in text
        assert "Rank 3 (node-000) is stopped" in text
        assert "refuted if" in text
        assert "S 1 stopped" in text
        assert f"{count - 1:,} alive" in text
        assert "look 1, 8 s ago" in run.lines()[0]
        assert run.app.session.selected == 3
        grid = run.app.screen.query_one(RankGrid)
        assert grid.size.height >= min(4, count // 8 + 1)
        assert all(len(line) == size[0] for line in run.lines())


async def test_a_selection_made_by_hand_is_not_moved(tmp_path: Path) -> None:
    async with running([events.TargetOpening("s"), opened(16)], tmp_path) as run:
        await run.press("right", "right")
        assert run.app.session.selected == 2
        await run.say(look(1, 16, {9: "dead"}))
        assert run.app.session.selected == 2


async def test_keys_walk_and_the_detail_follows(tmp_path: Path) -> None:
    async with running(job(64, {10: "stopped"}), tmp_path, size=(120, 40)) as run:
        await run.press("g", "l", "l")
        assert run.app.session.selected == 2
        assert "rank 2  node-000" in run.text()
        await run.press("right_square_bracket", "left_square_bracket", "left_square_bracket")
        assert run.app.session.selected == 1
        await run.press("n")
        assert run.app.session.selected == 10
        assert "S stopped for 4 s" in run.text()


async def test_selection_and_scroll_survive_a_refresh(tmp_path: Path) -> None:
    async with running([*job(4096, {9: "dead"}), *look(2, 4096, {9: "dead"})], tmp_path) as run:
        grid = run.app.screen.query_one(RankGrid)
        await run.press("G", "up")
        selected, scroll = run.app.session.selected, grid.scroll_offset
        assert scroll.y > 0
        await run.say(look(3, 4096, {7: "dead", 9: "dead"}))
        assert run.app.session.selected == selected
        assert grid.scroll_offset == scroll
        assert "Ranks 7,9" in run.text()


async def test_what_is_under_way_is_said(tmp_path: Path) -> None:
    script: list[Event] = [*job(1024), *look(2, 1024, silent=[3, 77, 78, 79], closed=False)]
    async with running(script, tmp_path, size=(120, 40)) as run:
        assert "look 2: 1,020 of 1,024, still out: 3,77-79" in run.lines()[0]
        assert "look 1, 8 s ago" in run.lines()[0]


async def test_changes_since_the_last_look(tmp_path: Path) -> None:
    async with running([*job(16), *look(2, 16, {3: "stopped"})], tmp_path) as run:
        assert "since look 1: rank 3 alive → S stopped" in run.text()


async def test_ages_tick(tmp_path: Path) -> None:
    async with running(job(16), tmp_path) as run:
        run.clock.now = NOW + 100 * SECOND
        run.tick()
        await run.until(lambda: "look 1, 1 m 44 s ago" in run.lines()[0])


async def test_enter_and_double_click_open_the_table_at_the_rank(tmp_path: Path) -> None:
    async with running(job(16), tmp_path) as run:
        await run.press("right", "enter")
        assert run.app.current_mode == "ranks"
        assert run.app.session.selected == 1
        await run.press("escape")
        assert run.app.current_mode == "overview"
        grid = run.app.screen.query_one(RankGrid)
        line = next(y for y in range(grid.size.height) if "12 o" in grid.render_line(y).text)
        x = grid.render_line(line).text.index("12 o")
        await run.pilot.click(RankGrid, offset=(x, line), times=2)
        await run.until(lambda: run.app.current_mode == "ranks")
        assert run.app.session.selected == 12


async def test_marks_and_filter(tmp_path: Path) -> None:
    async with running(job(16, {3: "stopped"}), tmp_path) as run:
        await run.press("space", "right", "space")
        assert run.app.session.marked == RankSet([3, 4])
        await run.press("space")
        assert run.app.session.marked == RankSet([3])
        await run.press("slash", *"is:marked", "enter")
        assert "1 of 16 ranks" in run.lines()[1]
        await run.press("escape")
        assert "of 16 ranks" not in run.text()


async def test_hostile_names_and_reasons_are_painted_as_they_are(tmp_path: Path) -> None:
    bad = "[/x] \x1b[31m\u202e"
    opening = opened(8, hosts=dict.fromkeys(range(4), bad))
    script: list[Event] = [events.TargetOpening(bad), opening, *look(1, 8, {0: "dead"}, error=bad)]
    async with running(script, tmp_path, size=(120, 40)) as run:
        shown = "[/x] \\x1b[31m\\u202e"
        for key in ("1", "2"):
            await run.press(key)
            text = run.text()
            assert text.count(shown) >= 3
            assert "\x1b" not in text
            svg = run.app.export_screenshot()
            assert "\x1b" not in svg
            assert "\u202e" not in svg
            assert "x1b[31m" in svg


async def test_copying_the_verdict(tmp_path: Path) -> None:
    async with running(job(16, {3: "stopped"}), tmp_path) as run:
        await run.press("y")
        assert "Rank 3 (node-000) is stopped" in run.app.clipboard
        await run.until(lambda: "sent the verdict, " in run.text())


async def test_a_failure_is_told_and_tried_again(tmp_path: Path) -> None:
    script: list[Event] = [
        events.TargetOpening("s"),
        events.TargetFailed("s", "refused by [b]head-0", "is the job running?"),
    ]
    async with running(script, tmp_path) as run:
        assert "FAILED" in run.text()
        assert "refused by [b]head-0" in run.text()
        assert "is the job running?" in run.text()
        await run.press("2")
        assert "refused by [b]head-0" in run.text()
        await run.press("r")
        assert run.engine.told("attach") == 2


async def test_every_finding_can_be_read_in_full(tmp_path: Path) -> None:
    sick = {3: "stopped", 7: "dead", 12: "gil_held"}
    async with running(job(16, sick), tmp_path) as run:
        found = run.app.session.verdict.findings
        for number in (1, 2, 3, 1):
            await run.press("f")
            said = " ".join(run.text().split())
            finding = found[number - 1]
            assert f"finding {number} of 3, critical" in said or f"finding {number} of 3, warning" in said
            for text in (finding.text, finding.advice, finding.refutation, finding.evidence[0].text):
                assert " ".join(text.split()) in said
            assert run.app.session.selected == finding.culprits.first
        await run.press("F")
        assert "finding 3 of 3" in run.text()
        await run.say(look(2, 16, sick))
        assert "finding 3 of 3" in run.text()
        await run.press("escape")
        assert "finding 3" not in run.text()
        assert run.text().count("also ") == 2


async def test_without_findings_there_is_none_to_show(tmp_path: Path) -> None:
    async with running(job(4), tmp_path) as run:
        await run.press("f")
        await run.until(lambda: "not now: there is no finding" in run.text())


async def test_after_a_failure_only_what_is_of_use_is_offered(tmp_path: Path) -> None:
    script: list[Event] = [events.TargetOpening("s"), events.TargetFailed("s", "refused", "")]
    async with running(script, tmp_path) as run:
        words = run.lines()[-1]
        assert [word in words for word in ("r try again", "t target", "q quit")] == [True] * 3
        assert [word in words for word in ("move", "mark", "filter", "stacks", "copy")] == [False] * 5


@pytest.mark.parametrize("key", ["1", "2", "3"])
async def test_while_a_filter_is_typed_the_footer_says_what_works(tmp_path: Path, key: str) -> None:
    async with running(job(16), tmp_path) as run:
        await run.press(key, "slash", *"rank:5")
        words = run.lines()[-1]
        assert "enter keep the filter" in words
        assert "esc take it away" in words
        assert "ctrl+q quit" in words
        assert "mark" not in words
        await run.press("enter")
        assert "q quit" in run.lines()[-1]
        assert run.app.session.selected == 5
        await run.press("slash", "escape")
        assert "of 16 ranks" not in run.text()


async def test_a_small_window_says_so(tmp_path: Path) -> None:
    async with running(job(16, {3: "stopped"}), tmp_path, size=(50, 15)) as run:
        assert "50x15 is small" in run.lines()[1]
        assert run.app.screen.query_one(RankGrid).size.height >= 2
        await run.pilot.resize_terminal(80, 24)
        await run.until(lambda: "is small" not in run.text())


async def test_before_its_widgets_are_there_a_screen_does_nothing(tmp_path: Path) -> None:
    async with running(job(16), tmp_path) as run:
        run.app.switch_mode("ranks")
        screen = run.app.base_screen
        assert isinstance(screen, RanksScreen)
        assert not screen.is_ready
        screen.tick()
        screen.show_all()
        screen.select(5)
        screen.on_screen_resume()
        for action in ("filter", "sort", "mark", "next_rank", "back"):
            run.app.perform(action)
        await run.until(lambda: "rank 5" in run.text())
        assert screen.is_ready


async def test_the_verdict_is_no_higher_than_its_lines_in_another_size(tmp_path: Path) -> None:
    sick = {5: "foreign_port", 22: "server_error", 41: "dead", 62: "name_unknown", 12: "stopped"}  # nine lines in both
    async with running(job(64, sick), tmp_path, size=(120, 40)) as run:
        card = run.app.screen.query_one(VerdictCard)
        for size in [(80, 24), (200, 60), (80, 24), (120, 40)]:
            await run.pilot.resize_terminal(*size)
            await run.until(lambda size=size: run.app.screen.size == size)  # type: ignore[misc]
            await run.until(lambda: card.size.height == card.content_shown.plain.count("\n") + 1)
