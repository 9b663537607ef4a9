"""The child process of the demo: `python -P -m xpudbg.services.simulate --ranks 64 --scenario mixed`.

When everything listens it prints one JSON line: {"store_host", "store_port", "ranks", "scenario"}. Then it reads
commands from standard input, one JSON object a line, and answers each with one line:

    {"release": [3]}   ranks go on as after SIGCONT, and let go of the GIL   -> {"released": [3]}
    {"stop": [3]}      ranks stand still as after SIGSTOP                    -> {"stopped": [3]}
    {"op_server": true}   an op server on this machine, from now on   -> {"op_server": {"host", "port"}}
    {"counts": true}   -> {"counts": {"3": {"ping": {"outstanding", "maximum", "total"}}}, "queued": {"3": 2}}
    anything else      -> {"error": "..."}

`queued` are connections that the kernel has completed and the rank has not accepted (Linux). The process ends when
its standard input closes, so it never outlives its parent, and on SIGTERM.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import signal
import sys
import threading
from typing import Any

from ..cluster.file_limit import connections_allowed
from .cluster import Cluster, CommandError, files_needed
from .hosts import STORE_HOST
from .op_server import DemoOpServer
from .scenarios import DEFAULT, SCENARIOS

_FOR_CLIENTS = 256
"""Files kept for the connections of the program that looks at the ranks."""
CLOSING_S = 2.0
"""Longest wait for connections to close; a parent that was killed may have left some at ranks that stand still."""


def main() -> None:
    """Serve a demo cluster until the process is ended."""
    options = argparse.ArgumentParser(prog="python -m xpudbg.services.simulate", description="Serve a demo cluster.")
    options.add_argument("--ranks", type=int, help="number of ranks (the scenario's own)")
    options.add_argument("--scenario", choices=SCENARIOS, default=DEFAULT)
    chosen = options.parse_args()
    scenario = SCENARIOS[chosen.scenario]
    ranks = scenario.default_ranks if chosen.ranks is None else chosen.ranks
    if ranks < 1:
        options.error("a cluster has at least one rank")
    needed, allowed = files_needed(scenario, ranks) + _FOR_CLIENTS, connections_allowed()
    if needed > allowed:
        sys.exit(
            f"serving {ranks} ranks takes {needed} open files, and this system allows {allowed} (ulimit -Hn); "
            "ask for fewer ranks"
        )
    try:
        asyncio.run(_serve(scenario.name, ranks))
    except OSError as error:
        sys.exit(f"serving {ranks} ranks failed: {error}")


async def _serve(scenario: str, ranks: int) -> None:
    cluster = Cluster(SCENARIOS[scenario], ranks)
    await cluster.start()
    task = asyncio.current_task()
    assert task is not None
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, task.cancel)
    with contextlib.suppress(asyncio.CancelledError, BrokenPipeError):  # told to end, or the parent has died
        _say({"store_host": STORE_HOST, "store_port": cluster.store.port, "ranks": ranks, "scenario": scenario})
        async with DemoOpServer() as op_server:
            await _follow_commands(cluster, op_server)
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(CLOSING_S):
            await cluster.close()


async def _follow_commands(cluster: Cluster, op_server: DemoOpServer) -> None:
    """Until standard input closes."""
    lines: asyncio.Queue[bytes] = asyncio.Queue()
    # A thread, as not everything that can be standard input can be waited for in an event loop (/dev/null can't).
    reading = threading.Thread(target=_read_lines, args=(asyncio.get_running_loop(), lines), daemon=True)
    reading.start()
    while line := await lines.get():
        try:
            answer = await op_server.command(line) or cluster.command(line.decode(errors="replace"))
        except CommandError as error:
            answer = {"error": str(error)}
        _say(answer)


def _read_lines(loop: asyncio.AbstractEventLoop, lines: asyncio.Queue[bytes]) -> None:
    """Hand over the lines of standard input, and an empty one at its end."""
    # Unbuffered: a thread that waits inside a buffered reader would hold its lock when the interpreter ends.
    with open(0, "rb", buffering=0, closefd=False) as stdin, contextlib.suppress(RuntimeError):  # the loop has ended
        while line := stdin.readline():
            loop.call_soon_threadsafe(lines.put_nowait, line)
        loop.call_soon_threadsafe(lines.put_nowait, b"")


def _say(message: dict[str, Any]) -> None:
    print(json.dumps(message), flush=True)


if __name__ == "__main__":
    main()
