"""Killed at any moment, the history keeps every run that ended, and the next start says which was under way."""

from __future__ import annotations

import os
import random
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path

import numpy as np

from xpudbg.services.run_history.database import FILE
from xpudbg.services.run_history.history import RunHistory
from xpudbg.services.run_history.records import RunState

ROOT = Path(__file__).parents[3]
KILLS = 20

CHILD = """
import os, sys
from pathlib import Path
import numpy as np
from tests.services.run_history.made_runs import ENDPOINT, case, output, run_of
from xpudbg.services.run_history.history import RunHistory

folder = Path(sys.argv[1])
sys.stdin.readline()
while True:
    pid = os.fork()  # a process with all modules loaded
    if pid == 0:
        history = RunHistory(folder)
        for number in range(10**6):
            value = np.full(2000, 1000 * os.getpid() + number, np.int64)
            run_id = history.begin(case(value), ENDPOINT)
            os.write(1, b"began %d\\n" % run_id)
            history.finish(run_id, run_of(case(), output(-value)))
            os.write(1, b"ended %d\\n" % run_id)
    os.write(1, b"pid %d\\n" % pid)
    _, status = os.waitpid(pid, 0)
    os.write(1, b"gone %d\\n" % pid)
    if not sys.stdin.readline():
        break
"""


def test_twenty_kills_lose_no_finished_run(tmp_path: Path) -> None:
    chance = random.Random(9)
    finished: list[int] = []
    kills = 0
    interrupted = 0
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / ".links")])}
    with subprocess.Popen(
        [sys.executable, "-W", "error", "-c", CHILD, str(tmp_path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=environment,
        cwd=tmp_path,
    ) as parent:
        assert parent.stdin is not None
        assert parent.stdout is not None
        for _ in range(KILLS):
            parent.stdin.write(b"go\n")
            parent.stdin.flush()
            victim, steps = 0, 0
            fatal = chance.randrange(1, 8)
            for line in parent.stdout:
                word, number = line.split()
                if word == b"gone":
                    kills += 1
                    break
                if word == b"pid":
                    victim = int(number)
                    continue
                steps += 1
                if word == b"ended":
                    finished.append(int(number))
                if victim and steps >= fatal:
                    for _ in range(chance.randrange(20_000)):
                        pass
                    os.kill(victim, signal.SIGKILL)
            history = RunHistory(tmp_path)
            interrupted += len(history.interrupted())
            assert len(history.interrupted()) <= 1
            history.close()
        parent.stdin.close()
    assert kills == KILLS
    history = RunHistory(tmp_path)
    found = {record.id: record for record in history.latest(limit=10**6)}
    assert finished
    assert {found[run_id].state for run_id in finished} == {RunState.OK}
    assert sum(record.state is RunState.INTERRUPTED for record in found.values()) == interrupted > 0
    assert not any(record.state is RunState.UNDER_WAY for record in found.values())
    for record in found.values():
        if record.state is RunState.OK:
            (output,) = history.outputs(record.id)
            (slot,) = history.case(record.id).inputs
            assert output.array is not None
            assert np.array_equal(-output.array, slot.value)  # type: ignore[arg-type]
    history.close()
    connection = sqlite3.connect(tmp_path / FILE)
    assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
    connection.close()
