"""The command line as a shell sees it: words, exit codes, what goes to which stream."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from tests.fakes.raw_server import RawServer, Serve, refused_port, worker_server
from xpudbg.services.version import __version__
from xpudbg.tui.cli import main


def xpudbg(*words: str, env: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    if words[:1] == ("report",) and "--interval" not in words and "--help" not in words:
        words = ("report", "--interval", "0", *words[1:])
    clean = {name: value for name, value in os.environ.items() if name not in ("MASTER_ADDR", "MASTER_PORT")}
    return subprocess.run(
        [sys.executable, "-P", "-m", "xpudbg.tui.cli", *words],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        stdin=subprocess.DEVNULL,
        env=clean | {"PYTHONPATH": str(Path(__file__).parents[2] / ".links")} | (env or {}),
    )


def in_process(*words: str) -> Result:
    """The same in this process, for what is not about the process: a start of Python is saved."""
    taken = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    handlers = [signal.getsignal(number) for number in taken]
    try:
        return CliRunner().invoke(main, (words[0], "--interval", "0", *words[1:]))
    finally:
        for number, handler in zip(taken, handlers, strict=True):
            signal.signal(number, handler)


@pytest.fixture
def serve() -> Iterator[object]:
    """Starts raw servers on a thread of their own; gives the URL."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    servers: list[RawServer] = []

    def start(behaviour: Serve) -> str:
        server = RawServer(behaviour)
        asyncio.run_coroutine_threadsafe(server.start(), loop).result(10)
        servers.append(server)
        return f"http://127.0.0.1:{server.port}"

    start.servers = servers  # type: ignore[attr-defined]
    start.wait = lambda work: asyncio.run_coroutine_threadsafe(work, loop).result(30)  # type: ignore[attr-defined]
    yield start
    for server in servers:
        asyncio.run_coroutine_threadsafe(server.close(), loop).result(10)
    loop.call_soon_threadsafe(loop.stop)
    thread.join(10)
    loop.close()


healthy = worker_server(stuck=set())


def test_version_and_help() -> None:
    assert xpudbg("--version").stdout == f"xpudbg {__version__}\n"
    for words in ((), ("report",), ("demo",)):
        helped = xpudbg(*words, "--help")
        assert helped.returncode == 0
        assert "xpudbg" in helped.stdout


def test_version_loads_no_heavy_module() -> None:
    program = (
        "import sys; sys.argv = ['xpudbg', '--version']\n"
        "from xpudbg.tui.cli import main\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        "print(sorted({'textual', 'aiohttp', 'httpx', 'numpy', 'msgspec', 'asyncio', 'rich'} & set(sys.modules)))"
    )
    env = os.environ | {"PYTHONPATH": str(Path(__file__).parents[2] / ".links")}
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, env=env)
    assert done.stdout.splitlines()[-1] == "[]"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("report",), "no target"),
        (("report", "host:0"), "port 0"),
        (("report", "fdaa:5137:3ebf:a75::2:29521"), "[addr]:port"),
        (("report", "h:1", "--ranks=x"), "--ranks"),
        (("report", "h:1", "--map", "nonsense"), "--map"),
        (("report", "h:1", "--timeout", "0"), "--timeout"),
        (("report", "h:1", "--scenario", "healthy"), "--scenario"),
        (("report", "demo", "--scenario", "nope"), "healthy"),
        (("report", "/no/such/folder"), "no such file"),
        (("h:1",), "need a terminal"),
        (("--nonsense",), "No such option"),
    ],
)
def test_wrong_usage_is_2_with_a_reason_on_standard_error(words: tuple[str, ...], said: str) -> None:
    done = xpudbg(*words)
    assert done.returncode == 2
    assert said in done.stderr
    assert done.stdout == ""
    assert "Traceback" not in done.stderr


def test_a_healthy_worker_is_0(serve: object) -> None:
    done = xpudbg("report", serve(healthy))  # type: ignore[operator]
    assert (done.returncode, done.stderr) == (0, "")
    assert "verdict  ok" in done.stdout


def test_a_problem_is_1(serve: object) -> None:
    silent = worker_server(stuck={"ping"})
    done = xpudbg("report", serve(healthy), serve(silent), "--timeout", "0.5", "--format", "json")  # type: ignore[operator]
    made = json.loads(done.stdout)
    assert done.returncode == 1
    assert (made["verdict"], made["classes"]) == ("hang", {"alive": [0], "stopped": [1]})
    assert "ranks" not in made


def test_the_gil_held_over_two_looks_is_critical(serve: object) -> None:
    url = serve(worker_server(stuck={"dump_traceback"}))  # type: ignore[operator]
    words = ("report", url, "--timeout", "0.3", "--format", "json")
    once = json.loads(in_process(*words, "--looks", "1").stdout)
    twice = json.loads(in_process(*words).stdout)
    assert [finding["severity"] for finding in once["findings"]] == ["warning"]
    assert [finding["severity"] for finding in twice["findings"]] == ["critical"]
    assert [look["id"] for look in twice["looks"]] == [1, 2]


def test_stacks_are_written_beside_the_report(serve: object, tmp_path: Path) -> None:
    traceback = b'Thread 0x01 (most recent call first):\n  File "/job/train.py", line 7 in step\n'
    url = serve(worker_server(stuck=set(), traceback=traceback))  # type: ignore[operator]
    speedscope, collapsed = tmp_path / "stacks.json", tmp_path / "stacks.txt"
    assert in_process("report", url, "--stacks", str(speedscope)).exit_code == 0
    assert in_process("report", url, "--stacks", str(collapsed)).exit_code == 0
    assert json.loads(speedscope.read_text())["shared"]["frames"][0]["name"] == "step"
    assert collapsed.read_text().endswith("step (/job/train.py:7) 1\n")
    failed = in_process("report", url, "--stacks", str(tmp_path / "no" / "such.json"))
    assert failed.exit_code == 2
    assert "could not be written" in failed.stderr


def test_nothing_reached_is_3() -> None:
    with refused_port() as held:
        port = held.getsockname()[1]
        worker = xpudbg("report", f"http://127.0.0.1:{port}")
        store = xpudbg("report", f"127.0.0.1:{port}")
    assert (worker.returncode, store.returncode) == (3, 3)
    assert "connection refused" in worker.stdout
    assert "refused" in store.stderr
    assert len(store.stderr.splitlines()) == 2


def test_partial_data_and_nothing_wrong_is_4(serve: object) -> None:
    done = xpudbg("report", serve(healthy), "http://node-7.invalid:80")  # type: ignore[operator]
    assert done.returncode == 4
    assert "--map" in done.stdout


def test_the_ranks_option_alone_shows_all_and_with_a_set_some(serve: object) -> None:
    first, second = serve(healthy), serve(healthy)  # type: ignore[operator]
    alone = json.loads(in_process("report", "--format", "json", "--ranks", first, second).stdout)
    assert [rank["rank"] for rank in alone["ranks"]] == [0, 1]
    some = json.loads(in_process("report", "--format", "json", "--ranks", "1", first, second).stdout)
    assert [rank["rank"] for rank in some["ranks"]] == [1]
    assert some["world_size"] == 2
    joined = json.loads(in_process("report", first, second, "--format=json", "--ranks=0").stdout)
    assert [rank["rank"] for rank in joined["ranks"]] == [0]


def test_the_environment_names_the_store() -> None:
    with refused_port() as held:
        port = str(held.getsockname()[1])
        done = xpudbg("report", env={"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": port})
    assert done.returncode == 3
    assert f"127.0.0.1:{port}" in done.stderr


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_signal_ends_it_with_what_has_come_and_leaves_nothing(
    serve: object, number: signal.Signals, tmp_path: Path
) -> None:
    urls = [serve(healthy), serve(worker_server(stuck={"ping"}))]  # type: ignore[operator]
    started = subprocess.Popen(
        [sys.executable, "-P", "-m", "xpudbg.tui.cli", "report", *urls, "--timeout", "600", "--format", "json"],
        env=os.environ | {"PYTHONPATH": str(Path(__file__).parents[2] / ".links"), "TMPDIR": str(tmp_path)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    server = serve.servers[-1]  # type: ignore[attr-defined]
    serve.wait(server.until(lambda: server.open["/handler/ping"] == 1))  # type: ignore[attr-defined]
    started.send_signal(number)
    output, errors = started.communicate(timeout=30)
    assert started.returncode == 4, errors
    assert errors == ""
    assert json.loads(output)["looks"][0]["cancelled"]
    assert list(tmp_path.iterdir()) == []


def test_a_closed_pipe_is_no_traceback(serve: object) -> None:
    url = serve(healthy)  # type: ignore[operator]
    command = f"{sys.executable} -P -m xpudbg.tui.cli report --interval 0 {url} | true"
    env = os.environ | {"PYTHONPATH": str(Path(__file__).parents[2] / ".links")}
    done = subprocess.run(["/bin/sh", "-c", command], capture_output=True, text=True, timeout=60, check=False, env=env)
    assert "Traceback" not in done.stderr
