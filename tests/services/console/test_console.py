"""The console's state by events alone."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from tests.services.console.console_cases import NOW, SECOND, console, console_case, ended, op_case, run_over, unusable
from tests.services.run_history.made_runs import ENDPOINT
from xpudbg.services.console import console as console_module
from xpudbg.services.console import events
from xpudbg.services.console.console import SHOWN_KEPT
from xpudbg.services.console.editing import set_field
from xpudbg.services.console.runs import RunLine
from xpudbg.services.console.status import CaseStatus
from xpudbg.services.dispatch.progress import Running, Uploading
from xpudbg.services.events import OpProgressed
from xpudbg.services.run_history.records import RunState
from xpudbg.services.runs.references import HistoryReference, ReferenceArrays
from xpudbg.services.runs.shown import show_run
from xpudbg.services.ttk_cases.case import Outcome

ONES = np.ones(3, np.float32)


def line(key: str, state: RunState = RunState.OK, **more: Any) -> RunLine:
    made = {"endpoint": "h:9090", "started_ns": NOW, "took_s": 0.1, "passed": None, "said": ""} | more
    return RunLine(key, "id-join", state, **made)  # type: ignore[arg-type]


def test_failing_cases_come_first_and_a_run_under_way_moves_none() -> None:
    passed = console_case("good", said=Outcome.PASSED)
    state, _ = console(passed, console_case("new"), console_case("bad", said=Outcome.FAILED), unusable())
    assert state.order() == ["id-bad", "id-new", "id-odd", "id-good"]
    state.apply(events.RunBegun("r1", "id-good", op_case(), ENDPOINT, 1))
    assert state.status("id-good") is CaseStatus.RUNNING
    assert state.order() == ["id-bad", "id-new", "id-odd", "id-good"]


@pytest.mark.parametrize(
    ("made", "status"),
    [
        (line("a", RunState.FAILED), CaseStatus.FAILED),
        (line("a", RunState.CANCELLED), CaseStatus.CANCELLED),
        (line("a", RunState.INTERRUPTED), CaseStatus.INTERRUPTED),
        (line("a", passed=None), CaseStatus.RAN),
        (line("a", passed=True), CaseStatus.PASSED),
        (line("a", passed=False), CaseStatus.WRONG),
    ],
    ids=lambda each: each.name if isinstance(each, CaseStatus) else "run",
)
def test_the_latest_run_says_how_a_case_stands(made: RunLine, status: CaseStatus) -> None:
    state, _ = console(console_case())
    state.apply(events.KeptRunsRead({"id-join": (made, line("b", RunState.FAILED))}))
    assert state.status("id-join") is status
    assert status.is_bad == made.bad


def test_a_run_from_its_beginning_to_its_line() -> None:
    state, clock = console(console_case())
    edited = set_field(op_case(), "attr.axis", "1", console_case().folder)
    state.apply(events.CaseEdited("id-join", edited))
    state.apply(events.RunBegun("r1", "id-join", edited, ENDPOINT, 1))
    state.apply(OpProgressed("r1", Uploading(0, 100)))
    clock.now += SECOND
    state.apply(OpProgressed("r1", Uploading(40, 100)))
    run = state.under_way["r1"]
    assert run.transfer is not None
    assert (run.transfer.rate, run.transfer.left_s) == (40.0, 1.5)
    state.apply(OpProgressed("r1", Running()))
    assert state.under_way["r1"].transfer is None
    state.apply(events.RunComparing("r1"))
    assert state.under_way["r1"].comparing
    shown = show_run(ended(ONES), ReferenceArrays("expected.npy", ended(ONES).outputs))
    state.apply(events.RunCompared("r1", shown))
    assert not state.under_way
    made = state.latest("id-join")
    assert made is not None
    assert (made.passed, made.number, made.changes) == (True, 14, (("attr.axis", "1"),))
    assert made.said == "agrees with expected.npy"
    assert state.shown["r1"] is shown


def test_events_of_runs_that_are_over_change_nothing() -> None:
    state, _ = console(console_case())
    run_over(state, "r1")
    state.apply(OpProgressed("r1", Running()))
    state.apply(events.RunCompared("r1", show_run(ended(ONES))))
    assert [one.state for one in state.runs["id-join"]] == [RunState.FAILED]


def test_edits_are_taken_back_one_by_one_and_all_at_once() -> None:
    state, _ = console(console_case())
    for text in ("1", "0"):
        case = state.cases["id-join"].case
        assert case is not None
        state.apply(events.CaseEdited("id-join", set_field(case, "attr.axis", text, console_case().folder)))
    assert [one.after for one in state.cases["id-join"].edits] == ["0"]
    state.apply(events.EditsUndone("id-join"))
    assert [one.after for one in state.cases["id-join"].edits] == ["1"]
    state.apply(events.EditsUndone("id-join", all=True))
    assert not state.cases["id-join"].edits
    state.apply(events.EditsUndone("id-join"))
    assert [one.after for one in state.cases["id-join"].edits] == ["1"]


def test_a_refused_edit_stands_at_its_field_until_the_next_one() -> None:
    state, _ = console(console_case())
    state.apply(events.EditWaiting("id-join", "input.x"))
    state.apply(events.EditRefused("id-join", "input.x", "x.npy: no such file"))
    assert (state.refused is not None, state.waiting) == (True, None)
    state.apply(events.CaseEdited("id-join", op_case()))
    assert state.refused is None


def test_a_file_that_is_read_again_keeps_edits_unless_it_says_something_else() -> None:
    state, _ = console(console_case())
    edited = set_field(op_case(), "attr.axis", "1", console_case().folder)
    state.apply(events.CaseEdited("id-join", edited))
    state.apply(events.CasesOpened("join.toml", (console_case(),)))
    assert state.cases["id-join"].case is edited
    state.apply(events.CasesOpened("join.toml", (console_case(case=op_case(provider="torch")),)))
    assert state.cases["id-join"].edits == ()


def test_only_the_latest_results_are_kept_in_memory() -> None:
    state, _ = console(console_case())
    for at in range(SHOWN_KEPT + 3):
        run_over(state, f"r{at}")
    assert len(state.shown) == SHOWN_KEPT
    assert "r0" not in state.shown
    assert len(state.runs["id-join"]) == SHOWN_KEPT + 3


def test_large_results_go_first_but_never_the_newest_two(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(console_module, "SHOWN_BYTES", 100)
    state, _ = console(console_case())
    for at in range(4):
        run_over(state, f"r{at}", ended(np.ones(20, np.float32)))
    assert list(state.shown) == ["r2", "r3"]


def test_kept_runs_come_beside_those_of_this_session_and_none_twice() -> None:
    state, _ = console(console_case())
    run_over(state, "r1", ended(ONES))
    kept = (line("#14", number=14), line("#9", number=9, started_ns=NOW - SECOND))
    state.apply(events.KeptRunsRead({"id-join": kept}, interrupted=(9,)))
    assert sorted(str(one.number) for one in state.runs["id-join"]) == ["14", "9"]
    assert state.interrupted == (9,)


def test_comparing_anew_changes_the_verdict_of_the_line() -> None:
    state, _ = console(console_case())
    run_over(state, "r1", ended(ONES))
    state.apply(events.ReferenceChosen("id-join", HistoryReference(3)))
    shown = show_run(ended(ONES), ReferenceArrays("run #3", ended(ONES * 2).outputs))
    state.apply(events.KeptRunShown("r1", shown))
    assert state.status("id-join") is CaseStatus.WRONG
    assert state.cases["id-join"].reference == HistoryReference(3)


def test_what_is_wrong_with_the_history_is_kept() -> None:
    state, _ = console(console_case())
    run_over(state, "r1", note="not in the history: disk full")
    assert state.history_problem == "not in the history: disk full"
    state.apply(events.KeptRunsRead({}, note="the file is damaged"))
    assert state.history_problem == "the file is damaged"


def test_servers_that_were_chosen_once_stay_known() -> None:
    state, _ = console()
    other = replace(ENDPOINT, port=9191)
    state.apply(events.EndpointsChosen((other,)))
    assert (state.chosen, state.known) == ((other,), (ENDPOINT, other))
