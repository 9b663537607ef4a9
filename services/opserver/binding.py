"""How inputs and attributes become the arguments of a function.

Three ways, in the protocol's order: all by name; inputs by position and attributes by name; inputs to the free names of
the signature. A function with a signature is called once, with the first way that its signature takes, so that a
TypeError of the operator itself stays what it is.
"""

from __future__ import annotations

import inspect
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from .run_error import RunError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = ["Arguments", "Operands", "call_function"]

_VARIABLE = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
_BY_POSITION = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)


@dataclass(frozen=True, slots=True)
class Arguments:
    """One way to call."""

    args: list[Any]
    kwargs: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Operands:
    """What there is to pass."""

    inputs: dict[str, Any]
    """Slots in order: a tensor, a list of them, or None."""
    attrs: dict[str, Any]
    param_order: list[str] = field(default_factory=list)
    """Declared order of the parameters, for inputs and attributes."""
    formats: list[str] = field(default_factory=list)

    @property
    def pool(self) -> dict[str, Any]:
        """Everything by name; an input wins over an attribute of its name."""
        return {**self.attrs, **self.inputs}

    @property
    def ordered(self) -> list[Any]:
        """The inputs in declared order, those that are not declared after them."""
        declared = [name for name in self.param_order if name in self.inputs]
        return [self.inputs[name] for name in dict.fromkeys((*declared, *self.inputs))]


def call_function(function: Callable[..., Any], name: str, operands: Operands) -> tuple[Any, Arguments]:
    """Call a function that is no class.

    Args:
        name: for messages.

    Returns:
        Its result, and how it was called.

    Raises:
        RunError: 500, the operands fit its parameters in no way; the message holds the function's own words.
        Exception: what the function raises.
    """
    schemas = _aten_parameters(function)
    if schemas is not None:
        by_name = any(set(operands.pool) <= names for names in schemas)
        way = Arguments([], operands.pool) if by_name else _by_position(operands)
        return function(*way.args, **way.kwargs), way
    signature = _signature(function)
    if signature is not None:
        way = _fitting(signature, name, operands)
        return function(*way.args, **way.kwargs), way
    try:
        return function(**operands.pool), Arguments([], operands.pool)
    except TypeError as error:
        by_name_said = str(error)
    way = _by_position(operands)
    try:
        return function(*way.args, **way.kwargs), way
    except TypeError as error:
        if not operands.inputs or str(error) == by_name_said:
            raise
        raise RunError(
            500, f"TypeError: {name} takes these inputs neither by position ({error}) nor by name ({by_name_said})"
        ) from None


def _by_position(operands: Operands) -> Arguments:
    attrs = {name: value for name, value in operands.attrs.items() if name not in operands.inputs}
    return Arguments(operands.ordered if operands.param_order else list(operands.inputs.values()), attrs)


def _fitting(signature: inspect.Signature, name: str, operands: Operands) -> Arguments:
    said: list[str] = []
    for way in _ways(signature, operands):
        try:
            signature.bind(*way.args, **way.kwargs)
        except TypeError as error:
            said.append(str(error))
        else:
            return way
    raise RunError(
        500,
        f"TypeError: {name} takes inputs {list(operands.inputs)} and attributes {list(operands.attrs)} neither by name "
        f"({said[0]}) nor by position ({said[1]}); its parameters are {signature}",
    )


def _ways(signature: inspect.Signature, operands: Operands) -> Iterator[Arguments]:
    yield _placed(signature, operands.pool)
    yield _by_position(operands)
    positional = [parameter.name for parameter in signature.parameters.values() if parameter.kind in _BY_POSITION]
    free = [name for name in positional if name not in operands.attrs]
    if len(operands.ordered) <= len(free):
        yield _placed(signature, {**operands.attrs, **dict(zip(free, operands.ordered, strict=False))})
    yield _placed(signature, {name: value for name, value in operands.pool.items() if name != "self"})


def _placed(signature: inspect.Signature, values: dict[str, Any]) -> Arguments:
    """Everything by name, except what the signature takes by position only."""
    left = dict(values)
    args: list[Any] = []
    for parameter in signature.parameters.values():
        if parameter.kind is not inspect.Parameter.POSITIONAL_ONLY or parameter.name not in left:
            break
        args.append(left.pop(parameter.name))
    return Arguments(args, left)


def _signature(function: Callable[..., Any]) -> inspect.Signature | None:
    """None when the function says nothing of its parameters."""
    try:
        signature = inspect.signature(function)
    except (ValueError, TypeError):
        return None
    says = any(parameter.kind not in _VARIABLE for parameter in signature.parameters.values())
    return signature if says or not signature.parameters else None


def _aten_parameters(function: object) -> list[set[str]] | None:
    """Names of the parameters of each overload of an operator of torch.ops; None for other functions."""
    if not type(function).__module__.startswith("torch._ops"):
        return None
    packet: Any = function
    overloads = [getattr(packet, name) for name in packet.overloads()] if hasattr(packet, "overloads") else [packet]
    return [{argument.name for argument in overload._schema.arguments} for overload in overloads]
