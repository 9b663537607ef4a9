"""What is known at the dispatch console: cases, servers, runs. It changes only in `Console.apply`."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from ..dispatch.edits import changed
from ..events import OpProgressed
from ..run_history.records import RunState
from ..runs.case_standard import CaseStandard
from ..ttk_cases.case import Outcome
from . import events
from .lines import line_of
from .runs import RunUnderWay
from .status import CaseStatus

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..dispatch.endpoint import OpEndpoint
    from ..runs.shown import RunShown
    from .case import ConsoleCase
    from .events import ConsoleEvent
    from .runs import RunLine

__all__ = ["Console"]

SHOWN_KEPT = 12
"""Runs whose outputs are kept in memory; others are read from the history again."""
SHOWN_BYTES = 1 << 30
"""Bytes that their outputs may take together; the newest two are always kept."""


class Console:
    """The state of one console. Read it freely, change it by `apply` alone.

    Args:
        clock: ns since the epoch.
    """

    def __init__(self, clock: Callable[[], int] = time.time_ns) -> None:
        self._clock = clock
        self.revision = 0
        """Grows with each change."""
        self.cases: dict[str, ConsoleCase] = {}
        """By id, in the order in which they came."""
        self.known: tuple[OpEndpoint, ...] = ()
        """All op servers that were ever chosen here."""
        self.chosen: tuple[OpEndpoint, ...] = ()
        """Those that runs go to."""
        self.runs: dict[str, list[RunLine]] = {}
        """Runs that are over, newest first, by case."""
        self.under_way: dict[str, RunUnderWay] = {}
        """By key, in the order in which they began."""
        self.shown: dict[str, RunShown] = {}
        """What the runs gave, by key; of the latest only."""
        self.refused: events.EditRefused | None = None
        """The edit that was refused last, until another one is made."""
        self.waiting: events.EditWaiting | None = None
        """The edit that reads a file now."""
        self.said: list[events.Said | events.ConsoleRefused] = []
        """What was told to the person, in order."""
        self.interrupted: tuple[int, ...] = ()
        """Runs of the history that were under way when their process ended."""
        self.history_read = False
        self.history_problem = ""
        """What is wrong with the history, one plain line; empty when nothing is."""

    # what the screens read ------------------------------------------------------------------------------------

    def status(self, case_id: str) -> CaseStatus:
        """How a case stands: by its latest run, else by what its file says."""
        running = any(run.case_id == case_id for run in self.under_way.values())
        return CaseStatus.RUNNING if running else self.settled(case_id)

    def settled(self, case_id: str) -> CaseStatus:
        """The same by runs that are over."""
        case = self.cases[case_id]
        for line in self.runs.get(case_id, ()):
            return CaseStatus.of_run(line)
        if case.case is None:
            return CaseStatus.NO_CASE
        if case.said in (Outcome.BROKEN, Outcome.FAILED):
            return CaseStatus.FAILED_BY_FILE
        return CaseStatus.PASSED_BY_FILE if case.said is Outcome.PASSED else CaseStatus.NOT_RUN

    def order(self) -> list[str]:
        """The cases, failing ones first, else as they came. A run under way moves none."""
        ranks = {case_id: self.settled(case_id).urgency for case_id in self.cases}
        return sorted(self.cases, key=ranks.__getitem__)

    def latest(self, case_id: str) -> RunLine | None:
        """The newest run of a case that is over."""
        lines = self.runs.get(case_id)
        return lines[0] if lines else None

    def line(self, key: str) -> RunLine | None:
        """The run of a key."""
        return next((line for lines in self.runs.values() for line in lines if line.key == key), None)

    def running(self, case_id: str) -> list[RunUnderWay]:
        """The runs of a case that are not over."""
        return [run for run in self.under_way.values() if run.case_id == case_id]

    # the one place where it changes ---------------------------------------------------------------------------

    def apply(self, event: ConsoleEvent | OpProgressed) -> None:
        """Fold one event in."""
        match event:
            case events.CasesOpened():
                self._opened(event)
            case events.ConsoleRefused() | events.Said():
                self.said.append(event)
            case events.EditWaiting():
                self.waiting, self.refused = event, None
            case events.CaseEdited():
                self.waiting = self.refused = None
                if event.case_id in self.cases:
                    self.cases[event.case_id] = self.cases[event.case_id].edited(event.case)
            case events.EditRefused():
                self.waiting, self.refused = None, event
            case events.EditsUndone():
                case = self.cases[event.case_id]
                self.refused = None
                self.cases[event.case_id] = case.as_loaded() if event.all else case.undone()
            case events.EndpointsChosen():
                self.chosen = event.chosen
                self.known = tuple(dict.fromkeys((*self.known, *event.chosen)))
            case events.ReferenceChosen():
                case = self.cases[event.case_id]
                self.cases[event.case_id] = replace(case, reference=event.reference, standard=event.standard)
            case events.RunBegun():
                self.under_way[event.key] = RunUnderWay(
                    event.key, event.case_id, event.case, event.endpoint, event.batch, self._clock()
                )
            case events.RunCancelling() | events.RunComparing() | OpProgressed():
                self._told(event)
            case events.RunCompared():
                self._over(event)
            case events.KeptRunsRead():
                self._kept(event)
            case events.KeptRunShown():
                self._show(event.key, event.shown)
        self.revision += 1

    def _opened(self, event: events.CasesOpened) -> None:
        for case in event.cases:
            self.cases[case.id] = _with_edits_of(self.cases.get(case.id), case)
        self.said += [events.Said(f"{event.label}: {note}") for note in event.notes]

    def _told(self, event: events.RunCancelling | events.RunComparing | OpProgressed) -> None:
        key = event.run_id if isinstance(event, OpProgressed) else event.key
        run = self.under_way.get(key)
        if run is None:
            return
        match event:
            case events.RunCancelling():
                self.under_way[key] = replace(run, cancelling=True)
            case events.RunComparing():
                self.under_way[key] = replace(run, comparing=True, transfer=None, since_ns=self._clock())
            case OpProgressed():
                self.under_way[key] = run.told(event.progress, self._clock())

    def _over(self, event: events.RunCompared) -> None:
        run = self.under_way.pop(event.key, None)
        if run is None:
            return
        case = self.cases.get(run.case_id)
        line = line_of(event.shown, run, case.loaded if case is not None else None, self._clock())
        self.runs.setdefault(run.case_id, []).insert(0, line)
        if event.note:
            self.history_problem = event.note
        self._show(event.key, event.shown)

    def _show(self, key: str, shown: RunShown) -> None:
        self.shown.pop(key, None)
        self.shown[key] = shown
        left = SHOWN_BYTES
        for place, (kept, one) in enumerate(reversed(list(self.shown.items()))):
            left -= _memory(one)
            if place >= SHOWN_KEPT or (left < 0 and place >= 2):
                del self.shown[kept]
        for lines in self.runs.values():
            for at, line in enumerate(lines):
                if line.key == key and line.state is RunState.OK and shown.passed is not None:
                    lines[at] = replace(line, passed=shown.passed)

    def _kept(self, event: events.KeptRunsRead) -> None:
        self.history_read = True
        self.history_problem = event.note
        self.interrupted = event.interrupted
        for case_id, kept in event.lines.items():
            here = self.runs.setdefault(case_id, [])
            numbers = {line.number for line in here}
            here += [line for line in kept if line.number not in numbers]
            here.sort(key=lambda line: -line.started_ns)


def _memory(shown: RunShown) -> int:
    """Bytes of the outputs; those that are mapped from files take none."""
    arrays = [one.array for one in shown.outputs if one.array is not None]
    return sum(0 if isinstance(array, np.memmap) else array.nbytes for array in arrays)


def _with_edits_of(known: ConsoleCase | None, case: ConsoleCase) -> ConsoleCase:
    """A case that is read again keeps what a person chose to compare with, and its edits as long as its file says the
    same."""
    if known is None:
        return case
    requested = known.standard.requested if known.standard is not None else None
    if requested is not None:
        case = replace(case, standard=replace(case.standard or CaseStandard(), requested=requested))
    if known.reference is not None:
        case = replace(case, reference=known.reference)
    if known.loaded is None or case.loaded is None or changed(known.loaded, case.loaded):
        return case
    return case.with_case(known.case, known.before)
