"""A dispatcher for tests: no real waits, and a deadline that passes when the test says so."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from xpudbg.services.dispatch.case import OpCase, Slot
from xpudbg.services.dispatch.client import Dispatcher
from xpudbg.services.dispatch.endpoint import DispatchSettings
from xpudbg.services.dispatch.progress import Progress

ONES = np.ones(3, np.float32)
ADD = OpCase(api="torch.add", inputs=(Slot("x", ONES), Slot("y", ONES)))


def big(mib: int) -> OpCase:
    """A case whose upload is much larger than what sockets buffer."""
    values = np.frombuffer(np.random.default_rng(5).bytes(mib << 20), np.uint8)
    return OpCase(api="torch.add", inputs=(Slot("x", values),))


@dataclass
class Time:
    """A clock that moves by the waits alone."""

    now: float = 0.0
    waits: list[float] = field(default_factory=list)
    limits: list[asyncio.Timeout] = field(default_factory=list)

    def clock(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        self.waits.append(seconds)
        self.now += seconds
        await asyncio.sleep(0)

    async def never(self, _seconds: float) -> None:
        await asyncio.Event().wait()

    def timeout(self, _seconds: float) -> asyncio.Timeout:
        limit = asyncio.timeout(None)
        self.limits.append(limit)
        return limit

    def pass_deadline(self) -> None:
        """The deadline of the latest run is now."""
        self.limits[-1].reschedule(asyncio.get_running_loop().time())


def dispatcher(time: Time, **options: Any) -> Dispatcher:
    settings = options.pop("settings", DispatchSettings())
    return Dispatcher(
        settings=settings,
        sleep=options.pop("sleep", time.sleep),
        heartbeat_sleep=options.pop("heartbeat_sleep", time.never),
        clock=time.clock,
        jitter=options.pop("jitter", lambda _low, _high: 0.0),
        timeout=options.pop("timeout", time.timeout),
        **options,
    )


def kinds(told: list[Progress]) -> list[str]:
    """Names of the steps, repetitions left out."""
    names = [type(one).__name__ for one in told]
    return [name for at, name in enumerate(names) if at == 0 or names[at - 1] != name]
