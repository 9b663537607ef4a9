"""The cases that come with the demo. They run on its op server for real, each is what somebody may meet.

join_shards      the axis is out of range: the op fails with NumPy's own words; attr.axis=1 is right
running_total    sums 2,048 numbers a row in float16, against the same sums in float64; attr.dtype=float64 is right
matmul           all is well
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..dispatch.case import OpCase, Slot
from ..dispatch.inputs import Generated
from ..runs.references import FileReference
from .case import ConsoleCase

if TYPE_CHECKING:
    from pathlib import Path
    from typing import Any

    from numpy.typing import NDArray

__all__ = ["demo_cases"]


def demo_cases(folder: Path) -> tuple[ConsoleCase, ...]:
    """The cases, none of them run yet; what their outputs should be is computed here.

    Args:
        folder: where the references are written.
    """
    shards = tuple(Generated("float32", (4, 8), "uniform", (-1.0, 1.0), seed) for seed in (1, 2))
    join = OpCase(api="numpy.concatenate", provider="numpy", attrs={"axis": 2}, inputs=(Slot("arrays", shards),))
    losses = Generated("float32", (4, 2048), "uniform", (0.0, 1.0), 3)
    total = OpCase(
        api="numpy.cumsum", provider="numpy", attrs={"axis": 1, "dtype": "float16"}, inputs=(Slot("a", losses),)
    )
    left = Generated("float32", (32, 64), "uniform", (-1.0, 1.0), 4)
    right = Generated("float32", (64, 16), "uniform", (-1.0, 1.0), 5)
    product = OpCase(api="numpy.matmul", provider="numpy", inputs=(Slot("x1", left), Slot("x2", right)))
    wide = np.float64
    return (
        _case("join_shards", join, np.concatenate([shard.make() for shard in shards], axis=1), folder),
        _case("running_total", total, np.cumsum(losses.make(), axis=1, dtype=wide), folder),
        _case("matmul", product, np.matmul(left.make().astype(wide), right.make().astype(wide)), folder),
    )


def _case(name: str, case: OpCase, expected: NDArray[Any], folder: Path) -> ConsoleCase:
    path = folder / f"{name}_expected.npy"
    np.save(path, expected, allow_pickle=False)
    key = f"demo:{name}"
    return ConsoleCase(key, name, "the demo", folder, case, case, reference=FileReference(path), key=key)
