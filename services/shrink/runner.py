"""How a search runs its cases: on an op server, each run in the history."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from ..comparison.compare import compare
from ..comparison.errors import ComparisonError
from ..dispatch.errors import CaseError, DispatchError, RunCancelledError
from ..dispatch.run_result import named_outputs
from .outcome import Outcome, may_be_lost, outcome_of_comparison, outcome_of_error

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping

    from ..comparison.compare import Comparison
    from ..dispatch.case import OpCase
    from ..dispatch.client import Dispatcher
    from ..dispatch.endpoint import DispatchSettings, OpEndpoint
    from ..dispatch.run_loop import OpRun
    from ..run_history.recorder import Recorder

__all__ = ["RecordedRuns", "judged_by"]


class RecordedRuns:
    """Runs a case and says what came of it.

    Args:
        recorder: takes every run; None: they are not kept.
        judge: compares a run's outputs with what they should be for its case, by name; raises DispatchError where
            that is not known. None: a run that gives a result has passed.
    """

    def __init__(
        self,
        dispatcher: Dispatcher,
        endpoint: OpEndpoint,
        *,
        recorder: Recorder | None = None,
        settings: DispatchSettings | None = None,
        judge: Callable[[OpRun], Awaitable[Mapping[str, Comparison]]] | None = None,
    ) -> None:
        self._dispatcher = dispatcher
        self._endpoint = endpoint
        self._recorder = recorder
        self._settings = settings
        self._judge = judge

    async def __call__(self, case: OpCase) -> Outcome:
        entry = None if self._recorder is None else await self._recorder.begin(case, self._endpoint)
        tell = None if entry is None else entry.progress
        try:
            run = await self._dispatcher.run(case, self._endpoint, tell, settings=self._settings)
        except DispatchError as error:
            if entry is not None:
                await entry.fail(error)
            answers = may_be_lost(error) and await self._answers()
            return outcome_of_error(error, None if entry is None else entry.id, answers=answers)
        except asyncio.CancelledError:
            if entry is not None:
                await asyncio.shield(entry.fail(RunCancelledError(f"{case.title} was cancelled")))
            raise
        if entry is not None:
            await entry.finish(run)
        run_id = None if entry is None else entry.id
        if self._judge is None:
            return Outcome(None, run_id=run_id)
        try:
            found = await self._judge(run)
        except DispatchError as error:  # the reference can't be had for this case, so nothing is said of it
            failed = outcome_of_error(error, run_id)
            return Outcome(f"reference: {failed.failure}", failed.text, failed.wording, failed.lost, run_id)
        if entry is not None:
            await entry.compared(found)
        return outcome_of_comparison(found, run_id)

    async def _answers(self) -> bool:
        try:
            await self._dispatcher.probe(self._endpoint)
        except DispatchError:
            return False
        return True


def judged_by(
    dispatcher: Dispatcher,
    reference: OpEndpoint,
    *,
    standard: str | None = None,
    settings: DispatchSettings | None = None,
) -> Callable[[OpRun], Awaitable[Mapping[str, Comparison]]]:
    """A judge that runs the same case on another server and compares the outputs.

    Args:
        standard: name of the comparison's standard; None: by the outputs' dtypes.
    """

    async def judge(run: OpRun) -> Mapping[str, Comparison]:
        wanted = await dispatcher.run(run.case, reference, settings=settings)
        return await asyncio.to_thread(_compared, run, wanted, standard)

    return judge


def _compared(run: OpRun, wanted: OpRun, standard: str | None) -> dict[str, Comparison]:
    expected = dict(named_outputs(wanted))
    found = {}
    for name, output in named_outputs(run):
        other = expected.get(name)
        if output is None or other is None:
            continue
        try:
            found[name] = compare(
                output.array, other.array, standard, logical=output.dtype, expected_logical=other.dtype, k=1
            )
        except ComparisonError as error:
            raise CaseError(f"output {name} can't be compared: {error}") from error
    return found
