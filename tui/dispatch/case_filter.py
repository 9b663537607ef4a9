"""The filter of the dispatch screen's cases.

The grammar is that of `services.filter_terms`. `op:` asks for the operator, `state:` how the latest run went, or what
the file says of it; a text and `re:` are looked for in name, operator, file, state, result and server.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ...services.console.status import CaseStatus
from ...services.filters.terms import FilterPlace, Term, words_meant

if TYPE_CHECKING:
    from ...services.console.console import Console

__all__ = ["CASES", "CaseFilter"]

CASES = FilterPlace("cases", {"op": "op:x", "state": "state:failed"})
_STATES = tuple(status.word for status in CaseStatus)


@dataclass(frozen=True, slots=True)
class CaseFilter:
    """A parsed filter; the empty one leaves all cases."""

    terms: tuple[Term, ...] = ()

    @classmethod
    def parse(cls, text: str) -> CaseFilter:
        """
        Raises:
            FilterError: a term cannot be understood, or can't be asked of cases.
        """
        terms = CASES.terms(text)
        for term in terms:
            if term.field == "state":
                words_meant(term, _STATES)
        return cls(terms)

    def __bool__(self) -> bool:
        return bool(self.terms)

    def fits(self, console: Console, case_id: str) -> bool:
        """Whether all terms hold for a case."""
        return all(_holds(term, console, case_id) is not term.turned for term in self.terms)


def _holds(term: Term, console: Console, case_id: str) -> bool:
    case, state = console.cases[case_id], console.status(case_id).word
    match term.field:
        case "op":
            return term.finds(case.title)
        case "state":
            return state in words_meant(term, _STATES)
    line = console.latest(case_id)
    said = (line.said, line.endpoint) if line is not None else (case.reason, case.problem)
    return any(map(term.finds, (case.name, case.title, case.origin, state, *said)))
