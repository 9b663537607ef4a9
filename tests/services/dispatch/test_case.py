"""Cases that contradict themselves or the protocol."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from xpudbg.services.dispatch.case import Mode, OpCase, Slot, SpecSource, parse_mode
from xpudbg.services.dispatch.errors import CaseError
from xpudbg.services.dispatch.inputs import parse_generated

x = np.zeros(2, np.float32)


@pytest.mark.parametrize(
    ("text", "mode"),
    [("data", 1), ("perf", 2), ("data,perf", 3), ("PERF, data", 3), ("1", 1), ("2", 2), ("3", 3)],
)
def test_modes(text: str, mode: int) -> None:
    assert parse_mode(text) == mode


@pytest.mark.parametrize("text", ["", "0", "4", "-1", "data_perf", "all", "data,"])
def test_modes_that_a_server_would_take_for_data_are_refused(text: str) -> None:
    with pytest.raises(CaseError, match="not a mode"):
        parse_mode(text)


@pytest.mark.parametrize(
    ("case", "says"),
    [
        (OpCase(), "names no operator"),
        (OpCase(api="add"), "not a dotted path"),
        (OpCase(api="torch.add\r\nX-Evil: 1"), "not a dotted path"),
        (OpCase(op_name="größe"), "visible ASCII"),
        (OpCase(op_name="add", provider="to rch"), "visible ASCII"),
        (OpCase(api="torch.add", mode=Mode(0)), "mode 0"),
        (OpCase(api="torch.add", runtime=0), "runtime 0"),
        (OpCase(api="torch.add", runtime=101), "runtime 101"),
        (OpCase(api="torch.add", spec=SpecSource(Path("a.py"), "A")), "not both"),
        (OpCase(spec=SpecSource(Path("a.py"), "A B")), "spec class"),
        (OpCase(spec=SpecSource(Path("a.py"), "A", "import.x")), "spec module"),
        (OpCase(api="torch.add", inputs=(Slot("", x),)), "has no name"),
        (OpCase(api="torch.add", inputs=(Slot("self", x),)), "called self"),
        (OpCase(api="torch.add", inputs=(Slot("a", x), Slot("a", x))), "two inputs"),
        (OpCase(api="torch.add", inputs=(Slot("a", x),), attrs={"a": 1}), "input and an attribute"),
        (OpCase(api="torch.cat", inputs=(Slot("a", (x, None)),)), "element 1 is NoneType"),  # type: ignore[arg-type]
        (OpCase(api="torch.cat", inputs=(Slot("a", ((x,),)),)), "element 0 is tuple"),  # type: ignore[arg-type]
        (OpCase(api="torch.cat", inputs=(Slot("a", (x, x.astype(np.int8))),)), "a list of float32, int8"),
        (OpCase(api="torch.cat", inputs=(Slot("a", (x, parse_generated("int8[2]"))),)), "a list of float32, int8"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_is_wrong_is_said_before_anything_is_sent(case: OpCase, says: str) -> None:
    with pytest.raises(CaseError, match=says):
        case.check()


def test_a_case_of_every_kind_of_slot_is_fine() -> None:
    case = OpCase(
        api="torch.add", inputs=(Slot("a", x), Slot("b", None), Slot("c", (x, x)), Slot("d", ())), attrs={"e": 1}
    )
    case.check()
    assert [name for name, _leaf in case.leaves()] == ["a", "c[0]", "c[1]"]
