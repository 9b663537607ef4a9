"""The few lines about a run: words first, nothing interpreted, never too wide."""

from __future__ import annotations

from dataclasses import replace

import pytest
from rich.cells import cell_len

from tests.services.run_history.made_runs import ENDPOINT, case, floats
from tests.services.shown_runs import AXIS, ended, failed, golden, shown
from xpudbg.services.dispatch.errors import ConnectionFailedError, RunCancelledError
from xpudbg.services.run_history.records import RunState
from xpudbg.services.runs.given import run_failed, run_under_way
from xpudbg.services.runs.shown import RunShown, show_run
from xpudbg.tui.dispatch.run_summary import MESSAGE_LINES, outcome, summary_lines


def lines(run: RunShown, width: int = 78) -> list[str]:
    return [line.plain.rstrip() for line in summary_lines(run, width)]


WRONG = shown(floats(1) + 1, expected=(floats(1),))


@pytest.mark.parametrize(
    ("run", "word"),
    [
        (shown(floats(1)), "ran"),
        (shown(floats(1), expected=(floats(1),)), "PASSES"),
        (WRONG, "WRONG"),
        (shown(floats(1), expected=()), "ran, not all compared"),
        (show_run(failed()), "FAILED"),
        (show_run(run_failed(case(), ENDPOINT, RunCancelledError("over"))), "cancelled"),
        (show_run(run_under_way(case(), ENDPOINT)), "under way"),
        (show_run(replace(failed(), state=RunState.INTERRUPTED, error=None)), "interrupted"),
    ],
    ids=["ran", "passes", "wrong", "not compared", "failed", "cancelled", "under way", "interrupted"],
)
def test_the_outcome_comes_first_in_words(run: RunShown, word: str) -> None:
    assert outcome(run)[0] == word
    assert lines(run)[0].startswith(f"{word}  torch.add on 127.0.0.1:9090")


def test_a_failure_has_type_message_and_hint_of_the_server() -> None:
    assert lines(show_run(failed()))[1:] == [
        "AxisError (HTTP 500): axis 2 is out of bounds for array of dimension 2",
        "try  look at the attribute",
        "took 50 ms  ran as numpy.concatenate",
    ]


def test_a_failure_without_an_exception_has_its_own_words() -> None:
    error = ConnectionFailedError("127.0.0.1:9090: nothing listens", hint="start the server")
    assert lines(show_run(run_failed(case(), ENDPOINT, error)))[1:] == [
        "ConnectionFailed: 127.0.0.1:9090: nothing listens",
        "try  start the server",
    ]


def test_what_it_took_and_what_the_server_measured() -> None:
    assert lines(shown(floats(1)))[1:] == ["took 250 ms  device 12.5 us, peak memory NA", "note       a note"]


def test_what_changed_since_the_run_before() -> None:
    run = shown(floats(1), before=failed(axis=2))
    assert "before     run #13, failed; since then attr.axis: 2 -> 1" in lines(run)
    run = shown(floats(1), before=failed(axis=2, keep=True))
    assert lines(run)[2:5] == [
        "before     run #13, failed; since then",
        "             attr.axis: 2 -> 1",
        "             attr.keep: true -> left out",
    ]
    run = shown(floats(1), before=failed(axis=1))
    assert "before     run #13, failed of the same case" in lines(run)


def test_the_reference_or_why_it_is_not_there() -> None:
    assert "reference  golden.npz" in lines(WRONG)
    run = show_run(ended(floats(1)), reference_problem="golden.npz can't be read: No such file")
    assert "reference  golden.npz can't be read: No such file" in lines(run)


@pytest.mark.parametrize("width", [10, 24, 40, 80])
@pytest.mark.parametrize("text", ["[red]x[/] \x1b[31m\u202e", "x" * 5000, "節点 " * 300, "a\nb\rc"])
def test_hostile_messages_stay_in_their_lines(width: int, text: str) -> None:
    error = replace(show_run(failed()).run.error, text=text)  # type: ignore[type-var]
    run = replace(WRONG, run=replace(WRONG.run, state=RunState.FAILED, error=error, notes=(text,) * 9, api=text))
    made = summary_lines(run, width)
    assert all(cell_len(line.plain) <= width for line in made)
    assert all(line.plain.isprintable() for line in made)
    assert AXIS.kind[: width - 1] in made[1].plain


def test_a_long_message_is_cut_and_says_so() -> None:
    error = replace(show_run(failed()).run.error, text="word " * 500)  # type: ignore[type-var]
    made = lines(show_run(replace(failed(), error=error)))
    assert len([line for line in made if "word" in line]) == MESSAGE_LINES - 1
    assert any("more lines; y copies all" in line for line in made)


def test_only_some_changes_and_notes_are_told() -> None:
    run = shown(floats(1), before=failed(a=1, b=2, c=3, d=4, e=5))
    run = replace(run, run=replace(run.run, notes=tuple("abcdef")))
    assert "             and 2 more" in lines(run)
    assert lines(run)[-1] == "and 3 more notes"


def test_golden_is_named() -> None:
    assert golden(floats(1)).said == "golden.npz"
