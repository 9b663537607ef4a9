"""A case with the shapes and dtypes of a recorded collective; which operator is run on them, a person says."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from ..dispatch.case import OpCase, Slot
from ..dispatch.errors import CaseError
from ..dispatch.inputs import parse_generated
from ..plain_text import plain
from .case import ConsoleCase

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["case_on_tensors"]

TENSORS = 64
"""Inputs of such a case at most."""

_LOGICAL = {
    "Float": "float32",
    "Double": "float64",
    "Half": "float16",
    "BFloat16": "bfloat16",
    "Long": "int64",
    "Int": "int32",
    "Short": "int16",
    "Char": "int8",
    "Byte": "uint8",
    "UInt16": "uint16",
    "UInt32": "uint32",
    "UInt64": "uint64",
    "Bool": "bool",
    "ComplexHalf": "complex32",
    "ComplexFloat": "complex64",
    "ComplexDouble": "complex128",
    "Float8_e5m2": "float8_e5m2",
    "Float8_e4m3fn": "float8_e4m3fn",
    "Float8_e5m2fnuz": "float8_e5m2fnuz",
    "Float8_e4m3fnuz": "float8_e4m3fnuz",
    "Float8_e8m0fnu": "float8_e8m0fnu",
}
"""From torch's name of a scalar type to the logical dtype."""


def case_on_tensors(
    operator: str, shapes: Sequence[tuple[int, ...]], dtypes: Sequence[str], origin: str
) -> ConsoleCase:
    """
    Args:
        operator: dotted path (`torch.add`), or a name that the server resolves (`add`, `aclnnAdd`).
        shapes, dtypes: of each tensor; dtypes by torch's names. The values are generated.
        origin: the call that they are from, for people.

    Raises:
        CaseError: it makes no case: no tensor, a dtype that can't be sent, too much to generate.
    """
    if not shapes:
        raise CaseError("the call has no tensors")
    if len(shapes) > TENSORS:
        raise CaseError(f"the call has {len(shapes):,} tensors; a case has {TENSORS} inputs at most")
    inputs = []
    for at, (shape, dtype) in enumerate(zip(shapes, dtypes, strict=True), 1):
        if dtype not in _LOGICAL:
            said = plain(dtype, 60) if dtype else "not recorded"
            raise CaseError(f"the dtype of tensor {at}, {said}, can't be sent to an op server")
        name = "x" if len(shapes) == 1 else f"x{at}"
        made = parse_generated(f"{_LOGICAL[dtype]}[{','.join(map(str, shape))}]", name)
        inputs.append(Slot(name, made, None, "complex32" if made.dtype == "complex32" else None))
    operator = operator.strip()
    dotted = "." in operator
    provider = "numpy" if operator.startswith("numpy.") else "torch"
    case = OpCase(
        api=operator if dotted else None,
        op_name=None if dotted else operator,
        provider=provider,
        inputs=tuple(inputs),
    )
    case.check()
    key = f"tensors:{operator}:{origin}"
    return ConsoleCase(key, operator, origin, Path(), case, case, key=f"{key}:{_signature(shapes, dtypes)}")


def _signature(shapes: Sequence[tuple[int, ...]], dtypes: Sequence[str]) -> str:
    """Another job may have a call of the same name on other tensors."""
    return " ".join(f"{dtype}{list(shape)}" for dtype, shape in zip(dtypes, shapes, strict=True))
