"""From a row of the flight recorder to a case of the dispatch screen: an operator on the tensors of a call."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...services.recorder_tables.calls import CallRows
from ...services.recorder_tables.collectives import CollectiveRows
from ...services.recorder_tables.tensors import paired_dtypes, tensors_text
from ..dispatch.view import Tab
from .line_request import LineChoice, LineRequest

if TYPE_CHECKING:
    from .recorder_panes import RecorderPanes

__all__ = ["ask_for_operator"]

CHOICES = (
    LineChoice("torch.add", "two tensors, element by element"),
    LineChoice("torch.sum", "one tensor, what an all_reduce does with each"),
    LineChoice("torch.isfinite", "whether values stay finite in this dtype"),
)


def ask_for_operator(screen: RecorderPanes) -> None:
    """Ask which operator to run on the inputs of the call under the cursor, and lead to the case made of them."""
    app, shown, row = screen.app, screen.recorder.shown, screen.recorder.cursor()
    table = shown.rows.table if shown is not None else None
    if row is None or not isinstance(table, CollectiveRows | CallRows):
        app.say("not now: the row is about no call; collectives and calls have tensors")
        return
    line = int(table.calls_of(row)[0]) if isinstance(table, CollectiveRows) else row
    shapes, dtypes = table.lines.sizes(line, inputs=True)
    paired = paired_dtypes(shapes, dtypes)
    if not shapes:
        app.say("not now: the call has recorded no input tensors")
        return
    spot = screen.recorder.spot()
    name = spot.group.name if spot is not None and spot.group is not None else ""
    origin = f"{name} #{spot.seq}" if spot is not None and spot.seq is not None else name

    def take(operator: str) -> str:
        return app.desk.try_operator(operator, shapes, paired, origin)

    def done(typed: str | None) -> None:
        if typed is not None:
            app.desk.view.tab = Tab.CASES
            app.go_to("dispatch")

    text = (
        f"Inputs of {origin or 'the call'}: {tensors_text(shapes, dtypes)}. Which operator is to be run on an op "
        "server with inputs of these shapes and dtypes (their values are generated)? torch.add, numpy.sum, aclnnAdd ..."
    )
    app.push_screen(LineRequest("Try an operator", text, take, choices=CHOICES), done)
