"""How tests of the screens wait."""

from __future__ import annotations

import pytest
import textual.app
import textual.pilot

from tests.tui.quiet import quiet


@pytest.fixture(autouse=True)
def waits_for_the_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pilot waits until the event loop is quiet, not until the processor is."""
    monkeypatch.setattr(textual.app, "wait_for_idle", quiet)
    monkeypatch.setattr(textual.pilot, "wait_for_idle", quiet)
