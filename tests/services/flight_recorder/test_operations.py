"""Profiling names of any backend and any operation."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from xpudbg.services.flight_recorder.operations import Kind, Rule, operation


@pytest.mark.parametrize("backend", ["nccl", "nccl2", "ncclx", "gloo", "hccl", "xccl", "rccl", "mccl", "mybackend"])
@pytest.mark.parametrize(
    ("name", "base", "kind", "rule", "source", "target"),
    [
        ("all_reduce", "all_reduce", Kind.COLLECTIVE, Rule.SAME, None, None),
        ("_all_gather_base", "all_gather_base", Kind.COLLECTIVE, Rule.ALL_GATHER, None, None),
        ("_reduce_scatter_base", "reduce_scatter_base", Kind.COLLECTIVE, Rule.REDUCE_SCATTER, None, None),
        ("all_to_all", "all_to_all", Kind.COLLECTIVE, Rule.ALL_TO_ALL, None, None),
        ("send 0->3", "send", Kind.SEND, Rule.NONE, 0, 3),
        ("recv 3<-0", "recv", Kind.RECV, Rule.NONE, 0, 3),
        ("send", "send", Kind.SEND, Rule.NONE, None, None),
        ("recv", "recv", Kind.RECV, Rule.NONE, None, None),
        ("coalesced", "coalesced", Kind.BATCH_END, Rule.NONE, None, None),
        ("ALLGATHER_coalesced", "all_gather", Kind.BATCH_END, Rule.NONE, None, None),
        ("REDUCE_SCATTER_coalesced", "reduce_scatter", Kind.BATCH_END, Rule.NONE, None, None),
        ("allreduce_coalesced", "allreduce_coalesced", Kind.COLLECTIVE, Rule.SAME, None, None),
        ("all_gather_into_tensor", "all_gather_into_tensor", Kind.COLLECTIVE, Rule.ALL_GATHER, None, None),
        ("sendmail", "sendmail", Kind.COLLECTIVE, Rule.NONE, None, None),
        ("brand new: op", "brand new: op", Kind.COLLECTIVE, Rule.NONE, None, None),
    ],
)
def test_names(
    backend: str, name: str, base: str, kind: Kind, rule: Rule, source: int | None, target: int | None
) -> None:
    op = operation(f"{backend}:{name}")
    assert (op.backend, op.base, op.kind, op.rule, op.source, op.target) == (backend, base, kind, rule, source, target)


def test_rooted_operations() -> None:
    names = {"broadcast", "reduce", "gather", "scatter", "_broadcast_oop", "all_reduce", "barrier"}
    assert {name for name in names if operation(f"nccl:{name}").rooted} == names - {"all_reduce", "barrier"}


@given(st.text())
def test_any_text_is_some_operation(text: str) -> None:
    assert operation(text).recorded == text
