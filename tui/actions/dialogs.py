"""The actions of the start screen and of dialogs; `actions.ACTIONS` has them in their place."""

from __future__ import annotations

from .action import Action, Scope
from .conditions import can_ask, job_behind

__all__ = ["DIALOG_ACTIONS"]

DIALOG_ACTIONS: tuple[Action, ...] = (
    Action("submit", ("enter",), "attach", "Attach to what is typed or chosen", (Scope.START,), 95),
    Action(
        "complete_name",
        ("tab",),
        "complete",
        "Take the name of a file that is suggested; when there is none, to the next field",
        (Scope.START,),
        70,
    ),
    Action("choices", ("down",), "choose", "To the targets used before and the demo", (Scope.START,), 60, "↓"),
    Action("ops", ("f8",), "dispatch", "Run single operators on an op server, without a job", (Scope.START,), 50),
    Action("leave", ("escape",), "back", "Back to the job", (Scope.START,), 90, why_not=job_behind),
    Action("close", ("escape", "question_mark", "q"), "close", "Close", (Scope.HELP,), 90),
    Action("close_answer", ("escape", "q", "enter"), "close", "Close the answer", (Scope.ANSWER,), 90),
    Action("copy_answer", ("y",), "copy", "Send the answer to the terminal's clipboard", (Scope.ANSWER,), 80),
    Action("close_doctor", ("escape", "q", "enter"), "close", "Close the doctor", (Scope.DOCTOR,), 90),
    Action(
        "doctor_py_spy",
        ("P",),
        "py-spy on each host",
        "Try py-spy on the marked ranks, or on one rank of each host; nothing is paused",
        (Scope.DOCTOR,),
        85,
        why_not=can_ask,
    ),
    Action("copy_doctor", ("y",), "copy", "Send the checks to the terminal's clipboard", (Scope.DOCTOR,), 80),
    Action("agree", ("y", "enter"), "yes", "Do it", (Scope.QUESTION,), 90),
    Action("decline", ("n", "escape", "q"), "no", "Leave it", (Scope.QUESTION,), 89),
)
