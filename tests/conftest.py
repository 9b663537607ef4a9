"""What holds for all tests."""

from __future__ import annotations

import gc
import os
from collections.abc import Iterator

import pytest
from hypothesis import settings

settings.register_profile("same", derandomize=True, deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "same"))
"""The same examples in each run: a change is judged by itself. HYPOTHESIS_PROFILE=default looks for new ones."""

SETTINGS = (
    "XPUDBG_CONFIG",
    *(f"XPUDBG_{name}" for name in ("THEME", "REFRESH", "TIMEOUT", "DEADLINE", "LOG", "LOG_LEVEL", "SERVER")),
    *(f"XPUDBG_{name}" for name in ("NO_MOUSE", "ASCII")),
)


def pytest_configure() -> None:
    """Garbage is looked for about as seldom as the program does it: at each 700 new objects it takes a quarter more."""
    gc.set_threshold(20_000, 20, 100)


def pytest_collection_finish() -> None:
    """Thousands of collected tests and their modules live to the end: no collection of garbage looks at them again."""
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True, scope="session")
def _no_settings() -> Iterator[None]:
    """The settings of whoever runs the tests change none of them; child processes inherit this."""
    before = {name: value for name, value in os.environ.items() if name in SETTINGS}
    for name in before:
        del os.environ[name]
    os.environ["XPUDBG_CONFIG"] = os.devnull
    yield
    del os.environ["XPUDBG_CONFIG"]
    os.environ.update(before)


@pytest.fixture(autouse=True, scope="session")
def _own_history(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """No test writes into the history of whoever runs the tests; child processes inherit this."""
    before = os.environ.get("XPUDBG_HISTORY")
    os.environ["XPUDBG_HISTORY"] = str(tmp_path_factory.mktemp("history"))
    yield
    if before is None:
        del os.environ["XPUDBG_HISTORY"]
    else:
        os.environ["XPUDBG_HISTORY"] = before
