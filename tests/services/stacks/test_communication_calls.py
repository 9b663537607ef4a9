from __future__ import annotations

import pytest

from xpudbg.services.stacks import communication_calls as calls
from xpudbg.services.stacks.communication import find_communication
from xpudbg.services.stacks.model import Frame

from .building import TORCH


def listed() -> list[tuple[str, str, calls.CommunicationKind]]:
    return [(file, function, kind) for file, table in calls.PYTHON_CALLS.items() for function, kind in table.items()]


@pytest.mark.parametrize(("file", "function", "kind"), listed())
def test_each_listed_function_is_found_in_both_notations(
    file: str, function: str, kind: calls.CommunicationKind
) -> None:
    for path in (TORCH.removesuffix("torch/") + file, file, f"/src/pytorch/{file}"):
        found = find_communication((Frame(f"X.{function}", path, 1), Frame("step", "/job/train.py", 2)))
        assert found is not None
        assert (found.kind, found.function, found.sure) == (kind, function, True)


def test_no_function_is_both_communicating_and_local() -> None:
    for file, functions in calls.LOCAL_WORK.items():
        assert not functions & calls.PYTHON_CALLS.get(file, {}).keys()
