"""Findings: one row for each first cause that one recorder shows, those that may pass by themselves last."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from ..findings import Confidence, Severity
from ..flight_recorder.operations import Kind as OpKind
from ..flight_recorder.operations import operation
from ..judging.recorder_findings import sentence_of, unaccused
from ..judging.witness import UNSEEN, Witness
from ..ranksets import RankSet, ranks_said
from .cells import known_cell, maybe_cell, span_cell
from .column_table import Column, ColumnTable
from .group_names import group_label, group_told
from .moments import NOT_KNOWN, span_text
from .order import sortable
from .row_filter import Flag
from .table import CellValue, Detail, Field, Sign
from .texts import Texts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from ..flight_recorder.diagnosis import Diagnosis, FlightFinding
    from .collectives import CollectiveRows

__all__ = ["FindingRows", "NameRanks"]

NameRanks: TypeAlias = Callable[[RankSet], str]
"""Writes a rank set for a sentence: `rank 12 (node-b07)`."""

_STANDING = ("stands", "may pass")
_LISTED = 64
"""Calls behind a finding that are listed one by one."""


class FindingRows(ColumnTable):
    """In the order of the diagnosis: `findings`, then `passing`, which accuse nobody unless something backs them.

    Nor does one of `findings` that is excused.
    """

    def __init__(
        self,
        diagnosis: Diagnosis,
        collectives: CollectiveRows,
        name_ranks: NameRanks,
        beside: Witness = UNSEEN,
        source: str = "",
    ) -> None:
        """
        Args:
            beside: what is known of the ranks beside their recorders; the verdict weighs findings by it too.
            source: the recorder.
        """
        passes = [beside.excuses(one) for one in diagnosis.findings]
        passes += [not beside.backs(one) for one in diagnosis.passing]
        self._passing = np.array(passes, dtype=np.bool_)
        told = (*diagnosis.findings, *diagnosis.passing)
        weighed = (
            replace(one, severity=Severity.INFO, confidence=Confidence.POSSIBLE) if calm else beside.weighed(one)
            for one, calm in zip(told, self._passing, strict=True)
        )
        made = [unaccused(one, beside, source) for one in weighed]
        self.findings: tuple[FlightFinding, ...] = tuple(one for one, _ in made)
        self._not_asked = tuple(beyond for _, beyond in made)
        """Those of whom nothing is known as nobody has asked them."""
        self._beside = beside
        self._collectives = collectives
        self._name_ranks = name_ranks
        super().__init__("Findings", self._made(), len(self.findings))

    # jumps ----------------------------------------------------------------------------------------------------

    def target_of(self, row: int) -> int | None:
        """The row of the collective that it is about; None when it is about none that is recorded."""
        self._check(row)
        one = self.findings[row]
        if one.group is None or one.seq is None:
            return None
        p2p = one.op is not None and operation(one.op).kind in (OpKind.SEND, OpKind.RECV)
        p2p = p2p or one.kind.value == "p2p_unmatched"
        for lane in (p2p, not p2p):
            found = self._collectives.row_of(one.group.index, one.seq, p2p=lane)
            if found is not None and self._fits(found, one):
                return found
        return None

    def _fits(self, row: int, one: FlightFinding) -> bool:
        """Whether the collective has the operation that the finding names, on any rank."""
        lines = self._collectives.lines
        rows = np.concatenate([lines.rows_of(int(line)) for line in self._collectives.calls_of(row)])
        return any(lines.job.operations[number].recorded == one.op for number in lines.columns.operation[rows])

    # columns --------------------------------------------------------------------------------------------------

    def sentence(self, row: int) -> str:
        """The finding as the verdict says it."""
        one = self.findings[row]
        return sentence_of(one, self._name_ranks, self._beside.shown_by(one.culprits), self._not_asked[row])

    @cached_property
    def _sentences(self) -> Texts:
        return self._each([self.sentence(row) for row in range(len(self))])

    def _each(self, values: Sequence[str]) -> Texts:
        return Texts(values, np.arange(len(values), dtype=np.int32))

    def _numbers(self, number: Callable[[FlightFinding], int]) -> NDArray[np.int64]:
        return np.array([number(one) for one in self.findings], dtype=np.int64)

    def _made(self) -> Sequence[Column]:
        findings = self.findings
        severities, confidences = list(Severity), list(Confidence)
        labels = [group_label(one.group) if one.group is not None else "" for one in findings]
        passing = self._passing.astype(np.int32)
        waited = np.array([np.nan if one.waited_s is None else one.waited_s for one in findings], dtype=np.float64)
        known = np.array([one.seq is not None for one in findings], dtype=np.bool_)
        sequences = np.array([one.seq or 0 for one in findings], dtype=np.uint64)
        return (
            Column(Field("id", "id", True), lambda row: CellValue(str(row + 1)), lambda: np.arange(len(findings))),
            Column(
                Field("kind", "kind"),
                lambda row: CellValue(findings[row].kind.value),
                texts=lambda: self._each([one.kind.value for one in findings]),
            ),
            Column(
                Field("severity", "severity"),
                lambda row: CellValue(findings[row].severity.value),
                lambda: self._numbers(lambda one: severities.index(one.severity)),
                lambda: self._each([one.severity.value for one in findings]),
            ),
            Column(
                Field("confidence", "confidence"),
                lambda row: CellValue(findings[row].confidence.value),
                lambda: self._numbers(lambda one: confidences.index(one.confidence)),
                lambda: self._each([one.confidence.value for one in findings]),
            ),
            Column(
                Field("stands", "stands"),
                lambda row: CellValue(_STANDING[passing[row]], Sign.FAINT if passing[row] else Sign.NONE),
                lambda: passing,
                lambda: Texts(_STANDING, passing),
                "state",
            ),
            Column(
                Field("culprits", "culprits"),
                lambda row: known_cell(str(findings[row].culprits) or NOT_KNOWN),
                lambda: self._numbers(lambda one: len(one.culprits)),
            ),
            Column(
                Field("group", "group"),
                lambda row: CellValue(labels[row]),
                texts=lambda: self._each(labels),
                filtered="group",
            ),
            Column(
                Field("seq", "seq", True),
                lambda row: maybe_cell(findings[row].seq),
                lambda: sortable(sequences, known),
            ),
            Column(
                Field("op", "op"),
                lambda row: CellValue(findings[row].op or ""),
                texts=lambda: self._each([one.op or "" for one in findings]),
                filtered="op",
            ),
            Column(
                Field("waiting", "waiting", True),
                lambda row: CellValue(str(len(findings[row].waiting))),
                lambda: self._numbers(lambda one: len(one.waiting)),
            ),
            Column(Field("waited", "waited", True), lambda row: span_cell(waited[row]), lambda: waited),
            Column(
                Field("followers", "groups behind", True),
                lambda row: CellValue(str(findings[row].groups_behind)),
                lambda: self._numbers(lambda one: one.groups_behind),
            ),
            Column(
                Field("text", "finding", max_width=120),
                lambda row: CellValue(self._sentences.text(row)),
                texts=lambda: self._sentences,
            ),
        )

    # rows -----------------------------------------------------------------------------------------------------

    def ranks(self, row: int) -> RankSet:
        """The culprits; where nobody is one, the ranks that wait."""
        self._check(row)
        return self.findings[row].culprits or self.findings[row].waiting

    def details(self, row: int) -> Sequence[Detail]:
        self._check(row)
        one = self.findings[row]
        facts = [
            Detail("finding", self.sentence(row)),
            Detail("kind", f"{one.kind.value}, {one.severity.value}, {one.confidence.value}"),
        ]
        if self._passing[row]:
            facts.append(Detail("may pass", "a moment between two calls looks the same; nobody is accused", Sign.FAINT))
        if one.group is not None:
            facts.append(Detail("group", group_told(one.group)))
        if one.op is not None:
            facts.append(Detail("call", one.op if one.seq is None else f"{one.op} #{one.seq}"))
        told = (
            ("culprits", one.culprits),
            ("not asked", self._not_asked[row]),
            ("waiting", one.waiting),
            ("not known", one.unknown),
        )
        for label, ranks in told:
            if ranks:
                facts.append(
                    Detail(label, f"{ranks} ({len(ranks)})", Sign.MISSING if label == "culprits" else Sign.NONE)
                )
        facts += self._times(one)
        facts += [
            Detail(
                f"step {place}",
                f"{ranks_said(step.inside)} in {step.op} #{step.seq} of {group_label(step.group)} for {step.waits_for}",
            )
            for place, step in enumerate(one.cycle[:_LISTED], 1)
        ]
        facts += [
            Detail("" if place else "evidence", f"{'' if fact.rank is None else f'rank {fact.rank}: '}{fact.text}")
            for place, fact in enumerate(one.evidence)
        ]
        if one.refutation:
            facts.append(Detail("refuted by", one.refutation))
        facts += [
            Detail(
                "" if place else "behind it",
                f"{call.op} #{call.seq} of {group_label(call.group)}, {ranks_said(call.ranks)}"
                f"{'' if call.current else ' (queued)'}",
            )
            for place, call in enumerate(one.followers[:_LISTED])
        ]
        if len(one.followers) > _LISTED:
            facts.append(Detail("", f"and {len(one.followers) - _LISTED:,} more calls"))
        return facts

    def _times(self, one: FlightFinding) -> list[Detail]:
        told = (
            ("waited", one.waited_s),
            ("timeout", one.timeout_s),
            ("usual gap", one.usual_s),
            ("ended after", one.overran_s),
        )
        facts = [Detail(label, span_text(seconds)) for label, seconds in told if seconds is not None]
        return [*facts, Detail("second look", one.pace.value)] if one.pace is not None else facts

    def of_ranks(self, ranks: RankSet) -> NDArray[np.bool_]:
        """Findings in which any of these ranks is culprit or waits."""
        return np.array([bool((one.culprits | one.waiting) & ranks) for one in self.findings], dtype=np.bool_)

    def of_sequence(self, first: int, last: int) -> NDArray[np.bool_]:
        return np.array([one.seq is not None and first <= one.seq <= last for one in self.findings], dtype=np.bool_)

    def flagged(self, flag: Flag) -> NDArray[np.bool_]:
        kinds = {
            Flag.MISSING: ("not_joined", "no_dump", "p2p_unmatched"),
            Flag.MISMATCH: ("mismatch",),
            Flag.P2P: ("p2p_unmatched",),
        }
        if flag is Flag.OPEN:
            return np.array([bool(one.waiting) for one in self.findings], dtype=np.bool_)
        return np.array([one.kind.value in kinds[flag] for one in self.findings], dtype=np.bool_)
