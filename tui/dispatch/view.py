"""What a person looks at on the dispatch screen: which case, field, run and tab. The facts are the console's."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

from ...services.console.editing import FieldLine, field_lines
from ...services.filters.terms import as_far_as_good
from ..tables.sort_choice import SortChoice
from .case_filter import CaseFilter
from .rows import sorted_cases

if TYPE_CHECKING:
    from ...services.console.case import ConsoleCase
    from ...services.console.console import Console
    from ...services.console.runs import RunLine, RunUnderWay
    from ...services.runs.shown import RunShown
    from ..widgets.table_layout import Sorts

__all__ = ["DispatchView", "Tab"]


class Tab(StrEnum):
    """What is shown; where there is room, the cases always are."""

    CASES = "cases"
    RESULT = "result"
    RUNS = "runs"


class DispatchView:
    """The choices; all of them stay when the screen is left."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self.tab = Tab.CASES
        self.gone_to: Tab | None = None
        """What another place leads to; the screen takes it up when it is shown next."""
        self.text = ""
        """The filter of the cases as typed."""
        self.filter = CaseFilter()
        self.error = ""
        """What is wrong with the text; the rest of it holds."""
        self._case: str | None = None
        self._fields: dict[str, str] = {}
        self._runs: dict[str, str] = {}
        self.case_sort = SortChoice("cases")
        self.run_sort = SortChoice("runs")
        self._ordered: tuple[int, CaseFilter, Sorts, list[str]] = (-1, self.filter, (), [])

    # cases ----------------------------------------------------------------------------------------------------

    def order(self) -> list[str]:
        """The cases that match the filter, failing ones first until somebody sorts them."""
        key = (self._console.revision, self.filter, self.case_sort.sorts)
        if self._ordered[:3] != key:
            ids = [case_id for case_id in self._console.order() if self.filter.fits(self._console, case_id)]
            self._ordered = (*key, sorted_cases(self._console, ids, self.case_sort.sorts))
        return self._ordered[3]

    def set_filter(self, text: str) -> None:
        """Take what was typed; an empty text shows all cases. A term that is wrong is told and left out."""
        self.text = text.strip()
        self.filter, self.error = as_far_as_good(text, CaseFilter.parse)

    @property
    def case_id(self) -> str | None:
        """The case stood on; the first one until somebody has moved."""
        if self._case in self._console.cases:
            return self._case
        ids = self.order()
        return ids[0] if ids else None

    @property
    def case(self) -> ConsoleCase | None:
        case_id = self.case_id
        return self._console.cases[case_id] if case_id is not None else None

    def stand_on(self, case_id: str) -> None:
        self._case = case_id

    def stay(self) -> None:
        """Somebody works on the case stood on: from now on it stays the one, wherever it comes to be in the order."""
        self._case = self.case_id

    def next_bad(self, step: int) -> str | None:
        """The next case (1) or the one before (-1) that is failed or wrong, going round; None when none is."""
        ids = self.order()
        bad = [case_id for case_id in ids if self._console.status(case_id).is_bad]
        if not bad:
            return None
        here = ids.index(self.case_id) if self.case_id in ids else -1
        after = [case_id for case_id in bad if (ids.index(case_id) - here) * step > 0]
        return (after or bad)[0 if step > 0 else -1]

    # fields ---------------------------------------------------------------------------------------------------

    def fields(self) -> list[FieldLine]:
        case = self.case
        return field_lines(case) if case is not None else []

    def field(self) -> FieldLine | None:
        """The field stood on."""
        fields = self.fields()
        wanted = self._fields.get(self.case_id or "")
        return next((one for one in fields if one.field == wanted), fields[0] if fields else None)

    def stand_on_field(self, field: str) -> None:
        if self.case_id is not None:
            self._fields[self.case_id] = field

    # runs -----------------------------------------------------------------------------------------------------

    def lines(self) -> list[RunLine]:
        """The runs of the case that are over, newest first."""
        return self._console.runs.get(self.case_id or "", [])

    def run(self) -> RunLine | None:
        """The run whose result is shown: the one chosen, else the newest."""
        lines = self.lines()
        wanted = self._runs.get(self.case_id or "")
        return next((line for line in lines if line.key == wanted), lines[0] if lines else None)

    def choose_run(self, key: str | None) -> None:
        """Show a run; None: always the newest."""
        if self.case_id is None:
            return
        if key is None:
            self._runs.pop(self.case_id, None)
        else:
            self._runs[self.case_id] = key

    def step_run(self, step: int) -> bool:
        """To an older run (1) or a newer one (-1). False at the end."""
        lines, here = self.lines(), self.run()
        if here is None:
            return False
        at = lines.index(here) + step
        if not 0 <= at < len(lines):
            return False
        self.choose_run(lines[at].key if at else None)
        return True

    def before(self, line: RunLine) -> RunLine | None:
        """The run of the same case before, on the same server where there is one."""
        lines = self.lines()
        older = lines[lines.index(line) + 1 :] if line in lines else []
        older = [one for one in older if not line.batch or one.batch != line.batch]
        same = [one for one in older if one.endpoint == line.endpoint] or older
        return same[0] if same else None

    def beside(self) -> list[RunLine]:
        """The runs begun by the same press of a key, the chosen one among them, in the order of the servers."""
        here = self.run()
        if here is None or not here.batch:
            return [here] if here is not None else []
        same = [line for line in self.lines() if line.batch == here.batch]
        return sorted(same, key=lambda line: (len(line.key), line.key))

    def shown(self, line: RunLine) -> RunShown | None:
        """What a run gave, where that is in memory."""
        return self._console.shown.get(line.key)

    def running(self) -> list[RunUnderWay]:
        """The runs of the case that are not over."""
        return self._console.running(self.case_id) if self.case_id is not None else []
