from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.real.job import RealJob, real_job
from tests.real.torch_python import find_torch_python
from xpudbg.services.engine import Engine


@pytest.fixture(scope="session")
def torch_python() -> str:
    """An interpreter that has torch; the test is skipped when there is none."""
    return find_torch_python()


@pytest.fixture
def job(torch_python: str, tmp_path: Path) -> Iterator[RealJob]:
    """A job of four ranks that have been through one collective."""
    with real_job(torch_python, tmp_path, world_size=4) as running:
        yield running


@pytest.fixture
def engine() -> Iterator[Engine]:
    """A started engine."""
    with Engine() as running:
        yield running
