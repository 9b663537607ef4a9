"""The line over the stacks."""

from __future__ import annotations

from tests.tui.stack_scripts import hung, stack_job
from xpudbg.services.session import Session
from xpudbg.services.stacks.tree import ThreadChoice
from xpudbg.tui.stacks.view import StackView
from xpudbg.tui.widgets.stack_summary import summary_line


def test_before_the_first_stacks() -> None:
    view = StackView(Session())
    assert summary_line(view, view.merged, None, 0).plain == "no look has brought stacks"


def test_what_is_shown_and_what_is_chosen() -> None:
    session = Session()
    for event in stack_job(8, hung(8, loading=[2])):
        session.apply(event)
    view = StackView(session)
    assert summary_line(view, view.merged, None, 2).plain == (
        "8 ranks at 2 places · no stack of 2 · main threads · 1 boring frame left out · of look 2"
    )
    view.threads = ThreadChoice.ALL
    said = summary_line(view, view.merged, 3, 0).plain
    assert "3 frames found" in said
    assert said.endswith("merging …")
