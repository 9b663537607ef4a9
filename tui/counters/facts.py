"""What is said beside the matrix of wait counters: the line above it, the cell of the cursor, the bars below it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from textual.content import Content

from ...services.counters.metrics import Metric
from ...services.counters.outliers import LEAST_RANKS
from ...services.counters.over_looks import cell_of, over_looks
from ...services.recorder_tables.table import Detail, Sign
from ...services.session import Phase
from ..actions.registry import key_of_begin
from ..widgets.counter_layout import LEGEND
from ..widgets.painted import styled
from ..widgets.row_detail import RowFacts
from ..widgets.sparkline import SparkLine
from ..widgets.text import plain
from ..wording import age, count
from .words import exact, short

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ...services.counters.sheet import CounterSheet
    from ...services.session import Session
    from .view import CountersView

__all__ = ["cell_text", "counters_line", "facts_of", "missing_of", "spark_lines", "why_nothing"]

NAME = 300
"""Characters of a counter's name in the pane."""
SHOWN = 8
"""Counters that a rank waits in which are named."""


def missing_of(session: Session) -> Mapping[int, str]:
    """Why ranks have no counters, by rank."""
    made = {rank: state.reason for rank, state in session.ranks.items() if not state.address.url or state.address.error}
    return made | dict(session.counters.missing)


def why_nothing(session: Session, view: CountersView) -> str:
    """What to say where the matrix is empty."""
    if session.post_mortem and not session.counters.look_id:
        return "Post mortem: these files hold no wait counters."
    if not session.ranks:
        return session.failure or ("Opening the target …" if session.label else "Nothing is attached.")
    if session.reading_again:
        return f"{session.reading_again[:1].upper()}{session.reading_again[1:]} …"
    if not session.counters.look_id:
        if session.shown is not None:
            return f"Look {session.shown.snapshot.id} brought no wait counters."
        return "Looking …" if session.phase is Phase.OPEN else "There are no wait counters yet."
    if view.filter:
        return f"No rank and counter matches the filter. {key_of_begin('back')} takes it away."
    rank, why = next(iter(session.counters.missing.items()), (None, ""))
    return "No rank gave wait counters." + (f" Rank {rank}: {why}" if rank is not None else "")


NAMED = 4
"""Ranks that wait are named in the line where that takes no more than this part of it."""


def counters_line(session: Session, view: CountersView, now: int, width: int) -> Content:
    """The metric, how old it is, who waits now, what signs mean; what does not fit is left out, the last first."""
    look = session.counters
    parts = [Content.assemble((view.metric.label, "bold $text-primary"))]
    if look.look_id:
        between = f" since look {look.before_id}" if view.metric.of_two_looks and look.before is not None else ""
        parts.append(
            Content.styled(f"look {look.look_id}{between}, {age(now, look.taken_at)} ago", "$foreground-muted")
        )
        active = look.active_ranks
        said = f"{count(len(active), 'rank')} in a wait now" if active else "nobody is in a wait now"
        if 0 < len(named := str(active)) <= width // NAMED:
            said += f": {named}"
        parts.append(styled(said, "$text-accent" if active else "$foreground-muted"))
        if look.restarted:
            parts.append(styled(f"counters of {look.restarted} began anew", "bold $text-warning"))
        heard = len(look.table.ranks)
        if heard < len(session.ranks):
            parts.append(styled(f"{heard:,} of {count(len(session.ranks), 'rank')} gave counters", "$text-warning"))
        if look.table.left_out:
            parts.append(styled(f"{count(look.table.left_out, 'rare counter')} left out", "$text-warning"))
        parts += [Content.assemble((sign, "bold"), (f" {word}", "$foreground-muted")) for sign, word in _signs(view)]
    line = parts[0]
    for part in parts[1:]:
        longer = line + Content.styled(" · ", "$foreground-muted") + part
        if longer.cell_length > width:
            break
        line = longer
    return line.truncate(width, ellipsis=True)


def _signs(view: CountersView) -> list[tuple[str, str]]:
    """The signs that occur in the matrix, with a word for each."""
    sheet = view.sheet
    z = sheet.spread.z[sheet.spread.outlying]
    there = (bool(np.any(sheet.active)), bool(np.any(z > 0)), bool(np.any(z < 0)))
    return [sign for sign, occurs in zip(LEGEND, there, strict=True) if occurs]


def facts_of(session: Session, view: CountersView) -> RowFacts:
    """All numbers of the cell of the cursor, how the other ranks do, and in what else the rank waits."""
    sheet, rank, column = view.sheet, session.selected, view.column
    row = sheet.row_of(rank)
    if row is None or rank is None:
        return RowFacts()
    if not sheet.there[row] or column is None:
        why = missing_of(session).get(rank, "no answer yet") if not sheet.there[row] else "no counter is shown"
        return RowFacts(f"rank {rank}", [Detail("no counters", why, Sign.FAINT)])
    details = [Detail("counter", plain(sheet.names[column], NAME))]
    details += _numbers(session, rank, column)
    details += _others(sheet, row, column)
    inside = session.counters.waiting_in(rank)
    if inside:
        said = ", ".join(f"{plain(title, NAME)}" + (f" x{n}" if n > 1 else "") for title, n in inside[:SHOWN])
        more = f" and {len(inside) - SHOWN} more" if len(inside) > SHOWN else ""
        details.append(Detail("it waits now in", said + more, Sign.OPEN))
    held = session.counters.waits.get(rank)
    if held is not None:
        details.append(Detail("since a look ago", f"the same wait in {plain(held, NAME)}", Sign.OPEN))
    if rank in session.counters.restarted:
        details.append(Detail("began anew", "its numbers fell: another process, or counters set back", Sign.OPEN))
    return RowFacts(f"rank {rank} in {plain(sheet.title(column), NAME)}", details)


def _numbers(session: Session, rank: int, column: int) -> list[Detail]:
    """Each metric of the cell, exact."""
    made = []
    name = session.counters.table.names[column]
    for metric in Metric:
        value = cell_of(session.counters, metric, rank, name)
        active = metric is Metric.ACTIVE and value is not None and value > 0
        sign = Sign.OPEN if active else Sign.FAINT if value is None else Sign.NONE
        made.append(Detail(metric.label, exact(value, metric.unit), sign))
    return made


def _others(sheet: CounterSheet, row: int, column: int) -> list[Detail]:
    spread, unit = sheet.spread, sheet.metric.unit
    heard = int(np.count_nonzero(sheet.known[:, column]))
    median = float(spread.median[column])
    if np.isnan(median):
        return []
    said = f"median {short(median, unit)}, MAD {short(float(spread.mad[column]), unit)} over {count(heard, 'rank')}"
    made = [Detail("all ranks", said)]
    z = float(spread.z[row, column])
    if spread.outlying[row, column]:
        made.append(Detail("outlier", f"{'above' if z > 0 else 'below'} the others: z = {z:+.1f}", Sign.MISSING))
    elif heard < LEAST_RANKS:
        made.append(Detail("outlier", f"not told of fewer than {LEAST_RANKS} ranks", Sign.FAINT))
    return made


def spark_lines(session: Session, view: CountersView) -> list[SparkLine]:
    """The counter of the cursor over the ranks, and the cell of the cursor over the looks."""
    sheet, column = view.sheet, view.column
    if column is None:
        return []
    unit = sheet.metric.unit
    values = [sheet.value(row, column) for row in range(len(sheet.ranks))]
    known = [(value, row) for row, value in enumerate(values) if value is not None]
    said = ""
    if known:
        top, row = max(known, key=lambda pair: pair[0])
        said = f"most {short(top, unit)}: rank {int(sheet.ranks[row])}" if top > 0 else "all 0"
    lines = [SparkLine("over ranks", values, said)]
    rank = session.selected
    if rank is not None and sheet.row_of(rank) is not None:
        past = over_looks(session.counters, sheet.metric, rank, sheet.names[column])
        there = [value for value in past if value is not None]
        said = f"rank {rank}: {short(there[-1], unit)} now, most {short(max(there), unit)}" if there else ""
        lines.append(SparkLine("over looks", past, said or f"rank {rank}: not known"))
    return lines


def cell_text(facts: RowFacts) -> str:
    """The pane as text, for the clipboard."""
    return "\n".join([facts.title, *(f"{detail.label}: {detail.text}" for detail in facts.details)])
