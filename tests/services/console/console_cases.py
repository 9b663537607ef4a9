"""Cases, runs and lines of the console, made by hand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.services.run_history.made_runs import ENDPOINT
from tests.services.shown_runs import ended, failed
from xpudbg.services.console import events
from xpudbg.services.console.case import ConsoleCase
from xpudbg.services.console.console import Console
from xpudbg.services.dispatch.case import OpCase, Slot
from xpudbg.services.dispatch.inputs import Generated
from xpudbg.services.runs.given import GivenRun
from xpudbg.services.runs.shown import show_run
from xpudbg.services.ttk_cases.case import Outcome

NOW = 1_760_000_000_000_000_000
SECOND = 1_000_000_000


def op_case(**more: Any) -> OpCase:
    """A concatenation along axis 2 of two arrays of rank 2."""
    parts = tuple(Generated("float32", (4, 8), "uniform", (-1.0, 1.0), seed) for seed in (1, 2))
    made = {"api": "numpy.concatenate", "provider": "numpy", "attrs": {"axis": 2}, "inputs": (Slot("arrays", parts),)}
    return OpCase(**(made | more))


def console_case(name: str = "join", case: OpCase | None = None, **more: Any) -> ConsoleCase:
    made = case or op_case()
    return ConsoleCase(f"id-{name}", name, f"{name}.toml", Path("/cases"), made, made, **more)


def unusable(name: str = "odd", problem: str = "float7: no such dtype") -> ConsoleCase:
    return ConsoleCase(f"id-{name}", name, "cases.csv:3", Path("/cases"), None, None, problem, said=Outcome.BROKEN)


class Clock:
    def __init__(self) -> None:
        self.now = NOW

    def __call__(self) -> int:
        return self.now


def console(*cases: ConsoleCase) -> tuple[Console, Clock]:
    """A console with these cases and one op server chosen."""
    clock = Clock()
    made = Console(clock)
    made.apply(events.EndpointsChosen((ENDPOINT,)))
    made.apply(events.CasesOpened("cases", cases))
    return made, clock


def run_over(
    made: Console, key: str, given: GivenRun | None = None, *, case_id: str = "id-join", batch: int = 1, note: str = ""
) -> None:
    """A run of a case begins and is over; without `given` it has failed."""
    case = made.cases[case_id].case
    assert case is not None
    made.apply(events.RunBegun(key, case_id, case, ENDPOINT, batch))
    made.apply(events.RunCompared(key, show_run(given or failed()), note))


__all__ = ["NOW", "SECOND", "Clock", "console", "console_case", "ended", "failed", "op_case", "run_over", "unusable"]
