from __future__ import annotations

import pytest

from tests.real.torch_python import find_torch_python


@pytest.fixture(scope="session")
def torch_python() -> str:
    """An interpreter that has torch; the test is skipped when there is none."""
    return find_torch_python()
