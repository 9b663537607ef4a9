"""What may be gone to by typing it: a rank, a finding, a look, a screen, a group, a call, a key of the store, a case or
a run of the dispatch console."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ...services.ranksets import RankSet
from ..dispatch.destinations import ToCase, ToRun, case_of, cases_called, run_of
from ..recorder.destinations import ToCall, ToGroup, call_of, group_of, group_words
from ..screens.look_request import look_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from ...services.console.console import Console
    from ...services.session import Session

__all__ = [
    "Destination",
    "Marking",
    "ToCall",
    "ToCase",
    "ToFinding",
    "ToGroup",
    "ToKey",
    "ToLook",
    "ToRank",
    "ToRun",
    "ToScreen",
    "destination",
    "known_words",
]

WORDS = 200
"""Ranks, findings and looks, of each, that are offered as completions."""
_RANKS = re.compile(r"(?=.*[-,:])[\d\s,:-]+")
_CALL = re.compile(r"(?:(?:group\s+)?(?P<group>.*?)\s*)?#\s*(?P<seq>\d{1,18})")


@dataclass(frozen=True, slots=True)
class ToRank:
    """Select a rank; the screen stays the same."""

    rank: int


@dataclass(frozen=True, slots=True)
class Marking:
    """Mark ranks, which takes the marks of others away, and select the first."""

    ranks: RankSet


@dataclass(frozen=True, slots=True)
class ToFinding:
    """Show a finding in full on the overview."""

    number: int
    """Its place among those of the verdict, from 0."""


@dataclass(frozen=True, slots=True)
class ToLook:
    """Show a look, on all screens."""

    look_id: int


@dataclass(frozen=True, slots=True)
class ToScreen:
    """Show another screen."""

    mode: str


@dataclass(frozen=True, slots=True)
class ToKey:
    """To a key of the store, or to the branch of all that begin with it."""

    keys: tuple[bytes, ...]
    """What to look for in the tree, the best first."""


Destination = ToRank | Marking | ToFinding | ToLook | ToScreen | ToGroup | ToCall | ToKey | ToCase | ToRun


def destination(session: Session, text: str, screens: Mapping[str, str], console: Console) -> Destination | str:
    """What is meant by a text, or what is wrong with it, in one plain line.

    Args:
        console: has the cases and their runs.
        screens: mode by what the screen may be called: its name, its key.
    """
    words = " ".join(text.split())
    lower = words.casefold()
    head, _, rest = lower.partition(" ")
    if not words:
        return "nothing is typed: a rank, f2, look 3, a screen, group tp, #311, key …, case …"
    if number := re.fullmatch(r"(?:rank\s*|r)?(\d{1,9})", lower):
        return _rank(session, int(number[1]))
    if number := re.fullmatch(r"(?:finding\s*|f)(\d{1,9})", lower):
        return _finding(session, int(number[1]))
    if head == "mark":
        return _marking(session, rest)
    if _RANKS.fullmatch(lower.removeprefix("ranks").removeprefix("rank")):
        ranks = lower.removeprefix("ranks").removeprefix("rank").replace(" ", "")
        return f"{ranks} is more than one rank: go to one of them, or write mark {ranks} to mark them"
    if head == "look":
        look = look_of(session, rest)
        return look if isinstance(look, str) else ToLook(look.id)
    if head == "screen":
        return _screen(rest, screens)
    if head == "key":
        return _key(session, words.partition(" ")[2])
    if head == "case":
        return case_of(console, words.partition(" ")[2])
    if head == "run":
        return run_of(console, rest)
    if call := _CALL.fullmatch(words):
        return call_of(session, int(call["seq"]), call["group"] or "")
    if head == "group":
        return group_of(session, words.partition(" ")[2])
    return _screen(lower, screens)


def _ranks_there(session: Session) -> str:
    return f"the ranks are {RankSet(session.ranks)}" if session.ranks else "no rank is known yet"


def _rank(session: Session, rank: int) -> ToRank | str:
    return ToRank(rank) if rank in session.ranks else f"there is no rank {rank}: {_ranks_there(session)}"


def _marking(session: Session, text: str) -> Marking | str:
    try:
        ranks = RankSet.parse(text.replace(" ", ""))
    except ValueError:
        return "which ranks to mark is written like mark 0-7,12"
    if not ranks:
        return "which ranks to mark is written like mark 0-7,12"
    missing = ranks - RankSet(session.ranks)
    return f"there is no rank {missing}: {_ranks_there(session)}" if missing else Marking(ranks)


def _finding(session: Session, number: int) -> ToFinding | str:
    there = len(session.verdict.findings)
    if 1 <= number <= there:
        return ToFinding(number - 1)
    if not there:
        return "there is no finding"
    return f"there is no finding {number}: " + ("the only one is f1" if there == 1 else f"they are f1 to f{there}")


def _screen(text: str, screens: Mapping[str, str]) -> ToScreen | str:
    if text in screens:
        return ToScreen(screens[text])
    found = {mode for name, mode in screens.items() if len(name) > 1 and name.startswith(text)}
    if len(found) == 1:
        return ToScreen(found.pop())
    names = sorted({name for name in screens if len(name) > 1})
    if found:
        return f"{text} is the beginning of several: {', '.join(name for name in names if name.startswith(text))}"
    others = "ranks, f2, look 3, group tp, #311, key …, case …, run 7"
    return f"no screen is called that; there are {', '.join(names)}, and {others}"


def _key(session: Session, text: str) -> ToKey | str:
    listing = session.store.listing
    if listing is None:
        return "the keys of the store are not listed yet: the screen of the store lists them"
    wanted = text.encode(errors="surrogateescape")
    if not wanted:
        return "which key is written like key debug_server/rank0"
    first = next((key for key in listing.keys if key.startswith(wanted)), None)
    return ToKey((wanted, first)) if first is not None else "no key of the store begins with that"


def known_words(session: Session, screens: Mapping[str, str], console: Console) -> Iterator[str]:
    """What could be typed, for completion: screens, findings, looks, groups, ranks, cases; of many the first or newest.

    Args:
        console: has the cases.
    """
    yield from (name for name in screens if len(name) > 1)
    yield from (f"finding {number + 1}" for number in range(min(len(session.verdict.findings), WORDS)))
    yield from (f"look {look.id}" for look in session.looks[: -WORDS - 1 : -1])
    yield from group_words(session, WORDS)
    ranks: Sequence[int] = list(session.ranks)[:WORDS]
    yield from (f"rank {rank}" for rank in ranks)
    yield from (words for words, _ in cases_called(console, WORDS))
