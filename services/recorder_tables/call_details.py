"""Everything that is known of one call, for the pane beside the table: exact numbers, times absolute and relative."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..flight_recorder.columns import State
from ..ranksets import RankSet, ranks_said
from ..sizes import number_text
from .group_names import group_told
from .lines import FIRST_OVER, STATES
from .moments import NOT_KNOWN, instant_text, ms_text, offset_text, span_text
from .table import Detail, Sign
from .tensors import tensors_exact, tensors_text

if TYPE_CHECKING:
    from ..flight_recorder.columns import Splits
    from ..flight_recorder.mismatch import Mismatch
    from .calls import CallRows
    from .collectives import CollectiveRows

__all__ = ["call_details", "collective_details"]

_LISTED = 64
"""Entries of a batch and counts per peer that are listed one by one."""


def collective_details(rows: CollectiveRows, row: int) -> list[Detail]:
    """The facts of one row of the collectives."""
    lines, head = rows.lines, int(rows.lines.starts[row])
    group = rows.members.groups[int(rows.group[row])]
    there = rows.there(row)
    missing = rows.missing_ranks(row)
    state = int(rows.state[row])
    facts = [
        Detail("call", f"{lines.op_texts.text(head)} {_number(rows.sequence[row], rows.p2p[row])}"),
        Detail("group", group_told(group)),
        Detail("state", STATES[state], Sign.OPEN if state < FIRST_OVER else Sign.NONE),
        Detail("ranks here", f"{there} ({len(there)})"),
    ]
    if missing:
        lacking = bool(rows.lacking[row])
        why = "not come to this call" if lacking else "not come to it by their dumps, though it is over"
        sign = Sign.MISSING if lacking else Sign.FAINT
        facts.append(Detail("missing ranks", f"{missing} ({len(missing)}), {why}", sign))
    if not rows.p2p[row]:
        absent = group.members & lines.job.absent - there
        lost = group.members - there - missing - absent
        if absent:
            facts.append(Detail("without a dump", f"{absent}: nothing is known of them", Sign.FAINT))
        if lost:
            facts.append(Detail("not in the ring", f"{lost}: their dumps do not hold it (any more)", Sign.FAINT))
        if group.unseen:
            facts.append(Detail("unseen members", f"{group.unseen}, their ranks are not known", Sign.FAINT))
    mine = rows.calls_of(row)
    is_open = RankSet(lines.rank[mine][~lines.ended[mine]].tolist())
    if is_open:
        facts.append(Detail("open on", f"{is_open} ({len(is_open)})", Sign.OPEN))
    mismatch = rows.mismatch(row)
    if mismatch is not None:
        facts += _mismatch(mismatch)
    facts.append(_instant("first call", int(rows.created[row]), lines.newest))
    if not np.isnan(rows.spread_s[row]):
        spread = float(rows.spread_s[row])
        facts.append(
            Detail(
                "last call",
                f"rank {rows.last_rank[row]}, {span_text(spread)} ({spread:.6f} s) after the first, by "
                "the ranks' own clocks",
            )
        )
    facts += _spans(float(rows.duration_s[row]), float(rows.age_s[row]), int(rows.timeout_ms[row]))
    facts += _sides(rows, head)
    facts.append(Detail("record_id", f"{lines.record_id[head]} (rank {lines.rank[head]}'s own count)"))
    facts += _entries(rows, head)
    return facts


def _mismatch(mismatch: Mismatch) -> list[Detail]:
    odd = f"; the odd ones: {mismatch.odd}" if mismatch.odd else ""
    facts = [Detail("mismatch", f"in {mismatch.what.value}{odd}", Sign.MISMATCH)]
    for variant in mismatch.variants[:_LISTED]:
        said = variant.said
        given = tensors_text(said.inputs, said.input_dtypes) or "none"
        taken = tensors_text(said.outputs, said.output_dtypes) or "none"
        facts.append(
            Detail(ranks_said(variant.ranks), f"{said.operation.recorded} in {given} out {taken}", Sign.MISMATCH)
        )
    for pair in mismatch.pairs[:_LISTED]:
        told = f"{number_text(pair.sent)} elements sent, {number_text(pair.expected)} expected"
        facts.append(Detail(f"rank {pair.source} to {pair.target}", told, Sign.MISMATCH))
    if mismatch.totals:
        sent, expected = map(number_text, mismatch.totals)
        told = f"{sent} elements sent, {expected} expected by all"
        facts.append(Detail("totals", told, Sign.MISMATCH))
    return facts


def call_details(rows: CallRows, row: int) -> list[Detail]:
    """The facts of one row of the calls."""
    lines, columns, job = rows.lines, rows.lines.columns, rows.lines.job
    first, closing = int(lines.first[row]), int(lines.closing[row])
    dump = job.dumps[columns.dump[first]]
    group = rows.members.groups[int(lines.group[row])]
    state = int(lines.state[row])
    odd = Sign.MISMATCH if rows.odd[row] else Sign.NONE
    facts = [
        Detail("rank", " ".join(filter(None, (str(lines.rank[row]), dump.host and f"on {dump.host}")))),
        Detail(
            "call", f"{lines.op_texts.text(row)} #{lines.sequence[row]}{' (p2p_seq_id)' if lines.p2p[row] else ''}", odd
        ),
        Detail("group", group_told(group)),
    ]
    if rows.collective_of(row) is None:
        facts.append(Detail("belongs to", "an earlier group of the same name: no other rank's call is matched to it"))
    if peers := rows.peers(row):
        facts.append(Detail("peers", str(peers)))
    retired = "retired" if columns.retired[closing] else "not retired"
    recorded = State(int(columns.state[closing])).name.lower()
    facts += [
        Detail("state", STATES[state], Sign.OPEN if state < FIRST_OVER else Sign.NONE),
        Detail("recorded state", f"{recorded}, {retired}"),
        Detail(
            "sequence numbers",
            f"collective {columns.collective_seq[first]}, P2P {columns.p2p_seq[first]}, "
            f"operation {columns.op_id[first]}",
        ),
        _instant("created", int(lines.created[row]), lines.newest),
        _instant("started", int(lines.started[row]), lines.newest),
        _instant("completed", int(lines.completed[row]), lines.newest),
    ]
    if not np.isnan(rows.late_s[row]):
        facts.append(Detail("after the first", span_text(float(rows.late_s[row]))))
    told = float(dump.entries.duration_ms[columns.row[closing]])
    if not np.isnan(told):
        facts.append(Detail("on the device", f"{ms_text(told)} ({told:g} ms)"))
    facts += _spans(float(lines.duration_s[row]), float(lines.age_s[row]), _timeout_ms(rows, row))
    facts += _sides(rows, row)
    splits = int(columns.splits[first])
    if splits >= 0:
        facts += _splits(job.splits[splits])
    if thread := lines.thread_texts.text(row):
        facts.append(Detail("thread", thread))
    facts.append(Detail("record_id", f"{lines.record_id[row]} (counts on this rank alone)"))
    facts += _entries(rows, row)
    return facts


def _timeout_ms(rows: CallRows, row: int) -> int:
    """Timeout of a call in ms, 0 = not recorded."""
    return int(rows.lines.columns.timeout_ms[rows.lines.first[row]])


def _number(sequence: np.uint64, p2p: np.bool_) -> str:
    return f"P2P #{sequence}" if p2p else f"#{sequence}"


def _instant(label: str, instant: int, newest: int) -> Detail:
    if instant <= 0:
        return Detail(label, NOT_KNOWN, Sign.FAINT)
    return Detail(label, f"{instant_text(instant)}, {_before(instant, newest)} ({instant} ns)")


def _before(instant: int, newest: int) -> str:
    """Where an instant is against the newest one that any rank recorded."""
    if instant >= newest:
        return "the newest of all"
    return f"{offset_text(instant, newest).removeprefix('-')} before the newest of all"


def _spans(duration_s: float, age_s: float, timeout_ms: int) -> list[Detail]:
    facts = []
    if not np.isnan(duration_s):
        facts.append(Detail("duration", f"{span_text(duration_s)} ({duration_s:.6f} s)"))
    if not np.isnan(age_s):
        facts.append(Detail("age", f"{span_text(age_s)} when the dump was taken"))
    if timeout_ms > 0:
        facts.append(Detail("timeout", f"{span_text(timeout_ms / 1e3)} ({timeout_ms:,} ms)"))
    return facts


def _sides(rows: CallRows | CollectiveRows, line: int) -> list[Detail]:
    facts = []
    for label, inputs in (("inputs", True), ("outputs", False)):
        shapes, dtypes = rows.lines.sizes(line, inputs=inputs)
        if not shapes:
            facts.append(Detail(label, "none", Sign.FAINT))
        told = tensors_exact(shapes, dtypes)
        facts += [Detail("" if place else label, text) for place, text in enumerate(told)]
    return facts


def _entries(rows: CallRows | CollectiveRows, line: int) -> list[Detail]:
    """The entries of a batch one by one; nothing for a call that is one entry."""
    lines, columns, job = rows.lines, rows.lines.columns, rows.lines.job
    entries = lines.rows_of(line)
    if len(entries) < 2:
        return []
    facts = [Detail("entries", f"{len(entries)} under this sequence number on rank {lines.rank[line]}")]
    for place, entry in enumerate(map(int, entries[:_LISTED]), 1):
        given = tensors_text(job.shapes[columns.input_shapes[entry]], job.dtypes[columns.input_dtypes[entry]])
        taken = tensors_text(job.shapes[columns.output_shapes[entry]], job.dtypes[columns.output_dtypes[entry]])
        name = job.operations[columns.operation[entry]].recorded
        state = State(int(columns.state[entry])).name.lower()
        number = job.dumps[columns.dump[entry]].entries.record_id[columns.row[entry]]
        told = [name, state, f"in {given}" if given else "", f"out {taken}" if taken else "", f"record_id {number}"]
        facts.append(Detail(f"entry {place}", ", ".join(filter(None, told))))
    if len(entries) > _LISTED:
        facts.append(Detail("", f"and {len(entries) - _LISTED:,} more entries"))
    return facts


def _splits(splits: Splits) -> list[Detail]:
    return [
        Detail(label, _counts(counts))
        for label, counts in (("sent to each peer", splits.sent), ("expected from each", splits.received))
        if counts
    ]


def _counts(counts: tuple[int, ...]) -> str:
    told = " ".join(map(number_text, counts[:_LISTED]))
    return told if len(counts) <= _LISTED else f"{told} and {len(counts) - _LISTED:,} more"
