"""A case as the console has it: what its file says, and what a person has made of it since."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from ..dispatch.edits import changed
from ..ttk_cases.case import Outcome

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from ..dispatch.case import OpCase
    from ..dispatch.edits import Difference
    from ..runs.case_standard import CaseStandard
    from ..runs.references import Reference

__all__ = ["ConsoleCase"]


@dataclass(frozen=True, slots=True, eq=False)
class ConsoleCase:
    """One case of the list. It never changes; an edit makes another one with the same id."""

    id: str
    """Tells it from all other cases of the console: its file and its place in it."""
    name: str
    """As the file calls it; from outside, so not plain."""
    origin: str
    """File and line, for people; not plain."""
    folder: Path
    """What file names are relative to."""
    loaded: OpCase | None
    """As its file has it; None where no case can be made of it."""
    case: OpCase | None
    """With the edits."""
    problem: str = ""
    """Why `loaded` is None, with what to do."""
    notes: tuple[str, ...] = ()
    """What of the file the case does not carry."""
    said: Outcome = Outcome.NOT_RUN
    """How its last run went by the file."""
    reason: str = ""
    """Why it failed by the file, in few words; not plain."""
    reference: Reference | None = None
    """What its outputs should be."""
    standard: CaseStandard | None = None
    """By what they are compared; None: by what is usual for the dtype."""
    key: str | None = None
    """Tells it from all other cases in the run history, in later sessions as well; None: its runs are those of its
    operator that are most alike."""
    raw: Mapping[str, str] = field(default_factory=dict)
    """All columns of its row, those that mean nothing here too."""
    before: tuple[OpCase, ...] = ()
    """The case before each edit, the latest last."""
    edits: tuple[Difference, ...] = ()
    """The fields in which the case is not as loaded; found once, since arrays may be large."""

    @property
    def title(self) -> str:
        """The operator, as a person calls it."""
        return self.case.title if self.case is not None else self.name

    def edited(self, case: OpCase) -> ConsoleCase:
        """The same with another case to run."""
        kept = (*self.before, self.case) if self.case is not None else self.before
        return self.with_case(case, kept[-UNDO_STEPS:])

    def undone(self) -> ConsoleCase:
        """Without the latest edit; the same where there is none."""
        return self.with_case(self.before[-1], self.before[:-1]) if self.before else self

    def as_loaded(self) -> ConsoleCase:
        """Without any edit; `undone` brings them back."""
        return self if self.loaded is None or not self.edits else self.edited(self.loaded)

    def with_case(self, case: OpCase | None, before: tuple[OpCase, ...]) -> ConsoleCase:
        """The same with another case to run and other steps to take back."""
        same = self.loaded is None or case is None or case is self.loaded
        edits = () if same or self.loaded is None or case is None else tuple(changed(self.loaded, case))
        return replace(self, case=case, before=before, edits=edits)


UNDO_STEPS = 50
"""Edits that can be taken back one by one."""
