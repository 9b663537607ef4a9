"""Which finding of the verdict is shown in full: the first, until a person goes on to another."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..services.findings import Finding
    from ..services.session import Session

__all__ = ["FindingChoice"]


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

    def clear(self) -> None:
        """Back to the first finding, with the others in a line each."""
        self._chosen = None

    def step(self, step: int) -> Finding | None:
        """Choose the next finding (1) or the one before (-1), going round, from none the first or the last. None when
        there is no finding."""
        found = self._session.verdict.findings
        if not found:
            return None
        at = self.at if self.at is not None else -1 if step > 0 else 0
        self._chosen = found[(at + step) % len(found)]
        return self._chosen


def _whole_key(finding: Finding) -> tuple[object, ...]:
    group = finding.group.name if finding.group is not None else None
    return finding.kind, finding.culprits, group, finding.op, finding.seq


def _loose_key(finding: Finding) -> tuple[object, ...]:
    return finding.kind, finding.culprits.first
