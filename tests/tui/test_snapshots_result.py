"""How the result of a run looks. To renew the pictures: pytest --snapshot-update, and look at each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

import ml_dtypes
import numpy as np
import pytest

from tests.services.run_history.made_runs import output
from tests.services.shown_runs import ended, failed, shown
from tests.tui.widgets.painting import Alone
from xpudbg.services.runs.shown import show_run
from xpudbg.tui.dispatch.result_view import ResultView
from xpudbg.tui.widgets.run_result_pane import RunResultPane

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from textual.pilot import Pilot

    from xpudbg.services.runs.shown import RunShown


class Compare(Protocol):
    def __call__(
        self, app: Any, *, terminal_size: tuple[int, int], run_before: Callable[[Pilot[Any]], Awaitable[None]]
    ) -> bool: ...


@pytest.fixture(autouse=True)
def still(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TEXTUAL_ANIMATIONS", "none")


def wave() -> RunShown:
    """An output with a region that is wrong, a NaN, and a plane that is a little off."""
    place = np.arange(4 * 64 * 96)
    right = ((place * 37 % 101) / 64).astype(np.float32).reshape(4, 64, 96)
    wrong = right.copy()
    wrong[1, 20:30, 40:60] += (np.arange(200).reshape(10, 20) / 512).astype(np.float32)
    wrong[2, 5, 7] = np.nan
    wrong[3] += np.float32(2**-17)
    few = output(np.arange(8).astype(ml_dtypes.bfloat16))
    rest: tuple[Any, ...] = (np.arange(6), None, (few, output(np.array(True))))
    return shown(wrong, *rest, expected=(right, *rest), before=ended(right, *rest, number=13, axis=2))


def same(compare: Compare, run: RunShown, size: tuple[int, int], view: ResultView | None = None) -> bool:
    pane = RunResultPane()

    async def ready(pilot: Pilot[Any]) -> None:
        pane.show(run)
        await pilot.pause()
        if view is not None:
            pane._to_view(view, focus=True)
        await pilot.pause()

    return compare(Alone(pane), terminal_size=size, run_before=ready)


def test_the_worst_elements_of_a_wrong_output(snap_compare: Compare) -> None:
    assert same(snap_compare, wave(), (80, 24))


def test_where_the_errors_are(snap_compare: Compare) -> None:
    assert same(snap_compare, wave(), (120, 40), ResultView.HEAT)


def test_beside_the_run_before(snap_compare: Compare) -> None:
    assert same(snap_compare, wave(), (200, 60), ResultView.BEFORE)


def test_a_failure(snap_compare: Compare) -> None:
    run = show_run(failed(axis=2), None, ended(np.arange(3), number=12, axis=1))
    assert same(snap_compare, run, (80, 24))
