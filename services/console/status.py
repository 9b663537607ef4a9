"""How a case stands, in one word."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING

from ..run_history.records import RunState

if TYPE_CHECKING:
    from .runs import RunLine

__all__ = ["CaseStatus"]


class CaseStatus(Enum):
    """The word, and how far up in the list it belongs (0 first)."""

    FAILED = ("failed", 0)
    """The run gave no result."""
    WRONG = ("wrong", 0)
    """Its result is not what it should be."""
    INTERRUPTED = ("interrupted", 0)
    FAILED_BY_FILE = ("failed in file", 0)
    """It has not run here; its file says so."""
    RUNNING = ("running", 1)
    NO_CASE = ("can't run", 1)
    """No case could be made of what the file says."""
    CANCELLED = ("cancelled", 1)
    NOT_RUN = ("not run", 1)
    RAN = ("ran", 2)
    """There is a result, and nothing to compare it with."""
    PASSED_BY_FILE = ("passed in file", 2)
    PASSED = ("passed", 2)

    @property
    def word(self) -> str:
        return self.value[0]

    @property
    def urgency(self) -> int:
        return self.value[1]

    @property
    def is_bad(self) -> bool:
        return self.urgency == 0

    @classmethod
    def of_run(cls, line: RunLine) -> CaseStatus:
        """By a run that is over."""
        match line.state:
            case RunState.FAILED:
                return cls.FAILED
            case RunState.CANCELLED:
                return cls.CANCELLED
            case RunState.INTERRUPTED:
                return cls.INTERRUPTED
            case RunState.UNDER_WAY:
                return cls.RUNNING
        if line.passed is None:
            return cls.RAN
        return cls.PASSED if line.passed else cls.WRONG
