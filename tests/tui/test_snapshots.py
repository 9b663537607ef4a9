"""How the screens look, as pictures at named moments. To renew them: pytest --snapshot-update, and look at each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

import pytest
from textual.widgets import Input

from tests.tui.running import TARGET, Running, made
from tests.tui.scripted import NOW, SECOND, job, look, opened
from tests.tui.stack_scripts import PIN, TRAIN, hung, stack_job, traceback
from xpudbg.services import events
from xpudbg.services.settings.recent import RecentTargets
from xpudbg.services.targets import StoreTarget
from xpudbg.tui.screens import start

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable
    from pathlib import Path

    from textual.pilot import Pilot

    from xpudbg.services.events import Event
    from xpudbg.services.targets import Target


class Compare(Protocol):
    def __call__(
        self, app: Any, *, terminal_size: tuple[int, int], run_before: Callable[[Pilot[Any]], Awaitable[None]]
    ) -> bool: ...


MIXED = {3: "stopped", 7: "dead", 12: "gil_held"}
MANY = {
    **dict.fromkeys(range(300, 310), "stopped"),
    77: "dead",
    78: "gil_held",
    2000: "unreachable",
    2001: "name_unknown",
    3000: "server_error",
    3001: "foreign_port",
}


@pytest.fixture(autouse=True)
def still(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TEXTUAL_ANIMATIONS", "none")


def same(
    compare: Compare,
    folder: Path,
    script: Iterable[Event],
    size: tuple[int, int],
    keys: Iterable[str] = (),
    *,
    target: Target | None = TARGET,
) -> bool:
    run: Running = made(script, folder, target=target, refresh_s=5.0)

    async def ready(pilot: Pilot[int]) -> None:
        run.pilot = pilot
        await run.settled()
        for entry in run.app.screen.query(Input):
            entry.cursor_blink = False
        await run.press(*keys)
        await run.app.workers.wait_for_complete()
        await run.settled()

    return compare(run.app, terminal_size=size, run_before=ready)


def test_overview_with_several_faults(snap_compare: Compare, tmp_path: Path) -> None:
    script = [*job(16, {3: "stopped", 12: "gil_held"}), *look(2, 16, MIXED)]
    assert same(snap_compare, tmp_path, script, (80, 24))


def test_overview_when_all_is_well(snap_compare: Compare, tmp_path: Path) -> None:
    assert same(snap_compare, tmp_path, job(4), (80, 24))


def test_overview_of_256_ranks(snap_compare: Compare, tmp_path: Path) -> None:
    sick = {3: "stopped", 99: "dead", 100: "dead", 200: "unreachable"}
    assert same(snap_compare, tmp_path, job(256, sick), (120, 40), ("space", "right", "space"))


def test_overview_of_4096_ranks(snap_compare: Compare, tmp_path: Path) -> None:
    assert same(snap_compare, tmp_path, job(4096, MANY), (120, 40))


def test_overview_while_a_look_is_under_way(snap_compare: Compare, tmp_path: Path) -> None:
    script = [events.TargetOpening("store head-0:29500"), opened(64), *look(1, 64, silent=[5, 9, 10, 11], closed=False)]
    assert same(snap_compare, tmp_path, script, (80, 24))


def test_overview_when_the_target_failed(snap_compare: Compare, tmp_path: Path) -> None:
    failed = events.TargetFailed(
        "store head-0:29500", "head-0:29500 refuses connections", "Is the job still running, and is this its store?"
    )
    assert same(snap_compare, tmp_path, [events.TargetOpening("store head-0:29500"), failed], (80, 24))


def test_ranks(snap_compare: Compare, tmp_path: Path) -> None:
    assert same(snap_compare, tmp_path, job(16, MIXED), (80, 24), ("2",))


def test_ranks_sorted_filtered_and_marked(snap_compare: Compare, tmp_path: Path) -> None:
    keys = ("2", "s", "g", "space", "j", "space", "slash", *"!class:alive", "enter")
    assert same(snap_compare, tmp_path, job(4096, MANY), (120, 40), keys)


def test_stacks(snap_compare: Compare, tmp_path: Path) -> None:
    script = stack_job(64, hung(64, loading=[32], gone=[40, 41]), {40: "stopped", 41: "dead"})
    assert same(snap_compare, tmp_path, script, (120, 40), ("3", *["right_square_bracket"] * 20, "up", "space"))


def test_stacks_in_a_small_terminal(snap_compare: Compare, tmp_path: Path) -> None:
    assert same(snap_compare, tmp_path, stack_job(8, hung(8, loading=[2])), (80, 24), ("3",))


def test_stacks_of_all_threads_searched(snap_compare: Compare, tmp_path: Path) -> None:
    bad = "fwd_[/rank0]_[bold red]x[/]\u202egnp\x1b[2J_節点"
    texts = hung(64, loading=[2]) | {7: traceback(PIN, (f"{bad} /job/[link=x]run.py:1", *TRAIN))}
    keys = ("3", "T", "slash", *"[/rank0]", "enter", "n")
    assert same(snap_compare, tmp_path, stack_job(64, texts), (120, 40), keys)


def test_stacks_raw_text(snap_compare: Compare, tmp_path: Path) -> None:
    assert same(snap_compare, tmp_path, stack_job(8, hung(8, loading=[2])), (120, 30), ("3", "v", "tab"))


def test_hostile_text(snap_compare: Compare, tmp_path: Path) -> None:
    bad = "[/x] \x1b[31m\u202e節点"
    opening = opened(8, hosts=dict.fromkeys(range(4), bad))
    script: list[Event] = [events.TargetOpening(bad), opening, *look(1, 8, {0: "dead", 5: "stopped"}, error=bad * 3)]
    assert same(snap_compare, tmp_path, script, (120, 40))


def test_help(snap_compare: Compare, tmp_path: Path) -> None:
    assert same(snap_compare, tmp_path, job(16, MIXED), (80, 24), ("question_mark",))


def test_start(snap_compare: Compare, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shown = [("mixed", "several faults at once"), ("healthy", "every rank trains, the job moves")]
    monkeypatch.setattr(start, "_scenarios", lambda: shown)
    RecentTargets(tmp_path / "recent.json").add(StoreTarget("head-7", 29500), NOW - 90 * SECOND)
    keys = (*"head-0:99999", "enter")
    assert same(snap_compare, tmp_path, [], (80, 24), keys, target=None)
