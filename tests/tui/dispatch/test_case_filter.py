"""The filter of the dispatch screen's cases."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.services.console.console_cases import console, console_case, op_case, run_over, unusable
from xpudbg.services.filters.terms import FilterError
from xpudbg.services.ttk_cases.case import Outcome
from xpudbg.tui.dispatch.case_filter import CaseFilter
from xpudbg.tui.dispatch.view import DispatchView

CONSOLE, _ = console(
    console_case("join"),
    console_case("bad", said=Outcome.FAILED, reason="values differ"),
    console_case("good", op_case(api="numpy.stack"), said=Outcome.PASSED),
    unusable(),
)
run_over(CONSOLE, "r1")  # the run of join fails


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("", {"join", "bad", "good", "odd"}),
        ("JOIN", {"join"}),
        ("op:concat", {"join", "bad"}),
        ("!op:concat", {"good", "odd"}),
        ("op:join", set()),
        ("state:failed", {"join", "bad"}),
        ("state:failed_in_file", {"bad"}),
        ('state:"failed in"', {"bad"}),
        ("state:passed,can't", {"good", "odd"}),
        ("!state:fail", {"good", "odd"}),
        ('"values differ"', {"bad"}),
        ("re:^(join|good)$", {"join", "good"}),
        ("!re:^numpy op:numpy", set()),
        ("cases.csv:3", {"odd"}),
        ("numpy !passed", {"join", "bad"}),
    ],
)
def test_cases_that_are_left(text: str, names: set[str]) -> None:
    chosen = CaseFilter.parse(text)
    assert {case.name for case_id, case in CONSOLE.cases.items() if chosen.fits(CONSOLE, case_id)} == names


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("state:sleepy", "state: 'sleepy' is none of failed, wrong, interrupted, failed_in_file, running, can't_run"),
        ("rank:3", "rank: can't be asked of cases; fields here are op:x, state:failed, re:x"),
        ("name:x", "name: is no field"),
        ("re:[", "re: no regular expression"),
    ],
)
def test_what_is_wrong_is_said_and_the_rest_holds(text: str, said: str) -> None:
    with pytest.raises(FilterError) as error:
        CaseFilter.parse(text)
    assert str(error.value).startswith(said)
    view = DispatchView(CONSOLE)
    view.set_filter(f"good {text}")
    assert view.error.startswith(said)
    assert view.order() == ["id-good"]
    view.set_filter("")
    assert (view.error, len(view.order())) == ("", 4)


@given(st.text(max_size=30))
def test_any_text_leaves_cases(text: str) -> None:
    view = DispatchView(CONSOLE)
    view.set_filter(text)
    assert set(view.order()) <= set(CONSOLE.cases)
