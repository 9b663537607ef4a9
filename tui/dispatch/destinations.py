"""Cases and runs of the dispatch console by what people call them: `case join`, `run 7`."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ...services.plain_text import plain
from ..actions.registry import key_of
from ..wording import count

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...services.console.console import Console

__all__ = ["ToCase", "ToRun", "case_of", "cases_called", "run_of"]

NAMED = 8
"""Cases that an error names."""
LONGEST = 60
"""Characters of a name that are said."""


@dataclass(frozen=True, slots=True)
class ToCase:
    """To a case in the list of cases."""

    case_id: str
    beside: str = ""
    """Which one was taken, when others fit as well."""


@dataclass(frozen=True, slots=True)
class ToRun:
    """To the result of a run."""

    case_id: str
    key: str


def case_of(console: Console, text: str) -> ToCase | str:
    """The case that is meant, or what is wrong with it. Of several that fit, the first of the list.

    Args:
        text: a name or an operator, the beginning or a part of either.
    """
    if not console.cases:
        return f"no case is open; on the dispatch screen {key_of('open_cases')} opens a file of cases"
    wanted = text.casefold()
    if not wanted:
        return "which case is written like case softmax: its name, its operator, or a part of these"
    names = {case_id: tuple(map(_said, (case.name, case.title))) for case_id, case in console.cases.items()}
    order = console.order()
    for fits in (str.__eq__, str.startswith, str.__contains__):
        for place in (0, 1):
            found = [case_id for case_id in order if fits(names[case_id][place].casefold(), wanted)]
            if found:
                others = len(found) - 1
                first = names[found[0]][0][:LONGEST]
                verb = "is" if others == 1 else "are"
                beside = f"{first}; {count(others, 'other case')} {verb} called so too" if others else ""
                return ToCase(found[0], beside)
    more = f" and {len(order) - NAMED} more" if len(order) > NAMED else ""
    there = ", ".join(names[case_id][0][:LONGEST] for case_id in order[:NAMED])
    return f"no case is called {plain(text, LONGEST)}: there are {there}{more}"


def run_of(console: Console, text: str) -> ToRun | str:
    """The run with a number of the history, or what is wrong with it.

    Args:
        text: the number, perhaps with `#` before it.
    """
    number = re.fullmatch(r"#?\s*(\d{1,18})", text)
    if number is None:
        return "which run is written like run 7; screen 8 numbers the runs of a case"
    lines = [line for case_id in console.cases for line in console.runs.get(case_id, ()) if line.number is not None]
    found = next((line for line in lines if line.number == int(number[1])), None)
    if found is not None:
        return ToRun(found.case_id, found.key)
    numbers = sorted(line.number for line in lines if line.number is not None)
    if not numbers:
        return f"there is no run {int(number[1])}: no case that is open here has run"
    span = f"#{numbers[0]}" if len(numbers) == 1 else f"#{numbers[0]} to #{numbers[-1]}"
    return f"no case that is open here has run #{int(number[1])}: their runs are {span}"


def cases_called(console: Console, most: int) -> Iterator[tuple[str, str]]:
    """The first cases of the list: what can be typed for each, and its operator. A name of several comes once."""
    said: set[str] = set()
    for case_id in console.order()[:most]:
        case = console.cases[case_id]
        words = f"case {_said(case.name)}"
        if words not in said:
            said.add(words)
            yield words, case.title


def _said(name: str) -> str:
    """A name as it can be typed: one blank between words."""
    return " ".join(plain(name).split())
