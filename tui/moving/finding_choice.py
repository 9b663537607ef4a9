"""Which finding of the verdict is shown in full: the first, until a person goes on to another."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ...services.findings import Finding
    from ...services.looks.recorders import RecorderLook
    from ...services.session import Session

__all__ = ["FindingChoice", "place_in_recorder"]


class FindingChoice:
    """A finding keeps being the chosen one over looks, though its place and its words change."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._chosen: Finding | None = None

    @property
    def at(self) -> int | None:
        """Place of the finding chosen by a person among those of the verdict; None when none is, or it is gone."""
        if self._chosen is None:
            return None
        found = self._session.verdict.findings
        for key in (_whole_key, _loose_key):
            wanted = key(self._chosen)
            for number, finding in enumerate(found):
                if key(finding) == wanted:
                    return number
        return None

    @property
    def chosen(self) -> Finding | None:
        """The finding chosen by a person, as the verdict has it now."""
        at = self.at
        return None if at is None else self._session.verdict.findings[at]

    def clear(self) -> None:
        """Back to the first finding, with the others in a line each."""
        self._chosen = None

    def choose(self, number: int) -> Finding | None:
        """Choose the finding at a place of the verdict. None when there is none."""
        found = self._session.verdict.findings
        if not 0 <= number < len(found):
            return None
        self._chosen = found[number]
        return self._chosen

    def step(self, step: int) -> Finding | None:
        """Choose the next finding (1) or the one before (-1), going round, from none the first or the last. None when
        there is no finding."""
        found = self._session.verdict.findings
        if not found:
            return None
        at = self.at if self.at is not None else -1 if step > 0 else 0
        self._chosen = found[(at + step) % len(found)]
        return self._chosen


def place_in_recorder(look: RecorderLook, finding: Finding) -> tuple[str, int] | None:
    """The recorder that shows a finding, and its place among those of the diagnosis (`findings`, then `passing`); None
    when it is about no recorded call."""
    if finding.group is None or finding.seq is None:
        return None
    wanted = (finding.group.name, finding.group.ranks, finding.seq)
    for source, diagnosis in look.diagnoses.items():
        for number, one in enumerate((*diagnosis.findings, *diagnosis.passing)):
            if one.group is not None and (one.group.name, one.group.members, one.seq) == wanted:
                return source, number
    return None


def _whole_key(finding: Finding) -> tuple[object, ...]:
    group = finding.group.name if finding.group is not None else None
    return finding.kind, finding.culprits, group, finding.op, finding.seq


def _loose_key(finding: Finding) -> tuple[object, ...]:
    return finding.kind, finding.culprits.first
