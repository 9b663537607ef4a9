"""When an attempt is made again: a budget of its own for busy, for lost connections and for missing modules."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from .errors import ConnectionFailedError, ServerBusyError
from .failures import ModuleMissing
from .progress import Busy, Reconnecting

if TYPE_CHECKING:
    from collections.abc import Callable

    from tenacity import RetryCallState

    from .endpoint import DispatchSettings
    from .progress import Tell

__all__ = ["MODULE_ROUNDS", "Budgets"]

MODULE_ROUNDS = 20
"""How many modules the server may ask for one after another; whole packages go ahead, so few are ever needed."""


@dataclass(slots=True)
class Budgets:
    """Counts of one run. `retry`, `stop`, `wait` and `before_sleep` are tenacity's hooks."""

    settings: DispatchSettings
    tell: Tell
    left: Callable[[], float]
    """Seconds until the deadline."""
    jitter: Callable[[float, float], float] = random.uniform
    busy: int = field(default=0, init=False)
    """Refusals so far."""
    broken: int = field(default=0, init=False)
    """Lost connections so far."""
    missing: int = field(default=0, init=False)
    _wait: float = field(default=0.0, init=False)

    def retry(self, state: RetryCallState) -> bool:
        """Count the failure; false where another try can't help. Called once an attempt."""
        error = _error(state)
        match error:
            case ServerBusyError():
                self.busy += 1
                self._wait = self._backoff(self.busy, error.retry_after_s)
            case ConnectionFailedError():
                self.broken += 1
                self._wait = self._backoff(self.broken, None)
                return not error.lasting
            case ModuleMissing():
                self.missing += 1
                self._wait = 0.0
            case _:
                return False
        return True

    def stop(self, state: RetryCallState) -> bool:
        """Whether the budget is spent, or the deadline would pass in the wait."""
        match _error(state):
            case ServerBusyError():
                spent = self.busy > self.settings.busy_retries
            case ConnectionFailedError():
                spent = self.broken > self.settings.connection_retries
            case _:
                spent = self.missing > MODULE_ROUNDS
        return spent or self._wait >= self.left()

    def wait(self, _state: RetryCallState) -> float:
        return self._wait

    def before_sleep(self, state: RetryCallState) -> None:
        error = _error(state)
        if isinstance(error, ServerBusyError):
            self.tell(Busy(self.busy, self.settings.busy_retries, self._wait))
        elif isinstance(error, ConnectionFailedError):
            self.tell(Reconnecting(self.broken, self.settings.connection_retries, self._wait, str(error)))

    def _backoff(self, number: int, asked: float | None) -> float:
        """min(base * 2^(n-1), max), longer where the server asks for it (to the same maximum), plus or minus jitter."""
        most = self.settings.backoff_max_s
        base: float = min(self.settings.backoff_base_s * 2.0 ** min(number - 1, 60), most)
        if asked is not None:
            base = max(base, min(asked, most))
        share = min(max(self.settings.backoff_jitter, 0.0), 1.0)
        return base * (1 + self.jitter(-share, share))


def _error(state: RetryCallState) -> BaseException | None:
    return state.outcome.exception() if state.outcome is not None else None
