"""How the timeline looks. To renew the pictures: pytest --snapshot-update, and look at each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

import pytest

from tests.services.recorder_timeline.timed_jobs import TimedJob
from tests.tui.widgets.painting import Alone
from xpudbg.tui.widgets.timeline import TimelinePane

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable

    from textual.pilot import Pilot

    from xpudbg.services.flight_recorder.diagnosis import Diagnosis


class Compare(Protocol):
    def __call__(
        self, app: Any, *, terminal_size: tuple[int, int], run_before: Callable[[Pilot[Any]], Awaitable[None]]
    ) -> bool: ...


@pytest.fixture(autouse=True)
def still(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TEXTUAL_ANIMATIONS", "none")


def same(compare: Compare, diagnosis: Diagnosis, size: tuple[int, int], keys: Iterable[str] = ()) -> bool:
    pane = TimelinePane()

    async def ready(pilot: Pilot[Any]) -> None:
        pane.show(diagnosis)
        pane.focus()
        await pilot.press(*keys)
        await pilot.pause()

    return compare(Alone(pane), terminal_size=size, run_before=ready)


def test_a_late_rank_and_one_that_does_not_come(snap_compare: Compare) -> None:
    job = TimedJob(64, 300, {17: 8.0, 40: 3.0}, 2.0, (30.0, 1.0, 1.0), stops={21: 250}, without_dump=(33,))
    assert same(snap_compare, job.diagnosis(), (120, 40))


def test_along_time_in_a_small_terminal(snap_compare: Compare) -> None:
    job = TimedJob(8, 60, {5: 12.0}, stops={3: 50}, waited_s=0.1)
    assert same(snap_compare, job.diagnosis(), (80, 24), ("x", "plus", "plus", "left", "j"))
