"""The op client against a bare exchange of the same bytes, and against the older way, in one run.

A sink on the loopback, in a process of its own, takes a body and gives the same bytes back with headers that fit.
Two inputs of random float32. Measured: xpudbg's run (archive, checks, progress), a bare exchange over plain sockets,
and the older way (savez_compressed into memory, http.client, numpy.load). The memory is the growth of the peak
RSS of a child process that does one run, beyond its inputs and outputs. The small op is one run of two arrays of 12
bytes against a bare exchange of as many bytes with http.client on a kept connection.

    python -m benchmarks.bench_dispatch [--mib 64] [--rounds 15]
"""

from __future__ import annotations

import argparse
import asyncio
import http.client
import io
import json
import multiprocessing
import socket
import statistics
import time
from collections.abc import Callable
from multiprocessing.connection import Connection
from pathlib import Path

import numpy as np

from benchmarks.figures import record
from xpudbg.services.dispatch.case import OpCase, Slot
from xpudbg.services.dispatch.client import Dispatcher
from xpudbg.services.dispatch.endpoint import OpEndpoint
from xpudbg.services.dispatch.headers import wire_inputs

PIECE = 1 << 20
SMALL_ROUNDS = 300


def sink(ready: Connection) -> None:
    """Take requests and give their bodies back; describes the outputs as the inputs were."""
    listening = socket.create_server(("127.0.0.1", 0))
    ready.send(listening.getsockname()[1])
    body = memoryview(bytearray(PIECE))
    while True:
        sock, _ = listening.accept()
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        with sock:
            while True:
                head = b""
                while b"\r\n\r\n" not in head:
                    piece = sock.recv(65536)
                    if not piece:
                        break
                    head += piece
                if b"\r\n\r\n" not in head:
                    break
                text, _, rest = head.partition(b"\r\n\r\n")
                lines = [line.partition(b":") for line in text.split(b"\r\n")]
                headers = {name.lower(): value.strip() for name, _, value in lines}
                length = int(headers[b"content-length"])
                if length > len(body):
                    body = memoryview(bytearray(length))
                body[: len(rest)] = rest
                at = len(rest)
                while at < length:
                    at += sock.recv_into(body[at:length])
                schema = headers.get(b"x-input-schema", b"[]")
                count = len(json.loads(schema))
                sock.sendall(
                    b"HTTP/1.1 200 OK\r\nX-Output-Count: %d\r\nX-Output-Schema: %s\r\nContent-Length: %d\r\n\r\n"
                    % (count, schema, length)
                )
                sock.sendall(body[:length])


def case_of(arrays: list[np.ndarray]) -> OpCase:
    return OpCase(api="torch.add", inputs=tuple(Slot(f"x{at}", array) for at, array in enumerate(arrays)))


def random_arrays(mib: int) -> list[np.ndarray]:
    rng = np.random.default_rng(0)
    return [rng.random((mib << 20) // 4, dtype=np.float32) for _ in range(2)]


def bare(port: int, data: memoryview) -> None:
    """The same bytes there and back over a plain socket, the answer kept in memory."""
    into = np.empty(len(data) + PIECE, np.uint8).data
    with socket.create_connection(("127.0.0.1", port)) as sock:
        sock.sendall(b"POST /v1/run HTTP/1.1\r\nContent-Length: %d\r\n\r\n" % len(data))
        sock.sendall(data)
        got = 0
        while got < len(data):
            count = sock.recv_into(into[got : got + PIECE])
            if not count:
                raise RuntimeError("the sink closed")
            got += count


def older(port: int, arrays: list[np.ndarray]) -> None:
    """Compressed into memory, sent whole, read whole, unpacked."""
    file = io.BytesIO()
    members: dict[str, np.ndarray] = {f"a{at}": array for at, array in enumerate(arrays)}
    np.savez_compressed(file, **members)  # type: ignore[arg-type]
    connection = http.client.HTTPConnection("127.0.0.1", port)
    connection.request("POST", "/v1/run", file.getvalue(), {"X-Input-Schema": "[]"})
    with np.load(io.BytesIO(connection.getresponse().read()), allow_pickle=False) as made:
        for name, array in members.items():
            if not np.array_equal(made[name], array):
                raise RuntimeError(f"{name} came back changed")
    connection.close()


async def xpudbg_runs(port: int, case: OpCase, rounds: int) -> list[float]:
    endpoint = OpEndpoint("127.0.0.1", port)
    took = []
    async with Dispatcher() as client:
        for _ in range(rounds):
            began = time.perf_counter()
            run = await client.run(case, endpoint)
            took.append(time.perf_counter() - began)
            if len(run.outputs) != len(case.inputs):
                raise RuntimeError("outputs are missing")
            del run
    return took


def timed(call: Callable[[], None], rounds: int) -> list[float]:
    took = []
    for _ in range(rounds):
        began = time.perf_counter()
        call()
        took.append(time.perf_counter() - began)
    return took


def small_exchanges(port: int, rounds: int) -> list[float]:
    connection = http.client.HTTPConnection("127.0.0.1", port)
    case = case_of([np.ones(3, np.float32)] * 2)
    archive = wire_inputs(case).archive
    assert archive is not None
    data = b"".join(archive)

    def once() -> None:
        connection.request("POST", "/v1/run", data, {"X-Input-Schema": "[]"})
        connection.getresponse().read()

    took = timed(once, rounds)
    connection.close()
    return took


def peak_growth(port: int, mib: int, out: Connection) -> None:
    """Peak RSS of one run beyond inputs and outputs, in MiB. A small run before it loads what is loaded once."""
    small = case_of([np.ones(3, np.float32)] * 2)
    case = case_of(random_arrays(mib))
    asyncio.run(xpudbg_runs(port, small, 3))
    before = _peak()
    asyncio.run(xpudbg_runs(port, case, 1))
    out.send(_peak() - before - 2 * mib)


def _peak() -> float:
    """Peak RSS of this process in MiB. (ru_maxrss would begin with the parent's.)"""
    status = Path("/proc/self/status").read_text()
    return int(status.partition("VmHWM:")[2].split()[0]) / 1024


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mib", type=int, default=64, help="MiB of each of the two inputs")
    parser.add_argument("--rounds", type=int, default=15)
    options = parser.parse_args()
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    server = context.Process(target=sink, args=(theirs,), daemon=True)
    server.start()
    port: int = ours.recv()
    arrays = random_arrays(options.mib)
    case = case_of(arrays)
    archive = wire_inputs(case).archive
    assert archive is not None
    data = memoryview(b"".join(archive))
    bare(port, data)
    bares, runs = [], []
    for _ in range(options.rounds):  # in turn, so that a slow moment of the machine meets both
        bares += timed(lambda: bare(port, data), 1)
        runs += asyncio.run(xpudbg_runs(port, case, 1))
    old = timed(lambda: older(port, arrays), 1)
    small = asyncio.run(xpudbg_runs(port, case_of([np.ones(3, np.float32)] * 2), SMALL_ROUNDS))
    plain = small_exchanges(port, SMALL_ROUNDS)
    measuring = context.Process(target=peak_growth, args=(port, options.mib, theirs))
    measuring.start()
    growth: float = ours.recv()
    measuring.join()
    server.terminate()
    middle, plain_s = min(runs), min(bares)
    sizes = f"2 x {options.mib} MiB there and back"
    record(sizes, middle, "s", peer=plain_s, against="bare exchange", times_at_most=1.5)
    record(f"{sizes}, the older way beside it", middle, "s", peer=old[0], against="savez_compressed + http.client")
    record("memory beyond inputs and outputs", growth, "MiB", at_most=32)
    print(f"2 x {options.mib} MiB of random float32 there and back, loopback, best of {options.rounds} rounds")
    print(f"  bare exchange      {plain_s:8.3f} s")
    print(f"  xpudbg run         {middle:8.3f} s   {middle / plain_s:.2f} times the bare exchange")
    print(f"  older way          {old[0]:8.3f} s   {old[0] / middle:.1f} times xpudbg")
    print(f"  memory beyond inputs and outputs   {growth:.1f} MiB")
    ms = 1000 * (statistics.median(small) - statistics.median(plain))
    record("a small op, over a bare exchange", ms, "ms", at_most=5)
    print(f"  small op           {1000 * statistics.median(small):8.2f} ms, {ms:.2f} ms over a bare exchange")


if __name__ == "__main__":
    main()
