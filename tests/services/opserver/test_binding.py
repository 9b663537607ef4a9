"""Inputs and attributes to arguments."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from xpudbg.services.opserver.binding import Operands, call_function
from xpudbg.services.opserver.run_error import RunError


def called(function: Any, attrs: dict[str, Any] | None = None, order: list[str] | None = None, **inputs: Any) -> Any:
    return call_function(function, "the.op", Operands(inputs, attrs or {}, order or []))[0]


def test_by_name() -> None:
    assert called(lambda a, b: (a, b), b=1, a=2) == (2, 1)


def test_inputs_by_position_and_attributes_by_name() -> None:
    assert called(lambda a, b, *, alpha=0: (a, b, alpha), {"alpha": 9}, x1=1, x2=2) == (1, 2, 9)


def test_inputs_to_the_names_that_no_attribute_has() -> None:
    assert called(lambda x, shape, weight=None: (x, shape, weight), {"shape": 5}, x1=1, x2=2) == (1, 5, 2)


def test_the_declared_order_is_kept() -> None:
    assert called(lambda p, q: (p, q), order=["y", "x"], x=1, y=2) == (2, 1)


def test_parameters_without_a_name_to_call_are_found_by_theirs() -> None:
    def op(x: int, dtype: int, /, *, copy: int = 0) -> tuple[int, int, int]:
        return x, dtype, copy

    assert called(op, {"dtype": 2, "copy": 3}, x=1) == (1, 2, 3)
    assert called(op, {"dtype": 2, "copy": 3}, any_name=1) == (1, 2, 3)


def test_none_is_passed_and_a_list_stays_one() -> None:
    assert called(lambda a, b: (a, b), x1=None, x2=[1, 2]) == (None, [1, 2])


def test_a_self_that_the_function_lacks_is_left_out() -> None:
    assert called(lambda other: other, self=1, other=2) == 2
    assert called(lambda a, b: (a, b), self=1, other=2) == (1, 2)


def test_an_input_wins_over_an_attribute_of_its_name() -> None:
    assert called(lambda a: a, {"a": 1}, a=2) == 2


def test_keyword_arguments_take_the_rest() -> None:
    assert called(lambda x, **rest: (x, rest), {"eps": 1}, x=5, y=6) == (5, {"eps": 1, "y": 6})


def test_builtins_without_a_signature_take_positions() -> None:
    x = np.arange(3.0)
    assert called(np.add, a=x, b=x).tolist() == [0, 2, 4]
    assert called(max, x1=1, x2=5) == 5


def test_a_type_error_of_the_operator_stays_and_it_runs_once() -> None:
    calls = []

    def op(a: int, b: int) -> None:
        calls.append((a, b))
        raise TypeError("my own trouble")

    with pytest.raises(TypeError, match="my own trouble"):
        called(op, x1=1, x2=2)
    assert calls == [(1, 2)]


def test_operands_that_fit_in_no_way_are_said_with_the_parameters() -> None:
    with pytest.raises(RunError, match=r"unexpected keyword argument.*parameters are \(a, b\)") as failed:
        called(lambda a, b: None, {"alhpa": 1}, x1=1, x2=2)
    assert failed.value.status == 500
    assert failed.value.text.startswith("TypeError: the.op takes inputs ['x1', 'x2'] and attributes ['alhpa']")


def test_the_words_of_a_builtin_are_kept() -> None:
    with pytest.raises(RunError, match=r"neither by position \(.*\) nor by name \(.*\)"):
        called(max, x1=1)
