"""From an operator's name to the API that computes it, when a request names no API.

Operators of CANN are named `RealDiv` / `real_div` or `aclnnRealDiv`; PyTorch's functions mostly alike.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from ..plain_text import plain
from .callables import resolve
from .run_error import RunError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = ["candidates", "derive"]

_MODULES = {
    "torch": ("torch", "torch.nn.functional", "torch.ops.aten"),
    "numpy": ("numpy", "numpy.linalg", "numpy.fft"),
}
_OTHER_NAMES = {
    "equal": "eq",
    "floor_mod": "fmod",
    "floor_div": "floor_divide",
    "pows": "pow",
    "real_div": "div",
    "top_k_v2": "topk",
    "select": "where",
    "select_v2": "where",
    "is_inf": "isinf",
    "is_nan": "isnan",
    "is_close": "isclose",
    "is_finite": "isfinite",
    "ctc_loss_v2": "ctc_loss",
}
_ENDINGS = (("_d", ""), ("_grad", "_backward"), ("_v2", ""))
_ACLNN_ENDINGS = (("_scalar", ""), ("_tensor", ""), ("_v2", ""), ("s", ""))


def derive(
    provider: str, op_name: str | None, op_type: str | None, *, allow_code: bool
) -> tuple[str, Callable[..., Any]]:
    """The API of an operator: its path and function.

    Raises:
        RunError: 400, none is found.
    """
    for given in (op_name, op_type):
        for name in candidates(given) if given else ():
            for module in _MODULES.get(provider, ()):
                try:
                    return f"{module}.{name}", resolve(f"{module}.{name}", allow_code=allow_code)
                except RunError:
                    continue
    raise RunError(
        400,
        f"cannot resolve api for op_name={_shown(op_name)} op_type={_shown(op_type)} provider={_shown(provider)}",
    )


def candidates(op: str) -> Iterator[str]:
    """Names under which an operator can be found, the likeliest first."""
    aclnn = op.startswith("aclnn")
    name = _snake(op.removeprefix("aclnn"))
    if name in _OTHER_NAMES:
        yield _OTHER_NAMES[name]
    yield name
    if aclnn and name.startswith("inplace_"):
        name = name.removeprefix("inplace_")
        yield f"{name}_"
        yield name
    for ending, instead in _ACLNN_ENDINGS if aclnn else _ENDINGS:
        if name.endswith(ending):
            yield _OTHER_NAMES.get(name.removesuffix(ending), name.removesuffix(ending) + instead)


def _snake(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name).lower()


def _shown(text: str | None) -> str:
    return "None" if text is None else f"'{plain(text, 80)}'"
