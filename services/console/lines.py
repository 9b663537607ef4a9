"""From what a run gave to its line in the list of runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..dispatch.edits import changed
from ..plain_text import plain
from ..run_history.records import RunState
from .runs import RunLine

if TYPE_CHECKING:
    from ..dispatch.case import OpCase
    from ..runs.shown import RunShown
    from .runs import RunUnderWay

__all__ = ["line_of", "outcome_sentence"]

SAID_LIMIT = 400


def line_of(shown: RunShown, run: RunUnderWay, loaded: OpCase | None, now_ns: int) -> RunLine:
    """The line of a run that is over just now.

    Args:
        loaded: its case without edits.
    """
    given = shown.run
    took_s = given.took_s if given.took_s is not None else (now_ns - run.began_ns) / 1e9
    changes = () if loaded is None or loaded is run.case else tuple(changed(loaded, run.case))
    return RunLine(
        run.key,
        run.case_id,
        given.state,
        str(run.endpoint),
        given.started_ns or run.began_ns,
        took_s,
        shown.passed,
        outcome_sentence(shown),
        given.number,
        tuple((one.field, one.after if one.after is not None else "taken out") for one in changes),
        run.batch,
    )


def outcome_sentence(shown: RunShown) -> str:
    """What came of a run, in one plain line."""
    error = shown.run.error
    if error is not None:
        said = f"{error.exception}: {error.text}" if error.exception and error.text else error.text or error.message
        return plain(said, SAID_LIMIT)
    if shown.run.state is not RunState.OK:
        return str(shown.run.state)
    compared = [one for one in shown.outputs if one.reference is not None]
    for one in compared:
        found = one.reference.comparison if one.reference is not None else None
        if found is None or not found.passed:
            problem = found.sentence if found is not None else one.reference.problem if one.reference else ""
            where = f"output {one.name}: " if len(shown.outputs) > 1 else ""
            return plain(where + problem, SAID_LIMIT)
    if compared:
        agree = "agrees" if len(compared) == 1 else f"all {len(compared)} outputs agree"
        return plain(f"{agree} with {shown.reference}", SAID_LIMIT)
    if shown.reference_problem:
        return plain(f"not compared: {shown.reference_problem}", SAID_LIMIT)
    words = [f"{one.dtype}[{','.join(map(str, one.shape))}]" for one in shown.outputs[:4] if one.dtype is not None]
    more = f" and {len(shown.outputs) - 4} more" if len(shown.outputs) > 4 else ""
    return plain(f"gave {', '.join(words) or 'nothing'}{more}", SAID_LIMIT)
