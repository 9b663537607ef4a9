"""When the watchdog strikes first, of all pending calls."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tests.fakes.flight_recorder_jobs import Fault
from tests.fakes.look_records import look_records
from tests.tui.progress_scripts import job_of, mesh, recorder_job
from xpudbg.services.flight_recorder.analysis import Analysis
from xpudbg.services.looks.record import LookRecord
from xpudbg.services.watch.deadline import capture_before

SECOND = 1_000_000_000


def hung(timeouts_ms: dict[int, int] | None = None) -> LookRecord:
    """Rank 9 of 16 never comes; pending calls of the ranks named have another timeout."""
    record = look_records(recorder_job([job_of(mesh(16), faults=[Fault(9, 6, "stops")])]))[0]
    (diagnosis,) = record.recorder.diagnoses.values()
    for call in diagnosis.analysis.waits.calls:
        for rank, row in call.rows.items():
            if rank in (timeouts_ms or {}):
                diagnosis.analysis.job.columns.timeout_ms[row] = (timeouts_ms or {})[rank]
    return record


def analysis_of(record: LookRecord) -> Analysis:
    (diagnosis,) = record.recorder.diagnoses.values()
    return diagnosis.analysis


def test_the_call_that_was_made_first_is_aborted_first() -> None:
    record = hung()
    analysis = analysis_of(record)
    columns = analysis.job.columns
    rows = [row for call in analysis.waits.calls for row in call.rows.values()]
    assert rows
    first = min(int(columns.created[row]) + int(columns.timeout_ms[row]) * 1_000_000 for row in rows)
    found = capture_before(record, 0)
    assert found is not None
    assert found.at == first
    assert found.timeout_s == pytest.approx(int(columns.timeout_ms[rows[0]]) / 1000)
    assert found.rank in found.group.ranks


def test_a_shorter_timeout_strikes_earlier() -> None:
    record = hung({10: 5_000})
    found = capture_before(record, 0)
    assert found is not None
    assert (found.rank, found.timeout_s, found.group.desc) == (10, 5.0, "mesh_tp")


def test_deadlines_that_have_passed_or_are_not_recorded_do_not_count() -> None:
    record = hung({10: 5_000})
    first = capture_before(record, 0)
    assert first is not None
    later = capture_before(record, first.at)
    assert later is not None
    assert later.at > first.at
    assert capture_before(record, first.at + 10**9 * SECOND) is None
    assert capture_before(hung(dict.fromkeys(range(16), 0)), 0) is None


def test_the_time_of_start_counts_where_that_of_creation_is_not_known() -> None:
    record = hung()
    columns = analysis_of(record).job.columns
    expected = int(np.max(columns.created)) + 7 * SECOND
    columns.started[:] = expected
    columns.created[:] = 0
    found = capture_before(record, 0)
    assert found is not None
    assert found.at == expected + int(found.timeout_s * SECOND)


def test_without_a_recorder_there_is_none() -> None:
    record = hung()
    assert capture_before(replace(record, recorder=replace(record.recorder, diagnoses={})), 0) is None
