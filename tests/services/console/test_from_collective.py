"""Cases on the tensors of a recorded call."""

from __future__ import annotations

import pytest

from xpudbg.services.console.from_collective import TENSORS, case_on_tensors
from xpudbg.services.dispatch.errors import CaseError


def test_each_tensor_is_a_generated_input_of_its_own() -> None:
    made = case_on_tensors("torch.add", ((2, 3), ()), ("BFloat16", "Long"), "tp #311")
    case = made.case
    assert case is not None
    assert [str(leaf).rpartition(":")[0] for _, leaf in case.leaves()] == [
        "bfloat16[2,3]:uniform(-1,1)",
        "int64[]:randint(0,10)",
    ]
    assert (case.api, case.provider, made.origin, made.name) == ("torch.add", "torch", "tp #311", "torch.add")
    assert len({slot.name for slot in case.inputs}) == 2


@pytest.mark.parametrize(
    ("operator", "api", "op_name", "provider"),
    [("numpy.sum", "numpy.sum", None, "numpy"), (" aclnnAdd ", None, "aclnnAdd", "torch")],
)
def test_the_operator_is_an_api_or_a_name(operator: str, api: str, op_name: str, provider: str) -> None:
    case = case_on_tensors(operator, ((2,),), ("ComplexHalf",), "").case
    assert case is not None
    assert (case.api, case.op_name, case.provider) == (api, op_name, provider)
    assert [slot.name for slot in case.inputs] == ["x"]


@pytest.mark.parametrize(
    ("operator", "shapes", "dtypes", "message"),
    [
        ("torch.add", (), (), "no tensors"),
        ("torch.add", ((1,),), ("",), "not recorded"),
        ("torch.add", ((1,),), ("QInt8",), "QInt8, can't be sent"),
        ("torch.add", ((1 << 40,),), ("Float",), "too many to generate"),
        ("torch.add", ((1,),) * (TENSORS + 1), ("Float",) * (TENSORS + 1), "65 tensors"),
        ("torch. add", ((1,),), ("Float",), "not a dotted path"),
    ],
)
def test_what_makes_no_case_says_why(
    operator: str, shapes: tuple[tuple[int, ...], ...], dtypes: tuple[str, ...], message: str
) -> None:
    with pytest.raises(CaseError, match=message):
        case_on_tensors(operator, shapes, dtypes, "")
