"""The runs of a case as the console lists them: those under way with their progress, and those that are over."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ..dispatch import progress
from ..run_history.records import RunState

if TYPE_CHECKING:
    from ..dispatch.case import OpCase
    from ..dispatch.endpoint import OpEndpoint
    from ..dispatch.progress import Progress

__all__ = ["RunLine", "RunUnderWay", "Transfer"]


@dataclass(frozen=True, slots=True)
class Transfer:
    """Bytes on their way, up or down."""

    began_ns: int
    """When the first count of them came."""
    first: int
    """Bytes at that moment."""
    now_ns: int
    done: int
    total: int | None

    @property
    def rate(self) -> float | None:
        """Bytes a second since the first count; None before there are two."""
        passed = (self.now_ns - self.began_ns) / 1e9
        return (self.done - self.first) / passed if passed > 0 and self.done > self.first else None

    @property
    def left_s(self) -> float | None:
        """Seconds until the rest is there at the same rate; None where that is not known."""
        rate = self.rate
        return (self.total - self.done) / rate if rate is not None and self.total is not None else None


@dataclass(frozen=True, slots=True, eq=False)
class RunUnderWay:
    """A run that is not over."""

    key: str
    case_id: str
    case: OpCase
    endpoint: OpEndpoint
    batch: int
    """Runs begun by one press of a key have one number."""
    began_ns: int
    latest: Progress | None = None
    """None: it is being prepared."""
    since_ns: int = 0
    """When `latest` became what it is; counts of bytes of one transfer are one stage."""
    transfer: Transfer | None = None
    comparing: bool = False
    """The outputs are there and are compared."""
    cancelling: bool = False

    def told(self, latest: Progress, now_ns: int) -> RunUnderWay:
        """The same with a newer word on how far it is."""
        same = type(latest) is type(self.latest)
        transfer = None
        if isinstance(latest, progress.Uploading | progress.Downloading):
            done = latest.sent if isinstance(latest, progress.Uploading) else latest.received
            before = self.transfer if same else None
            began, first = (now_ns, done) if before is None else (before.began_ns, before.first)
            transfer = Transfer(began, first, now_ns, done, latest.total)
        return replace(self, latest=latest, since_ns=self.since_ns if same else now_ns, transfer=transfer)


@dataclass(frozen=True, slots=True)
class RunLine:
    """A run in the list of a case's runs."""

    key: str
    """Tells it from all other runs of the console."""
    case_id: str
    state: RunState
    endpoint: str
    """host:port."""
    started_ns: int
    took_s: float | None
    passed: bool | None
    """Against the reference; None when nothing was compared."""
    said: str
    """What came of it, one plain line."""
    number: int | None = None
    """In the history."""
    changes: tuple[tuple[str, str], ...] = ()
    """(field, value) of the case that was run where it was not as loaded."""
    batch: int = 0
    """0: of an earlier session."""

    @property
    def bad(self) -> bool:
        """Failed, wrong, or interrupted."""
        return self.state in (RunState.FAILED, RunState.INTERRUPTED) or self.passed is False
