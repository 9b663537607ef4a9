"""Which interpreter runs the PyTorch side of the tests."""

from __future__ import annotations

import functools
import importlib.util
import os
import subprocess
import sys

import pytest

__all__ = ["TORCH_PYTHON_VARIABLE", "find_torch_python"]

TORCH_PYTHON_VARIABLE = "XPUDBG_TORCH_PYTHON"


@functools.cache
def find_torch_python() -> str:
    """The interpreter that XPUDBG_TORCH_PYTHON names, else the one that runs the tests.

    Skips the test when there is no variable and torch is not here. A variable that names an interpreter without torch
    fails the test: whoever set it wants these tests to run.
    """
    named = os.environ.get(TORCH_PYTHON_VARIABLE)
    if not named:
        if importlib.util.find_spec("torch") is None:
            pytest.skip(f"needs an interpreter with torch: {TORCH_PYTHON_VARIABLE} is not set and there is none here")
        return sys.executable
    try:
        subprocess.run(
            [named, "-c", "import torch.distributed"], check=True, capture_output=True, text=True, timeout=120
        )
    except (OSError, subprocess.SubprocessError) as error:
        said = getattr(error, "stderr", "") or str(error)
        pytest.fail(f"{TORCH_PYTHON_VARIABLE}={named} can't import torch: {said.strip()}", pytrace=False)
    return named
