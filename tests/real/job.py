"""A real job of several PyTorch processes on this machine: plain processes, one for each rank, no launcher."""

from __future__ import annotations

import contextlib
import os
import random
import signal
import socket
import subprocess
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

__all__ = ["RealJob", "real_job"]

TRAINER = Path(__file__).parent / "jobs" / "trainer.py"


class RealJob:
    """The processes of a job; ranks are indexes."""

    def __init__(
        self, python: str, world_size: int, roles: Mapping[int, str], logs: Path, *, recorder: bool = True
    ) -> None:
        """
        Args:
            recorder: whether the flight recorder is switched on.
        """
        self.world_size = world_size
        self.store = f"127.0.0.1:{(port := _free_port())}"
        self._logs = logs
        self.processes: list[subprocess.Popen[str]] = []
        frontend = _free_port()
        for rank in range(world_size):
            environment = os.environ | {
                "RANK": str(rank),
                "WORLD_SIZE": str(world_size),
                "MASTER_ADDR": "127.0.0.1",
                "MASTER_PORT": str(port),
                "FRONTEND_PORT": str(frontend),
                "TRAINER_ROLE": roles.get(rank, ""),
                "TORCH_FR_BUFFER_SIZE": "2000" if recorder else "0",
                "OMP_NUM_THREADS": "1",
                "GLOO_SOCKET_IFNAME": "lo",
                "PATH": os.pathsep.join(filter(None, (str(Path(python).parent), os.environ.get("PATH", "")))),
            }
            with (logs / f"rank{rank}.log").open("wb") as log:
                self.processes.append(
                    subprocess.Popen(
                        [python, str(TRAINER)],
                        env=environment,
                        stdin=subprocess.PIPE,
                        stdout=subprocess.PIPE,
                        stderr=log,
                        text=True,
                        bufsize=1,
                        start_new_session=True,
                    )
                )

    def wait_until_ready(self) -> None:
        for rank in range(self.world_size):
            self.expect(rank, "ready")

    def expect(self, rank: int, line: str) -> None:
        """Read a rank's standard output up to this line.

        Raises:
            AssertionError: the rank ended first; the message holds the end of its log.
        """
        stream = self.processes[rank].stdout
        assert stream is not None
        for said in stream:
            if said.strip() == line:
                return
        log = (self._logs / f"rank{rank}.log").read_text(errors="replace")
        raise AssertionError(f"rank {rank} ended before it said {line!r}:\n{log[-4000:]}")

    def tell(self, rank: int, command: str) -> None:
        stream = self.processes[rank].stdin
        assert stream is not None
        stream.write(command + "\n")
        stream.flush()

    def stop(self, rank: int) -> None:
        """SIGSTOP, and wait until the kernel says that it has stopped."""
        process = self.processes[rank]
        process.send_signal(signal.SIGSTOP)
        os.waitid(os.P_PID, process.pid, os.WSTOPPED | os.WNOWAIT)

    def resume(self, rank: int) -> None:
        self.processes[rank].send_signal(signal.SIGCONT)

    def kill(self, rank: int, *, with_children: bool = True) -> None:
        """SIGKILL. Rank 0 has a child, torch's own page, which inherits the rank's listening sockets."""
        process = self.processes[rank]
        if not with_children:
            process.kill()
            process.wait()
            return
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        with contextlib.suppress(ProcessLookupError):  # raised once the last child is gone too
            for _ in range(1000):
                os.killpg(process.pid, 0)
                time.sleep(0.01)

    def close(self) -> None:
        for process in self.processes:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
        for process in self.processes:
            process.wait()
            for stream in (process.stdin, process.stdout):
                if stream is not None:
                    with contextlib.suppress(BrokenPipeError):
                        stream.close()


@contextlib.contextmanager
def real_job(
    python: str, logs: Path, world_size: int = 4, roles: Mapping[int, str] | None = None, *, recorder: bool = True
) -> Iterator[RealJob]:
    """A job whose ranks have all been through one collective."""
    job = RealJob(python, world_size, roles or {}, logs, recorder=recorder)
    try:
        job.wait_until_ready()
        yield job
    finally:
        job.close()


def _free_port() -> int:
    """A port nobody listens on, from below the range in which outgoing connections get theirs: it stays free."""
    while True:
        port = random.randrange(10_000, 30_000)
        with socket.socket() as probe:
            try:
                probe.bind(("", port))
            except OSError:  # taken: try another
                continue
            return port
