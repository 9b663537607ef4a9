"""Which case, run and tab is looked at."""

from __future__ import annotations

import pytest

from tests.services.console.console_cases import NOW, SECOND, console, console_case, run_over
from tests.services.console.test_console import line
from xpudbg.services.console import events
from xpudbg.services.console.console import Console
from xpudbg.services.run_history.records import RunState
from xpudbg.services.ttk_cases.case import Outcome
from xpudbg.tui.dispatch.rows import CaseRows, RunRows
from xpudbg.tui.dispatch.view import DispatchView


def view() -> tuple[DispatchView, Console]:
    state, _ = console(
        console_case("join"), console_case("bad", said=Outcome.FAILED), console_case("good", said=Outcome.PASSED)
    )
    return DispatchView(state), state


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("", ["id-bad", "id-join", "id-good"]),
        ("JOIN", ["id-join"]),
        ("failed", ["id-bad"]),
        ("!passed numpy", ["id-bad", "id-join"]),
        ("nothing", []),
    ],
)
def test_cases_are_filtered_by_words(text: str, ids: list[str]) -> None:
    made, _ = view()
    made.set_filter(text)
    assert made.order() == ids


def test_the_first_case_is_stood_on_until_somebody_moves() -> None:
    made, state = view()
    assert made.case_id == "id-bad"
    run_over(state, "r1")
    assert made.case_id == "id-join"
    made.stand_on("id-good")
    assert made.case_id == "id-good"
    assert (made.next_bad(1), made.next_bad(-1)) == ("id-join", "id-bad")


def test_runs_are_stepped_through_and_the_newest_is_followed() -> None:
    made, state = view()
    made.stand_on("id-join")
    for key in ("r1", "r2"):
        run_over(state, key)
    assert [made.step_run(1), made.step_run(1)] == [True, False]
    assert made.run() is state.line("r1")
    assert made.step_run(-1)
    run_over(state, "r3")
    assert made.run() is state.line("r3"), "back at the newest, newer ones are followed"
    made.choose_run("r1")
    run_over(state, "r4")
    assert made.run() is state.line("r1")


def test_the_run_before_is_an_older_one_of_the_same_server_and_another_press() -> None:
    made, state = view()
    made.stand_on("id-join")
    lines = (
        line("c", endpoint="h:1", batch=2),
        line("b", endpoint="h:2", batch=2, started_ns=NOW - 1),
        line("a", endpoint="h:2", batch=1, started_ns=NOW - 2),
        line("z", endpoint="h:1", started_ns=NOW - 3),
    )
    state.apply(events.KeptRunsRead({"id-join": lines}))
    keys = [before.key if (before := made.before(one)) is not None else None for one in lines]
    assert keys == ["z", "a", "z", None]
    assert [one.key for one in made.beside()] == ["b", "c"]


def test_rows_say_status_edits_result_and_age() -> None:
    made, state = view()
    state.apply(events.KeptRunsRead({"id-join": (line("#1", RunState.FAILED, said="boom", number=1),)}))
    rows = CaseRows(state, made.order(), NOW + 90 * SECOND)
    by_key = {column.key: place for place, column in enumerate(rows.columns)}
    row = rows.ids.index("id-join")
    assert rows.cell(row, by_key["status"]) == ("x failed", "table--missing")
    assert rows.cell(row, by_key["result"])[0] == "boom"
    assert rows.cell(row, by_key["when"])[0] == "1 m 30 s ago"
    assert rows.cell(rows.ids.index("id-bad"), by_key["status"])[0] == "x failed in file"


def test_runs_as_rows() -> None:
    old = line("#1", number=1, started_ns=NOW - 30 * 86_400 * SECOND, changes=(("attr.axis", "1"),), took_s=0.25)
    lost = line("#2", RunState.INTERRUPTED, number=2, took_s=9.0)
    rows = RunRows((old, lost), NOW)
    assert [rows.cell(0, column)[0] for column in range(len(rows.columns))] == [
        "o ran",
        "2025-09-09",
        "0.2 s",
        "attr.axis=1",
        "",
        "h:9090",
        "#1",
    ]
    assert rows.cell(1, 2)[0] == ""
