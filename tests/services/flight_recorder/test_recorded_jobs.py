"""Real dumps of 16 ranks with injected faults, where they lie beside the checkout."""

from __future__ import annotations

from pathlib import Path

import pytest

from xpudbg.services.flight_recorder.causes import Kind
from xpudbg.services.ranksets import RankSet

from .looking import diagnosed

RECORDED = Path(__file__).parents[4] / "shared" / "data" / "nvrx"


@pytest.mark.parametrize(
    ("name", "culprits", "kind"),
    [("gpu_error_1st", "12,14", Kind.DEVICE_STUCK), ("lock_gil_1st", "9,14", Kind.NOT_JOINED)],
)
def test_the_injected_culprits_are_named(name: str, culprits: str, kind: Kind) -> None:
    folder = RECORDED / name
    if not folder.is_dir():
        pytest.skip("the recorded jobs are not beside this checkout")
    findings = diagnosed(folder).findings
    named = RankSet()
    for finding in findings:
        named |= finding.culprits
    assert str(named) == culprits
    assert {finding.kind for finding in findings} == {kind}
