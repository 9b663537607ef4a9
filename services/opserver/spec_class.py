"""Operators given as code: a class in a module of the tenant's, with a `third_party` attribute.

Source: spec mode of xpu_server at f480a3d8. Only a server started with --allow-code runs them.
"""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import sys
from typing import TYPE_CHECKING, Any

from ..plain_text import plain
from .binding import Arguments, Operands, call_function
from .callables import resolve
from .run_error import RunError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from .run_request import RunRequest

__all__ = ["call_target", "load_target"]

_OTHER_NAMES = {"tensorflow": "tf", "np": "numpy"}


def load_target(request: RunRequest, folder: Path) -> tuple[str, Callable[..., Any]]:
    """Import the spec module from the tenant's folder and find what computes for the provider.

    Returns:
        The name to report, and a class or function.

    Raises:
        RunError: 400 the class or the provider is missing, 424 an import is, with its name, 500 the module fails.
    """
    if not request.spec_class or not request.spec_module:
        raise RunError(400, "spec mode needs X-Spec-Module and X-Spec-Class")
    if not all(part.isidentifier() for part in request.spec_module.split(".")):
        raise RunError(400, f"X-Spec-Module {plain(request.spec_module, 80)!r} is no module name")
    sys.path.insert(0, str(folder))
    sys.dont_write_bytecode = True  # it is known by second and size: an edit of the same second would run the old code
    importlib.invalidate_caches()
    try:
        found: Any = importlib.import_module(request.spec_module)
    except ImportError as error:
        _missing(error, folder)
    for part in request.spec_class.split("."):
        try:
            found = getattr(found, part)
        except AttributeError as error:
            raise RunError(500, f"AttributeError: {error}") from None
    return request.spec_class, _target(found, request.provider)


def call_target(target: Callable[..., Any], name: str, operands: Operands) -> tuple[Any, Callable[[], Any]]:
    """Make an instance when it is a class, and call.

    Returns:
        The result, and a call that computes it again.

    Raises:
        RunError: 400, a parameter without a default has no value.
    """
    if not isinstance(target, type):
        result, way = call_function(target, name, operands)
        return result, lambda: target(*way.args, **way.kwargs)
    pool = dict(operands.pool, device="cpu")
    if operands.formats:
        pool["input_formats"] = operands.formats
    instance = (
        target()
        if inspect.getattr_static(target, "__init__") is object.__init__
        else _called(target, f"{name}.__init__", pool)
    )
    computing = type(instance).__call__ if callable(instance) else None
    if computing is None:
        raise RunError(400, f"{name} makes no callable")
    way = _named(inspect.signature(instance), f"{name}.__call__", pool)
    return instance(*way.args, **way.kwargs), lambda: instance(*way.args, **way.kwargs)


def _called(target: Callable[..., Any], name: str, pool: dict[str, Any]) -> Any:
    way = _named(inspect.signature(target), name, pool)
    return target(*way.args, **way.kwargs)


def _named(signature: inspect.Signature, name: str, pool: dict[str, Any]) -> Arguments:
    """Bind by the names of the parameters; `*args` and `**kwargs` take the rest."""
    args: list[Any] = []
    kwargs: dict[str, Any] = {}
    used: set[str] = set()
    for parameter in signature.parameters.values():
        if parameter.kind in (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD):
            continue
        if parameter.name in pool:
            used.add(parameter.name)
            if parameter.kind is inspect.Parameter.KEYWORD_ONLY:
                kwargs[parameter.name] = pool[parameter.name]
            else:
                args.append(pool[parameter.name])
        elif parameter.default is not inspect.Parameter.empty:
            if parameter.kind is not inspect.Parameter.KEYWORD_ONLY:
                args.append(parameter.default)
        else:
            raise RunError(400, f"parameter '{parameter.name}' of {name} is not a known input or attribute name")
    rest = {key: value for key, value in pool.items() if key not in used and key != "device"}
    kinds = {parameter.kind for parameter in signature.parameters.values()}
    if inspect.Parameter.VAR_POSITIONAL in kinds:
        args.extend(rest.values())
    elif inspect.Parameter.VAR_KEYWORD in kinds:
        kwargs.update(rest)
    return Arguments(args, kwargs)


def _missing(error: ImportError, folder: Path) -> None:
    """Raise what an import that failed means: something to be sent, or a fault of the module."""
    name = error.name
    if name is None or (not isinstance(error, ModuleNotFoundError) and _is_there(name, folder)):
        raise RunError(500, f"ImportError: {error}") from None
    raise RunError(424, f"missing spec dependency: {name}", name) from None


def _is_there(name: str, folder: Path) -> bool:
    """Whether the module itself was found, so that a name in it is what is missing."""
    path = folder.joinpath(*name.split("."))
    return name in sys.modules or path.with_suffix(".py").exists() or (path / "__init__.py").exists()


def _target(found: Any, provider: str) -> Callable[..., Any]:
    third_party = getattr(found, "third_party", None)
    if third_party is None:
        chosen = found
    elif isinstance(third_party, dict):
        known = {_OTHER_NAMES.get(key, key): value for key, value in third_party.items()}
        if provider not in known:
            raise RunError(400, f"provider '{plain(provider, 60)}' not in third_party")
        chosen = known[provider]
    else:
        chosen = third_party
    if isinstance(chosen, str):
        return resolve(chosen, allow_code=True)
    if not callable(chosen) or (chosen is third_party and third_party is not None):
        raise RunError(400, "third_party is neither a dotted API nor a dict of providers")
    made: Callable[..., Any] = chosen
    return made
