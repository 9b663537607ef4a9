"""Case files of every kind as cases of the console."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..dispatch.case_file import is_case_file, read_case
from ..dispatch.errors import CaseError
from ..plain_text import plain
from ..run_history.case_key import case_key, different
from ..runs.case_standard import CaseStandard
from ..ttk_cases.converting import conversion_notes, to_op_case
from ..ttk_cases.errors import CaseFileError
from ..ttk_cases.reading import read_case_file
from .case import ConsoleCase

if TYPE_CHECKING:
    from pathlib import Path

    from ..ttk_cases.case import TTKCase

__all__ = ["CASE_FORMS", "CaseFilesError", "OpenedCases", "open_cases"]

CASE_FORMS = "a case file is .toml, .json, or a TTK .csv or .xlsx"
PROBLEMS_TOLD = 5


class CaseFilesError(Exception):
    """A file has no case that could be shown.

    Attributes:
        hint: what to do about it, one plain line.
    """

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(plain(message))
        self.hint = plain(hint)


@dataclass(frozen=True, slots=True)
class OpenedCases:
    """What a file holds."""

    label: str
    """The file's name, plain."""
    cases: tuple[ConsoleCase, ...]
    """In the reader's order: failing rows first."""
    notes: tuple[str, ...]
    """What else should be known, one plain line each."""


def open_cases(path: Path) -> OpenedCases:
    """Read one case file. Takes as long as its arrays do: not for an event loop.

    Raises:
        CaseFilesError: it can't be read, or is no case file.
    """
    label = plain(path.name, 80)
    if is_case_file(path.name):
        try:
            case = read_case(path)
            case.check()
        except CaseError as error:
            raise CaseFilesError(str(error), hint=error.hint) from error
        made = ConsoleCase(
            str(path.absolute()), path.stem, path.name, path.absolute().parent, case, case, key=case_key(path)
        )
        return OpenedCases(label, (made,), ())
    if path.suffix.lower() not in (".csv", ".xlsx", ".tsv", ".txt"):
        raise CaseFilesError(f"{label}: not a case file", hint=CASE_FORMS)
    try:
        found = read_case_file(path)
    except CaseFileError as error:
        raise CaseFilesError(str(error), hint=CASE_FORMS) from error
    in_order = sorted(found.cases, key=lambda row: (row.sheet, row.line))
    keys = different([case_key(path, row.sheet, row.name or row.target) for row in in_order])
    by_place = {(row.sheet, row.line): key for row, key in zip(in_order, keys, strict=True)}
    cases = tuple(_row(row, path, by_place[row.sheet, row.line]) for row in found.cases)
    problems = [plain(str(problem), 200) for problem in found.problems[:PROBLEMS_TOLD]]
    if len(found.problems) > PROBLEMS_TOLD:
        problems.append(f"{len(found.problems) - PROBLEMS_TOLD} more rows can't be read")
    return OpenedCases(label, cases, (*map(plain, found.notes), *problems))


def _row(row: TTKCase, path: Path, key: str) -> ConsoleCase:
    place = f"{row.sheet}:{row.line}" if row.sheet else str(row.line)
    problem, case = "", None
    try:
        case = to_op_case(row, provider="numpy" if row.target.startswith("numpy.") else None)
    except CaseError as error:
        problem = f"{error}" + (f" ({error.hint})" if error.hint else "")
    return ConsoleCase(
        id=f"{path.absolute()}:{place}",
        name=row.name or row.target,
        origin=f"{path.name}:{place}",
        folder=path.absolute().parent,
        loaded=case,
        case=case,
        problem=problem,
        notes=(*conversion_notes(row), *_limits_note(row)) if case is not None else (),
        said=row.outcome,
        reason=row.reason,
        standard=_standard(row),
        key=key,
        raw=row.raw,
    )


def _standard(row: TTKCase) -> CaseStandard | None:
    given = max(len(row.tolerances), len(row.absolute_precision))
    return CaseStandard(limits=tuple(map(row.limits_of, range(given + 1)))) if given else None


def _limits_note(row: TTKCase) -> tuple[str, ...]:
    columns = [
        name
        for name, there in (
            ("precision_tolerances", row.tolerances),
            ("absolute_precision", row.absolute_precision),
        )
        if there
    ]
    return (f"{', '.join(columns)}: for the standards close and cosine (`by close` at c)",) if columns else ()
