"""The parts about ranks: classes, the picture of all of them, the table, their stacks, the counters they wait in."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ...instants import utc_text
from ...judging.pending_calls import PendingCalls
from ...judging.stack_findings import place_of
from ...ranksets import RankSet
from ...snapshot import RankClass
from .class_map import MOST_RANKS, SIGNS, class_map, tone_of
from .elements import Element, el, ranks_text, table
from .verdict_parts import left_out

if TYPE_CHECKING:
    from ...session import Session
    from ...stacks.tree import StackClass

__all__ = ["counters_part", "ranks_part", "stacks_part"]

MOST_ROWS = 10_000
"""Rows of the table of all ranks."""
ROOM = 1_500_000
"""Characters of that table's cells."""
FEW_ROWS = 64
"""Rows when only the ranks that stand out are shown."""
MOST_STACKS = 100
MOST_FRAMES = 100
MOST_REASONS = 20
MOST_COUNTERS = 100


def ranks_part(session: Session, *, with_ranks: bool) -> Element | None:
    """Classes, picture and table.

    Args:
        with_ranks: a row for every rank, not only for those that stand out.
    """
    if not session.ranks:
        return None
    accused = RankSet()
    for finding in session.verdict.findings:
        if finding.severity.accuses:
            accused |= finding.culprits
    by_class = {one: RankSet(r for r, state in session.ranks.items() if state.rank_class is one) for one in RankClass}
    parts: list[Element | None] = []
    said = f"{len(session.ranks):,} ranks"
    if not session.post_mortem:
        counted = {one: ranks for one, ranks in by_class.items() if ranks}
        rows = [
            (el("span", f"tag {tone_of(one)}", SIGNS[one]), one.value, f"{len(ranks):,}", ranks_text(ranks))
            for one, ranks in counted.items()
        ]
        parts.append(table(("", "class", "ranks", "which"), rows, numeric=(2,)))
        said += ": " + ", ".join(f"{len(ranks):,} {one.value}" for one, ranks in counted.items())
    if accused:
        said += f"; accused: {ranks_text(accused)}"
        parts.append(el("p", "facts", f"A frame marks the ranks that findings accuse: {ranks_text(accused)}."))
    drawn = dict(list(session.ranks.items())[:MOST_RANKS])
    parts.append(class_map(drawn, accused, said))
    parts.append(left_out(len(session.ranks), MOST_RANKS, "rank"))
    odd = [rank for rank, state in session.ranks.items() if rank in accused or not _well(state.rank_class, session)]
    chosen = list(session.ranks) if with_ranks else odd
    if chosen:
        parts += _rank_table(session, chosen, MOST_ROWS if with_ranks else FEW_ROWS)
    return el("section", "", el("h2", "", f"Ranks ({len(session.ranks):,})"), *parts)


def _well(rank_class: RankClass, session: Session) -> bool:
    return rank_class is RankClass.ALIVE or (rank_class is RankClass.UNKNOWN and session.post_mortem)


def _rank_table(session: Session, ranks: list[int], most: int) -> list[Element | None]:
    calls = PendingCalls(session.recorder)
    progress = session.recorder.progress
    rows: list[tuple[str, ...]] = []
    room = ROOM
    for rank in ranks[:most]:
        state = session.ranks[rank]
        main = session.stacks.main(rank)
        at = progress.row_of(rank)
        lag = int(progress.row_lag[at]) if at is not None else -1
        row = (
            str(rank),
            state.host,
            "post mortem" if state.address.file else state.rank_class.value,
            "" if state.since is None else utc_text(state.since)[11:19],
            "" if state.ping_s is None else f"{state.ping_s * 1000:.1f}",
            calls.place(rank) if calls else "",
            "" if lag < 0 else f"{lag:,}",
            place_of(main.frames) if main is not None and main.frames else "",
            ", ".join(state.stuck),
            state.address.file if state.address.file else state.reason,
        )
        room -= sum(map(len, row))
        if room < 0:
            break
        rows.append(row)
    titles = ("rank", "host", "class", "since UTC", "ping ms", "in call", "lag", "where", "stuck", "reason")
    kept = [at for at, title in enumerate(titles) if title in ("rank", "class") or any(row[at] for row in rows)]
    numeric = [place for place, at in enumerate(kept) if titles[at] in ("rank", "since UTC", "ping ms", "lag")]
    shown = table([titles[at] for at in kept], ([row[at] for at in kept] for row in rows), numeric=numeric)
    return [shown, left_out(len(ranks), len(rows), "rank")]


def stacks_part(session: Session) -> Element | None:
    """Main threads that stand at one place, the odd ones first."""
    look = session.stacks
    if not look.look_id or not look.merged.classes:
        return None
    classes = look.merged.classes
    parts: list[Element | None] = [
        _stack(one, is_open=len(classes) > 1 and at < 3) for at, one in enumerate(classes[:MOST_STACKS])
    ]
    parts.append(left_out(len(classes), MOST_STACKS, "different stack"))
    if look.missing:
        reasons: dict[str, list[int]] = {}
        for rank, why in sorted(look.missing.items()):
            reasons.setdefault(why, []).append(rank)
        rows = [(ranks_text(RankSet(ranks)), why) for why, ranks in list(reasons.items())[:MOST_REASONS]]
        parts.append(el("h2", "", f"Without a stack ({len(look.missing):,})"))
        parts.append(table(("ranks", "why"), rows))
        parts.append(left_out(len(reasons), MOST_REASONS, "reason"))
    title = f"Stacks of main threads ({len(classes):,} different, the odd ones first)"
    return el("section", "", el("h2", "", title), *parts)


def _stack(one: StackClass, *, is_open: bool) -> Element:
    count = len(one.ranks)
    head = el(
        "summary",
        "",
        el("b", "", f"{count:,} {'rank' if count == 1 else 'ranks'}"),
        f" {ranks_text(one.ranks)}: {place_of(one.frames)}",
    )
    lines = el("pre")
    for at, frame in enumerate(one.frames[:MOST_FRAMES]):
        # A line of its own for each frame: the break is ours, what the frame says is made plain.
        lines.append(el("span", "", str(frame), limit=400))
        if at + 1 < min(len(one.frames), MOST_FRAMES):
            lines[-1].tail = "\n"
    made = el("details", "", head, lines, left_out(len(one.frames), MOST_FRAMES, "frame"))
    if is_open:
        made.set("open", "open")
    return made


def counters_part(session: Session) -> Element | None:
    """Wait counters in which ranks wait now."""
    look = session.counters
    if not look.look_id or not len(look.table.names):
        return None
    active = look.table.active > 0
    counts = np.count_nonzero(active, axis=0)
    order = np.lexsort((np.arange(len(counts)), -counts))
    found = [int(column) for column in order if counts[column]]
    if not found:
        return None
    rows = []
    for column in found[:MOST_COUNTERS]:
        ranks = RankSet(look.table.ranks[active[:, column]].tolist())
        rows.append((look.table.title(column), f"{len(ranks):,}", ranks_text(ranks)))
    return el(
        "section",
        "",
        el("h2", "", f"Wait counters that count now ({len(found):,})"),
        table(("counter", "ranks", "which"), rows, numeric=(1,)),
        left_out(len(found), MOST_COUNTERS, "counter"),
    )
