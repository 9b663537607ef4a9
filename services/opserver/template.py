"""The process that has the libraries loaded and forks a child for each run.

    python -c BOOTSTRAP PACKAGE_FOLDER SOCKET MEMORY_BYTES

On standard output: `{"providers": [...]}` once it knows what is installed, then `{"ready": true, "failed": {...}}` when
everything is imported and SOCKET listens. Each connection is one run: a child is forked at once, and when it has ended,
the exit frame is sent. A server that ends its side of the connection has the child and its descendants killed. The
process ends when its standard input closes; its children end with it.
"""

from __future__ import annotations

import contextlib
import ctypes
import importlib.util
import json
import os
import resource
import select
import signal
import socket
import sys
import warnings
from typing import Any

from .child import answer
from .frames import FrameKind, frame_header

__all__ = ["PROVIDERS", "main"]

PROVIDERS = ("numpy", "torch")
_PR_SET_PDEATHSIG = 1
_GONE = getattr(select, "POLLRDHUP", 0) | select.POLLHUP | select.POLLERR


def main() -> None:
    """Serve until standard input closes."""
    path, memory = sys.argv[2], int(sys.argv[3])
    _die_with_parent()
    warnings.simplefilter("ignore", DeprecationWarning)  # of forking beside threads: the libraries' own, which mind it
    installed = [name for name in PROVIDERS if importlib.util.find_spec(name)]
    _say({"providers": installed})
    failed: dict[str, str] = {}
    for name in installed:
        try:
            importlib.import_module(name)
        except Exception as error:  # whatever a broken library raises: it is then no provider
            failed[name] = f"{type(error).__name__}: {error}"
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(path)
    listener.listen(128)
    _say({"ready": True, "failed": failed})
    _Template(listener, memory).serve()


class _Template:
    def __init__(self, listener: socket.socket, memory: int) -> None:
        self._listener = listener
        self._memory = memory
        self._runs: dict[int, socket.socket] = {}
        """Connections by process id of their child."""
        self._farewells: dict[int, tuple[socket.socket, bytes]] = {}
        """Exit frames that wait for room in a connection, by its file number."""
        self._poll = select.poll()

    def serve(self) -> None:
        wake_out, wake_in = socket.socketpair()
        wake_in.setblocking(False)
        wake_out.setblocking(False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        signal.set_wakeup_fd(wake_in.fileno(), warn_on_full_buffer=False)
        for source in (self._listener.fileno(), wake_out.fileno(), 0):
            self._poll.register(source, select.POLLIN)
        while True:
            for number, events in self._poll.poll():
                if number == self._listener.fileno():
                    connection, _ = self._listener.accept()
                    self._fork(connection)
                    self._poll.register(connection, _GONE)
                elif number == wake_out.fileno():
                    wake_out.recv(4096)
                elif number == 0:
                    if not os.read(0, 4096):
                        self._end()
                        return
                elif number in self._farewells:
                    self._take_leave(*self._farewells.pop(number))
                elif events & _GONE:
                    self._poll.unregister(number)
                    self._kill(number)
            self._reap()

    def _fork(self, connection: socket.socket) -> None:
        template = os.getpid()
        child = os.fork()
        if child:
            self._runs[child] = connection
            return
        code = 1
        try:
            self._become_child(template)
            answer(connection)
            code = 0
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else int(end.code is not None)
        except (EOFError, BrokenPipeError, ConnectionResetError):
            code = 0
        finally:
            os._exit(code & 0xFF)

    def _become_child(self, template: int) -> None:
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        os.setsid()
        _die_with_parent()
        if os.getppid() != template:  # it has died before it could be asked for
            os._exit(1)
        self._listener.close()
        for other in (*self._runs.values(), *(connection for connection, _ in self._farewells.values())):
            other.close()
        nothing = os.open(os.devnull, os.O_RDWR)
        for number in (0, 1, 2):
            os.dup2(nothing, number)
        os.umask(0o077)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        if self._memory and sys.platform == "linux":
            allowed = _mapped_bytes() + self._memory
            resource.setrlimit(resource.RLIMIT_AS, (allowed, allowed))

    def _kill(self, number: int) -> None:
        for child, connection in self._runs.items():
            if connection.fileno() == number:
                _kill_session(child)

    def _reap(self) -> None:
        """Take leave of the children that have ended."""
        while ended := _next_ended():
            child, status = ended
            connection = self._runs.pop(child, None)
            if connection is not None:
                with contextlib.suppress(KeyError):
                    self._poll.unregister(connection)
                connection.setblocking(False)
                said = json.dumps({"code": os.waitstatus_to_exitcode(status)}).encode()
                self._take_leave(connection, frame_header(FrameKind.EXIT, len(said)) + said)

    def _take_leave(self, connection: socket.socket, frame: bytes) -> None:
        """Send what there is room for; the rest when there is more."""
        try:
            frame = frame[connection.send(frame) :]
        except BlockingIOError:
            pass
        except OSError:  # the server has gone
            frame = b""
        if frame:
            self._farewells[connection.fileno()] = (connection, frame)
            self._poll.register(connection, select.POLLOUT | _GONE)
            return
        with contextlib.suppress(KeyError):
            self._poll.unregister(connection)
        connection.close()

    def _end(self) -> None:
        for child in self._runs:
            _kill_session(child)


def _next_ended() -> tuple[int, int] | None:
    """A child that has ended and its status, after what it left behind has been killed; None when there is none."""
    try:
        if hasattr(os, "waitid"):  # its number is still its own while the rest of its session is killed
            ended = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
            if ended is None:
                return None
            _kill_session(ended.si_pid)
            return os.waitpid(ended.si_pid, 0)
        child, status = os.waitpid(-1, os.WNOHANG)
    except ChildProcessError:
        return None
    if not child:
        return None
    _kill_session(child)
    return child, status


def _kill_session(child: int) -> None:
    """Kill a child and what it started, as far as that stayed in its process group."""
    for kill in (os.killpg, os.kill):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            kill(child, signal.SIGKILL)
            if kill is os.killpg:
                return


def _die_with_parent() -> None:
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def _mapped_bytes() -> int:
    try:
        with open("/proc/self/statm", encoding="ascii") as file:
            return int(file.read().split()[0]) * resource.getpagesize()
    except OSError:
        return 0


def _say(message: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()
