from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.real.attached import Attached
from tests.real.job import RealJob, real_job
from tests.real.torch_python import find_torch_python
from tests.services.bundle.making import replayed
from xpudbg.services.bundle.from_session import SessionFacts, write_bundle
from xpudbg.services.engine import Engine
from xpudbg.services.session import Session


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


@pytest.fixture
def bundled(tmp_path: Path) -> Callable[[Attached], None]:
    """Checks that a bundle of what is known opens to the same verdict, with hosts and paths replaced as well."""

    def judged(session: Session) -> object:
        found = [(one.kind, one.confidence, one.culprits, one.waiting) for one in session.verdict.findings]
        return session.verdict.value, found, session.verdict.missing

    def check(attached: Attached) -> None:
        live = attached.session
        for redacted in ((), ("hosts", "paths", "store")):
            path = tmp_path / f"job{len(redacted)}.xpudbg"
            done = write_bundle(path, live.looks, SessionFacts.of(live), redacted)
            assert not [said for said in done.left_out if not said.startswith("the store's keys:")]
            session, _ = replayed(path)
            assert judged(session) == judged(live)
            if not redacted:
                assert session.verdict == live.verdict
                assert session.stacks.merged.classes == live.stacks.merged.classes

    return check
