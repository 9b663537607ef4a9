"""Cases and results to be kept."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from xpudbg.services.dispatch.case import OpCase, Slot
from xpudbg.services.dispatch.endpoint import OpEndpoint
from xpudbg.services.dispatch.replies import Output, OutputSlot, Perf
from xpudbg.services.dispatch.run_loop import OpRun

ENDPOINT = OpEndpoint("127.0.0.1", 9090)


def case(*values: Any, **options: Any) -> OpCase:
    slots = tuple(Slot(f"x{at}", value) for at, value in enumerate(values, 1))
    return OpCase(api="torch.add", inputs=slots, **options)


def run_of(of: OpCase, *outputs: OutputSlot) -> OpRun:
    return OpRun(
        case=of,
        endpoint=ENDPOINT,
        outputs=outputs,
        perf=Perf(12.5, None),
        api="torch.add",
        started_at=1,
        took_s=0.25,
        uploaded=100,
        downloaded=50,
        busy=1,
        reconnected=0,
        synced=0,
        notes=("a note",),
    )


def output(array: NDArray[Any], dtype: str | None = None) -> Output:
    return Output(dtype or array.dtype.name, array)


def floats(seed: int, size: int = 16) -> NDArray[Any]:
    return np.random.default_rng(seed).standard_normal(size).astype(np.float32)
