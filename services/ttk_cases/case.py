"""One row of a case file, read."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from enum import IntEnum
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .columns import CaseKind
    from .slots import CaseSlot

__all__ = ["Outcome", "ProviderResult", "TTKCase", "outcome_of"]

_TOKEN = re.compile(r"[A-Za-z][A-Za-z_]*")
_HARMLESS = ("PASS", "SUPPRESSED")
_HARMLESS_ENDS = ("_OFF", "_UNSUPPORTED")


class Outcome(IntEnum):
    """How the last run of a row went, worst first."""

    BROKEN = 0
    """Nothing was compared: no golden output, no output, a failed comparison, an error."""
    FAILED = 1
    """Compared and wrong."""
    NOT_RUN = 2
    PASSED = 3
    """Also where nothing had to be compared (SUPPRESSED, ..._OFF, ..._UNSUPPORTED)."""


@dataclass(frozen=True, slots=True)
class ProviderResult:
    """What a remote provider said (one entry of xpu_metrics)."""

    status: str
    api: str
    """API that ran, or `custom`."""
    error: str
    """Empty when there was none."""
    device_us: float | None = None
    peak_memory_mb: float | None = None


@dataclass(frozen=True, slots=True)
class TTKCase:
    """A row with its literals read. Texts are as written in the file: make them plain before they are shown."""

    line: int
    """First line in the file, the header is 1; the row number in a sheet."""
    sheet: str
    """Empty for CSV."""
    name: str
    kind: CaseKind
    target: str
    """api_name or op_name."""
    inputs: tuple[CaseSlot | None, ...]
    """None: an optional input that is absent."""
    outputs: tuple[CaseSlot | None, ...] = ()
    """Of kernel rows."""
    output_indexes: tuple[int, ...] = ()
    """Inputs that are outputs: passed as `out=`, or changed in place."""
    attrs: Mapping[str, Any] = field(default_factory=dict)
    tolerances: tuple[tuple[float | None, float | None] | None, ...] = ()
    """(rtol, ptol) of each output."""
    absolute_precision: tuple[float, ...] = ()
    """atol of each output; one alone holds for all."""
    enabled: bool = True
    remark: str = ""
    golden_api: str = ""
    status: str = ""
    """precision_status as written; empty when the row has not run."""
    precision: str = ""
    """Share of matching elements as the file writes it, e.g. `97.42%`."""
    xpu_metrics: Mapping[str, ProviderResult] = field(default_factory=dict)
    raw: Mapping[str, str] = field(default_factory=dict)
    """All cells by column, those of unknown columns too."""
    unknown_columns: tuple[str, ...] = ()

    @property
    def outcome(self) -> Outcome:
        return outcome_of(self.status, self.xpu_metrics)

    @property
    def reason(self) -> str:
        """Why it is not passed, in few words; empty when it is, or has not run."""
        if self.outcome not in (Outcome.BROKEN, Outcome.FAILED):
            return ""
        errors = [f"{provider}: {result.error}" for provider, result in self.xpu_metrics.items() if result.error]
        return "; ".join(errors) or self.precision or self.status

    def limits_of(self, output: int) -> dict[str, float | None]:
        """rtol, ptol, atol that the row gives for an output; None where it gives none."""
        pair = self.tolerances[output] if output < len(self.tolerances) else None
        rtol, ptol = pair if pair is not None else (None, None)
        alone = len(self.absolute_precision) == 1
        at = 0 if alone else output
        atol = self.absolute_precision[at] if at < len(self.absolute_precision) else None
        return {"rtol": rtol, "ptol": ptol, "atol": atol}


def outcome_of(status: str, providers: Mapping[str, ProviderResult]) -> Outcome:
    """Read precision_status, one token an output."""
    tokens = [token.upper() for token in _TOKEN.findall(status)]
    if not tokens:
        failed = any(result.status.upper() == "FAIL" for result in providers.values())
        return Outcome.BROKEN if failed else Outcome.NOT_RUN
    wrong = [token for token in tokens if token not in _HARMLESS and not token.endswith(_HARMLESS_ENDS)]
    if not wrong:
        return Outcome.PASSED
    return Outcome.FAILED if all(token in ("FAIL", "FAILED") for token in wrong) else Outcome.BROKEN
