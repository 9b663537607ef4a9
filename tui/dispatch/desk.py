"""What a person does at the dispatch console: orders to the engine, events to the console."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from ...services.addressing.endpoints import TargetError
from ...services.comparison.routing import STANDARDS
from ...services.console import events, orders
from ...services.console.editing import reads_a_file, set_field, unset_field, with_field_of
from ...services.console.from_collective import case_on_tensors
from ...services.dispatch.endpoint import OpEndpoint, parse_server
from ...services.dispatch.errors import CaseError
from ...services.runs.case_standard import CaseStandard
from ...services.runs.references import ComputedReference, FileReference, HistoryReference, ServerReference
from ..actions.registry import key_of
from .named_servers import NO_NAMES, NamedServers
from .view import DispatchView

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ...services.console.case import ConsoleCase
    from ...services.console.console import Console
    from ...services.console.runs import RunLine
    from ...services.dispatch.endpoint import DispatchSettings
    from ...services.runs.given import GivenRun
    from ...services.runs.references import Reference

__all__ = ["ASKED_FOR", "DispatchDesk", "DispatchStart", "parse_reference", "parse_servers", "parse_standard"]

ASKED_FOR = tuple(name for name in STANDARDS if name != "cross_check")
"""Standards that can be asked for; cross_check wants a third output beside the reference."""

REFERENCE_FORMS = (
    "FILE.npy, FILE.npz, #12 (a run), numpy or torch (on this machine), host:port (another server) or its name, none"
)


class DispatchStart:
    """What `xpudbg dispatch` was started with."""

    def __init__(
        self,
        paths: tuple[Path, ...] = (),
        servers: tuple[OpEndpoint, ...] = (),
        settings: DispatchSettings | None = None,
    ) -> None:
        self.paths = paths
        self.servers = servers
        self.settings = settings


class DispatchDesk:
    """Methods return why something can't be done now, as one line; empty when it is under way."""

    def __init__(
        self,
        console: Console,
        order: Callable[[orders.Order], None],
        change: Callable[[events.ConsoleEvent], None],
        start: DispatchStart | None = None,
        servers: NamedServers = NO_NAMES,
    ) -> None:
        """
        Args:
            console: the state.
            order: hands an order to the engine.
            change: applies an event.
            start: what the command line said.
            servers: those that the settings name.
        """
        self.console = console
        self.servers = servers
        self.view = DispatchView(console)
        self._order = order
        self._change = change
        self._start = start or DispatchStart()
        self._opened = False
        self._demo: object = None
        """The demo whose cases were asked for."""
        self._batches = 0
        self._keys = 0
        self._reading: set[str] = set()
        """Runs of the history that are being read, or could not be."""
        self._said = 0

    # cases ----------------------------------------------------------------------------------------------------

    def open(self, *, demo: object) -> None:
        """The screen is shown: read what the command line named, and have the cases of a demo.

        Args:
            demo: the target that is attached where it is a demo, else None.
        """
        if not self._opened:
            self._opened = True
            if self._start.servers:
                self._change(events.EndpointsChosen(self._start.servers))
            if self._start.paths:
                self._order(orders.OpenCases(self._start.paths))
        if demo is not None and demo is not self._demo:
            self._demo = demo
            self._order(orders.OpenDemoCases())

    def open_files(self, paths: Sequence[Path]) -> None:
        self._order(orders.OpenCases(tuple(paths)))

    def export(self, path: Path) -> str:
        case = self.view.case
        if case is None or case.case is None:
            return "there is no case to write"
        self._order(orders.WriteCase(case.case, path.expanduser()))
        return ""

    def try_operator(self, operator: str, shapes: Sequence[tuple[int, ...]], dtypes: Sequence[str], origin: str) -> str:
        """A new case: an operator on tensors of these shapes and dtypes (torch's names)."""
        if not operator.strip():
            return "no operator is typed"
        try:
            made = case_on_tensors(operator, shapes, dtypes, origin)
        except CaseError as error:
            return f"{error}" + (f" ({error.hint})" if error.hint else "")
        self._change(events.CasesOpened(origin, (made,)))
        self.view.stand_on(made.id)
        return ""

    # edits ----------------------------------------------------------------------------------------------------

    def edit(self, field: str, text: str) -> str:
        """Set a field of the case; a text that can't be is an event, for the field."""
        self.view.stay()
        case = self.view.case
        if case is None or case.case is None:
            return self._no_case(case)
        if self.console.waiting is not None:
            return f"{self.console.waiting.field} is still being read"
        if reads_a_file(field, text):
            self._change(events.EditWaiting(case.id, field))
            self._order(orders.EditFromFile(case.id, case.case, field, text, case.folder))
            return ""
        try:
            made = set_field(case.case, field, text, case.folder)
        except CaseError as error:
            self._change(events.EditRefused(case.id, field, str(error), error.hint))
        else:
            self._change(events.CaseEdited(case.id, made))
        return ""

    def add(self, text: str) -> str:
        """Add `attr.NAME=VALUE` or `input.NAME=...`."""
        field, equals, value = text.partition("=")
        field = field.strip()
        if not equals or not field.startswith(("attr.", "input.")) or len(field.partition(".")[2]) == 0:
            return "write attr.NAME=VALUE, or input.NAME=float32[4,8]:uniform(-1,1):seed=7"
        refused = self.edit(field, value)
        if not refused and self.console.refused is not None:
            return f"{self.console.refused.message}" + (f" ({hint})" if (hint := self.console.refused.hint) else "")
        self.view.stand_on_field(field)
        return refused

    def remove(self, field: str) -> str:
        self.view.stay()
        case = self.view.case
        if case is None or case.case is None:
            return self._no_case(case)
        try:
            made = unset_field(case.case, field)
        except CaseError as error:
            return f"{error}" + (f" ({error.hint})" if error.hint else "")
        self._change(events.CaseEdited(case.id, made))
        return ""

    def undo(self, *, all: bool = False) -> str:
        self.view.stay()
        case = self.view.case
        if case is None:
            return self._no_case(case)
        if not (case.edits if all else case.before):
            return "nothing of the case is edited"
        self._change(events.EditsUndone(case.id, all))
        return ""

    def undo_field(self, field: str) -> str:
        """Bring back a field that was taken out."""
        self.view.stay()
        case = self.view.case
        if case is None or case.case is None or case.loaded is None:
            return self._no_case(case)
        self._change(events.CaseEdited(case.id, with_field_of(case.case, case.loaded, field)))
        self.view.stand_on_field(field)
        return ""

    # runs -----------------------------------------------------------------------------------------------------

    def run(self) -> str:
        """Run the case on every server chosen."""
        self.view.stay()
        case = self.view.case
        if case is None or case.case is None:
            return self._no_case(case)
        if self.console.waiting is not None:
            return f"{self.console.waiting.field} is still being read"
        if self.view.running():
            return f"this case is running; {key_of('cancel_run')} ends it"
        if not self.console.chosen:
            return f"no op server is chosen; {key_of('choose_servers')} chooses one"
        self._batches += 1
        for endpoint in self.console.chosen:
            self._keys += 1
            key = f"run-{self._keys}"
            self._change(events.RunBegun(key, case.id, case.case, endpoint, self._batches))
            before = self._given_before(case.id, str(endpoint))
            settings = self._start.settings
            self._order(
                orders.StartRun(key, case.case, endpoint, case.reference, case.standard, before, settings, case.key)
            )
        self.view.choose_run(None)
        return ""

    def cancel(self) -> str:
        """End the runs of the case."""
        running = [run for run in self.view.running() if not run.cancelling]
        for run in running:
            self._change(events.RunCancelling(run.key))
            self._order(orders.CancelRun(run.key))
        return "" if running else "no run of this case is under way"

    def want(self, line: RunLine) -> None:
        """Have what a run gave read from the history, unless it is there or on its way."""
        if line.key in self.console.shown:
            self._reading.discard(line.key)
        if line.key in self.console.shown or line.key in self._reading or line.number is None:
            return
        case = self.view.case
        if case is None:
            return
        self._reading.add(line.key)
        before = self.view.before(line)
        self._order(orders.ShowKeptRun(line.key, line.number, case.reference, case.standard, self._given(before)))

    def choose_servers(self, text: str) -> str:
        try:
            chosen = parse_servers(text, self.console.known, self.servers)
        except TargetError as error:
            return f"{error}" + (f" ({error.hint})" if error.hint else "")
        self._change(events.EndpointsChosen(chosen))
        return ""

    def compare_with(self, text: str) -> str:
        """Choose the reference of the case, and compare the run that is shown with it."""
        self.view.stay()
        case = self.view.case
        if case is None:
            return self._no_case(case)
        try:
            typed, requested = parse_standard(text)
            reference = (
                parse_reference(typed, self.console.known, self.servers)
                if typed or requested is None
                else case.reference
            )
        except TargetError as error:
            return str(error)
        standard = replace(case.standard or CaseStandard(), requested=requested)
        self._change(events.ReferenceChosen(case.id, reference, standard))
        line = self.view.run()
        if line is None:
            return ""
        before, shown = self._given(self.view.before(line)), self.view.shown(line)
        if shown is not None:
            self._order(orders.ShowRunAgain(line.key, shown.run, reference, standard, before))
        elif line.number is not None:
            self._order(orders.ShowKeptRun(line.key, line.number, reference, standard, before))
        return ""

    def new_messages(self) -> list[events.Said | events.ConsoleRefused]:
        """What was told since this was last asked."""
        came = self.console.said[self._said :]
        self._said = len(self.console.said)
        return came

    # ----------------------------------------------------------------------------------------------------------

    def _given_before(self, case_id: str, endpoint: str) -> GivenRun | int | None:
        lines = self.console.runs.get(case_id, [])
        same = [line for line in lines if line.endpoint == endpoint] or lines
        return self._given(same[0] if same else None)

    def _given(self, line: RunLine | None) -> GivenRun | int | None:
        if line is None:
            return None
        shown = self.console.shown.get(line.key)
        return shown.run if shown is not None else line.number

    def _no_case(self, case: ConsoleCase | None) -> str:
        if case is None:
            return f"no case is open; {key_of('open_cases')} opens a file of cases"
        return f"this row makes no case: {case.problem}"


def parse_servers(text: str, known: Sequence[OpEndpoint], named: NamedServers = NO_NAMES) -> tuple[OpEndpoint, ...]:
    """The servers of a line of addresses and names, those that are known as they are known (TLS files and all).

    A name wins over a host of that name.

    Raises:
        TargetError: one is no address, or there is none.
    """
    words = text.replace(",", " ").split()
    if not words:
        raise TargetError("no op server is typed", hint="write host:port or a name of the settings, or several")
    by_text = {said: one for one in known for said in (str(one), one.url)}
    return tuple(dict.fromkeys(named.get(word) or by_text.get(word) or parse_server(word) for word in words))


def parse_standard(text: str) -> tuple[str, str | None]:
    """What is typed without `by STANDARD` at its end, and that standard; None: the usual one.

    Raises:
        TargetError: there is no such standard.
    """
    before, by, name = f" {text.strip()}".rpartition(" by ")
    if not by or name.lower().endswith((".npy", ".npz")):  # a file may be called so
        return text.strip(), None
    if name.strip().lower() not in ASKED_FOR:
        raise TargetError(f"{name.strip()!r}: there is no such standard; there are {', '.join(ASKED_FOR)}")
    return before.strip(), name.strip().lower()


def parse_reference(text: str, known: Sequence[OpEndpoint], named: NamedServers = NO_NAMES) -> Reference | None:
    """What outputs are compared with, as typed; None for `none`.

    Raises:
        TargetError: it is none of the forms.
    """
    text = text.strip()
    if text.lower() in ("", "none"):
        return None
    if text.startswith("#") and text[1:].isascii() and text[1:].isdecimal() and len(text) < 20:
        return HistoryReference(int(text[1:]))
    if text.lower().endswith((".npy", ".npz")):
        return FileReference(Path(text).expanduser().absolute())
    if text in ("numpy", "torch") or text.startswith(("numpy.", "torch.")):
        provider, dot, _ = text.partition(".")
        return ComputedReference(provider, text if dot else None)
    if ":" not in text and text not in named.names:
        raise TargetError(f"{text!r}: nothing to compare with", hint=REFERENCE_FORMS)
    return ServerReference(parse_servers(text, known, named)[0])
