"""What a person does at the console, as orders and events."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.services.console.console_cases import console, console_case, op_case, run_over, unusable
from tests.services.run_history.made_runs import ENDPOINT
from xpudbg.services.addressing.endpoints import TargetError
from xpudbg.services.console import events, orders
from xpudbg.services.console.case import ConsoleCase
from xpudbg.services.dispatch.case import Slot
from xpudbg.services.runs.case_standard import CaseStandard
from xpudbg.services.runs.references import (
    ComputedReference,
    FileReference,
    HistoryReference,
    Reference,
    ServerReference,
)
from xpudbg.tui.dispatch.desk import DispatchDesk, DispatchStart, parse_reference, parse_servers

OTHER = replace(ENDPOINT, port=9191)


def desk(*cases: ConsoleCase, start: DispatchStart | None = None) -> tuple[DispatchDesk, list[orders.Order]]:
    state, _ = console(*cases)
    ordered: list[orders.Order] = []
    return DispatchDesk(state, ordered.append, state.apply, start), ordered


def test_what_the_command_line_named_is_opened_once_and_each_demo() -> None:
    made, ordered = desk(start=DispatchStart((Path("a.toml"),), (OTHER,)))
    first, second = object(), object()
    for demo in (None, first, first, second):
        made.open(demo=demo)
    assert made.console.chosen == (OTHER,)
    assert ordered == [orders.OpenCases((Path("a.toml"),)), orders.OpenDemoCases(), orders.OpenDemoCases()]


def test_the_case_worked_on_stays_when_the_order_changes() -> None:
    made, _ = desk(console_case("a"), console_case("b"))
    assert made.view.case_id == "id-a"
    made.edit("attr.axis", "1")
    run_over(made.console, "r1", case_id="id-b")
    assert made.view.order() == ["id-b", "id-a"]
    assert made.view.case_id == "id-a"


def test_a_field_that_was_taken_out_is_brought_back() -> None:
    made, _ = desk(console_case("a", op_case(inputs=(Slot("x", None),))))
    assert made.remove("input.x") == ""
    assert [line.gone for line in made.view.fields()][-1]
    assert made.undo_field("input.x") == ""
    assert made.view.case is not None
    assert made.view.case.edits == ()


@pytest.mark.parametrize(
    ("done", "said"),
    [
        (lambda made: made.run(), "makes no case: float7"),
        (lambda made: made.edit("attr.x", "1"), "makes no case"),
        (lambda made: made.remove("attr.x"), "makes no case"),
        (lambda made: made.undo(), "nothing of the case is edited"),
        (lambda made: made.undo_field("attr.x"), "makes no case"),
        (lambda made: made.export(Path("x.toml")), "no case to write"),
        (lambda made: made.cancel(), "no run of this case"),
        (lambda made: made.add("axis=1"), "write attr.NAME=VALUE"),
        (lambda made: made.choose_servers(""), "no op server is typed"),
        (lambda made: made.compare_with("x y"), "nothing to compare with"),
    ],
    ids=["run", "edit", "remove", "undo", "bring back", "export", "cancel", "add", "servers", "compare"],
)
def test_what_can_not_be_done_says_why(done: object, said: str) -> None:
    made, ordered = desk(unusable())
    assert callable(done)
    assert said in done(made)
    assert ordered == []


def test_a_refused_addition_says_why_where_it_is_typed() -> None:
    made, _ = desk(console_case())
    assert "not a generated input" in made.add("input.x=float32[-1]")
    assert made.add("attr.out=null") == ""
    field = made.view.field()
    assert field is not None
    assert field.field == "attr.out"


def test_another_standard_is_asked_for_and_stays_with_the_reference() -> None:
    limits = ({"rtol": 0.5},)
    made, ordered = desk(console_case("join", standard=CaseStandard(limits=limits)))
    run_over(made.console, "r1")
    for typed, reference, requested in (
        ("numpy by close", ComputedReference("numpy"), "close"),
        ("by Binary", ComputedReference("numpy"), "binary"),
        ("numpy", ComputedReference("numpy"), None),
        ("one by two.npy", FileReference(Path("one by two.npy").absolute()), None),
    ):
        assert made.compare_with(typed) == ""
        case = made.view.case
        assert case is not None
        assert (case.reference, case.standard) == (reference, CaseStandard(requested, limits=limits))
        order = ordered[-1]
        assert isinstance(order, orders.ShowRunAgain)
        assert (order.reference, order.standard) == (case.reference, case.standard)
    assert "no such standard; there are mixed" in made.compare_with("numpy by eye")


def test_what_was_chosen_to_compare_with_outlives_another_look_at_the_file() -> None:
    made, _ = desk(console_case("a"))
    made.compare_with("numpy by close")
    made.console.apply(events.CasesOpened("again", (console_case("a", standard=CaseStandard(limits=({},))),)))
    case = made.view.case
    assert case is not None
    assert (case.reference, case.standard) == (ComputedReference("numpy"), CaseStandard("close", limits=({},)))


def test_the_run_before_goes_along_by_the_same_server_first() -> None:
    made, ordered = desk(console_case("join"))
    run_over(made.console, "r1")
    made.run()
    (order,) = ordered
    assert isinstance(order, orders.StartRun)
    assert order.before is made.console.shown["r1"].run
    made.console.shown.clear()
    assert made.view.run() is not None


@pytest.mark.parametrize(
    ("text", "reference"),
    [
        ("none", None),
        ("", None),
        (" #12 ", HistoryReference(12)),
        ("numpy", ComputedReference("numpy")),
        ("torch.add", ComputedReference("torch", "torch.add")),
        ("/data/x.npy", FileReference(Path("/data/x.npy"))),
        ("127.0.0.1:9191", ServerReference(OTHER)),
    ],
)
def test_references_as_typed(text: str, reference: Reference | None) -> None:
    assert parse_reference(text, (OTHER,)) == reference


@pytest.mark.parametrize("text", ["x", "#x", "#", "jax", "http://:x"])
def test_what_is_no_reference_is_refused(text: str) -> None:
    with pytest.raises(TargetError):
        parse_reference(text, ())


def test_servers_are_typed_with_blanks_or_commas_and_known_ones_keep_what_is_known_of_them() -> None:
    secure = replace(OTHER, hardware="910B")
    assert parse_servers(f"{OTHER}, {ENDPOINT} {OTHER}", (secure,)) == (secure, ENDPOINT)
