"""Dumps of folders and made-up jobs, analysed, for the tests of the engine."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.fakes.flight_recorder_jobs import FakeJob
from tests.fakes.gathered_files import gathered
from xpudbg.services.artifacts.gathering import Gathered
from xpudbg.services.flight_recorder.analysis import Analysis, analyse
from xpudbg.services.flight_recorder.decode import decode
from xpudbg.services.flight_recorder.diagnosis import Diagnosis, FlightFinding, diagnose

DATA = Path(__file__).parents[2] / "data" / "flight_recorder"

__all__ = ["DATA", "analysed", "diagnosed", "loaded", "said", "the_finding"]


def loaded(folder: Path | str) -> Gathered:
    return gathered(DATA / folder)


def analysed(
    source: FakeJob | Path | str, *, form: str = "json", only_active: bool = False, **options: Any
) -> Analysis:
    """The analysis of a folder of dumps, or of all dumps of a made-up job."""
    if isinstance(source, FakeJob):
        make = source.as_json if form == "json" else source.as_pickle
        dumps = [decode(make(rank, only_active=only_active), rank) for rank in range(source.world)]
        return analyse(dumps, **options)
    read = loaded(source)
    return analyse(read.dumps, unreadable=read.unreadable, **options)


def diagnosed(source: FakeJob | Path | str, **options: Any) -> Diagnosis:
    return diagnose(analysed(source, **options))


def the_finding(diagnosis: Diagnosis) -> FlightFinding:
    """The only finding."""
    assert len(diagnosis.findings) == 1, [said(finding) for finding in diagnosis.findings]
    return diagnosis.findings[0]


def said(finding: FlightFinding) -> tuple[str, str, str, str, int | None]:
    """Kind, culprits, waiting, operation and sequence number, as a person would compare them."""
    return finding.kind.value, str(finding.culprits), str(finding.waiting), finding.base, finding.seq
