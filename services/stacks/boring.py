"""Frames that say nothing about the job: which, and why. They are left out of sight unless the user asks for them.

A frame is boring by its file and its function together. Files are known by the end of their path, those of Python's
library only below a `python3.x` folder (or bare, as py-spy writes them), so that code of the user is never boring.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .model import Frame

__all__ = ["RULES", "BoringRule", "Elided", "elide", "is_boring", "why_boring"]


@dataclass(frozen=True, slots=True)
class BoringRule:
    """Functions of one file or library."""

    file: str
    """End of the path, `/` between its parts; for native frames the beginning of the library's name."""
    functions: frozenset[str]
    """Names without the classes around them; for native frames beginnings of names. Empty: every function."""
    reason: str
    native: bool = False
    stdlib: bool = False
    """Part of Python's library: the folder has to show it."""


def _rule(file: str, functions: str, reason: str, *, stdlib: bool = False, native: bool = False) -> BoringRule:
    return BoringRule(file, frozenset(functions.split()), reason, native=native, stdlib=stdlib)


_START = "how Python starts a thread, process or module"
_CALL = "torch's way from a call to the function that was meant"
_WRAP = "a decorator around the function that was meant"
_EVAL = "the interpreter itself"

RULES: tuple[BoringRule, ...] = (
    _rule("threading.py", "_bootstrap _bootstrap_inner run", _START, stdlib=True),
    _rule("runpy.py", "_run_module_as_main _run_code _run_module_code run_module run_path", _START, stdlib=True),
    _rule("<frozen runpy>", "", _START),
    _rule("<frozen importlib._bootstrap>", "", "the import machinery"),
    _rule("<frozen importlib._bootstrap_external>", "", "the import machinery"),
    _rule("concurrent/futures/thread.py", "_worker run", _START, stdlib=True),
    _rule("multiprocessing/process.py", "_bootstrap run start", _START, stdlib=True),
    _rule("multiprocessing/spawn.py", "_main spawn_main", _START, stdlib=True),
    _rule("multiprocessing/popen_fork.py", "__init__ _launch", _START, stdlib=True),
    _rule("multiprocessing/popen_spawn_posix.py", "__init__ _launch", _START, stdlib=True),
    _rule("multiprocessing/forkserver.py", "main _serve_one", _START, stdlib=True),
    _rule("multiprocessing/context.py", "_Popen", _START, stdlib=True),
    _rule("contextlib.py", "inner __enter__ __exit__", _WRAP, stdlib=True),
    _rule("functools.py", "wrapper _method __call__", _WRAP, stdlib=True),
    _rule("torch/multiprocessing/spawn.py", "_wrap", _START),
    _rule("torch/distributed/elastic/multiprocessing/errors/__init__.py", "wrapper", _WRAP),
    _rule("torch/nn/modules/module.py", "_wrapped_call_impl _call_impl inner", _CALL),
    _rule("torch/distributed/c10d_logger.py", "wrapper", _WRAP),
    _rule("torch/utils/_contextlib.py", "decorate_context generator_context", _WRAP),
    _rule("torch/_dynamo/eval_frame.py", "_fn __call__ compile_wrapper", _WRAP),
    _rule("torch/_dynamo/external_utils.py", "inner wrap_inline", _WRAP),
    _rule("torch/_dynamo/decorators.py", "_fn inner", _WRAP),
    _rule("torch/distributed/fsdp/_fully_shard/_fsdp_common.py", "wrapper", _WRAP),
    _rule("torch/distributed/checkpoint/utils.py", "inner_func", _WRAP),
    _rule("torch/distributed/checkpoint/logger.py", "wrapper", _WRAP),
    _rule("torch/_ops.py", "__call__ redispatch", _CALL),
    _rule("torch/_library/autograd.py", "forward_no_grad autograd_impl", _CALL),
    _rule("torch/_tensor.py", "backward", _CALL),
    _rule("torch/autograd/function.py", "apply", _CALL),
    _rule("torch/utils/_pytree.py", "wrapped unflatten tree_map tree_map_only", _CALL),
    _rule(
        "libpython", "_PyEval_ PyEval_ _PyFunction_ _PyObject_ PyObject_ _PyVectorcall PyVectorcall", _EVAL, native=True
    ),
    _rule("libpython", "pymain_ Py_RunMain Py_BytesMain run_mod run_eval_code pyrun_ thread_run", _START, native=True),
    _rule(
        "python3", "_PyEval_ PyEval_ _PyFunction_ _PyObject_ PyObject_ _PyVectorcall PyVectorcall", _EVAL, native=True
    ),
    _rule(
        "python3", "pymain_ Py_RunMain Py_BytesMain run_mod run_eval_code pyrun_ thread_run _start", _START, native=True
    ),
    _rule("libc.so", "__libc_start start_thread clone 0x <no-symbol>", _START, native=True),
    _rule("libc-2", "__libc_start start_thread clone 0x <no-symbol>", _START, native=True),
    _rule("libpthread", "start_thread 0x <no-symbol>", _START, native=True),
    _rule("libtorch_python.so", "pybind11::", "the way from Python into C++", native=True),
)
"""What is boring. A later rule never overrides an earlier one: there are only reasons to leave out."""

_STDLIB = re.compile(r"(?:^|/)(?:python3(?:\.\d+)?t?|Lib|python3\d+\.zip)$")

_PYTHON_RULES: dict[str, tuple[BoringRule, ...]] = {}
for _each in RULES:
    if not _each.native:
        _base = _each.file.rpartition("/")[2]
        _PYTHON_RULES[_base] = (*_PYTHON_RULES.get(_base, ()), _each)
_NATIVE_RULES = tuple(rule for rule in RULES if rule.native)


def why_boring(frame: Frame) -> str | None:
    """The reason why a frame says nothing, or None when it may say something."""
    if frame.library is not None:
        for rule in _NATIVE_RULES:
            if frame.library.startswith(rule.file) and frame.function.startswith(tuple(rule.functions)):
                return rule.reason
        return None
    path = frame.file.replace("\\", "/")
    for rule in _PYTHON_RULES.get(path.rpartition("/")[2], ()):
        if (not rule.functions or frame.name in rule.functions) and _lies_in(path, rule):
            return rule.reason
    return None


def is_boring(frame: Frame) -> bool:
    """Whether a frame is left out of sight by default."""
    return why_boring(frame) is not None


def _lies_in(path: str, rule: BoringRule) -> bool:
    if path == rule.file:
        return True
    if not path.endswith(f"/{rule.file}"):
        return False
    return not rule.stdlib or _STDLIB.search(path[: -len(rule.file) - 1]) is not None


@dataclass(frozen=True, slots=True)
class Elided:
    """A stack without its boring frames."""

    frames: tuple[Frame, ...]
    """What is left, in the order of the stack."""
    gaps: tuple[int, ...]
    """Frames left out before each of `frames` and, as the last number, after them all; one number more than frames."""

    @property
    def left_out(self) -> int:
        return sum(self.gaps)


def elide(frames: Sequence[Frame]) -> Elided:
    """Leave the boring frames out; a stack of nothing else keeps its innermost one.

    Args:
        frames: innermost first.
    """
    kept: list[Frame] = []
    gaps = [0]
    for frame in frames:
        if is_boring(frame):
            gaps[-1] += 1
        else:
            kept.append(frame)
            gaps.append(0)
    if not kept and frames:
        return Elided((frames[0],), (0, len(frames) - 1))
    return Elided(tuple(kept), tuple(gaps))
