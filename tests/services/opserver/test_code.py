"""Spec mode, and children that wait, crash, are cut off or leave something behind; with real processes."""

from __future__ import annotations

import contextlib
import json
import socket
from collections.abc import Iterator

import numpy as np
import pytest

from xpudbg.services.opserver.settings import ServerSettings

from .served import Answer, OpClient, op_server

X = np.arange(4.0)
WAITS = """
import os, socket

class Op:
    def __init__(self, port, fork=False):
        self.port, self.fork = port, fork

    def __call__(self, **_):
        test = socket.create_connection(("127.0.0.1", self.port))
        if self.fork:
            if os.fork():
                return []
            test.sendall(b"left behind")
        else:
            test.sendall(b"waiting")
        test.recv(1)
        return []
"""
"""Says to the test that it waits; the test sees its end as the end of that connection."""


@pytest.fixture(scope="module")
def client() -> Iterator[OpClient]:
    settings = ServerSettings(port=0, workers=1, allow_code=True, memory_bytes=512 * 1024**2, gate_wait_s=0.2)
    with op_server(settings) as made:
        yield made


@pytest.fixture
def listener() -> Iterator[socket.socket]:
    with socket.create_server(("127.0.0.1", 0)) as made:
        made.settimeout(60)
        yield made


def spec(client: OpClient, code: str, *arrays: np.ndarray, name: str = "Op", **headers: str) -> Answer:
    assert client.sync(op=code).status == 200
    return client.run(*arrays, **(asked_for("op", name) | headers))


def asked_for(module: str, name: str) -> dict[str, str]:
    return {"X_Execution_Type": "spec", "X_Provider": "numpy", "X_Spec_Module": module, "X_Spec_Class": name}


@contextlib.contextmanager
def waiting(
    client: OpClient, listener: socket.socket, **attrs: object
) -> Iterator[tuple[socket.socket, socket.socket]]:
    """A run that waits: the connection of its client, and the one by which the operator speaks to the test."""
    assert client.sync(op=WAITS).status == 200
    headers = {
        "X-Tenant-ID": "t",
        "X-Execution-Type": "spec",
        "X-Provider": "numpy",
        "X-Spec-Module": "op",
        "X-Spec-Class": "Op",
        "X-Attrs": json.dumps({"port": listener.getsockname()[1], **attrs}),
        "Content-Length": "0",
        "Host": "here",
    }
    lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    asking = socket.create_connection((client.server.host, client.server.port), timeout=60)
    asking.sendall(f"POST /v1/run HTTP/1.1\r\n{lines}\r\n".encode())
    operator, _ = listener.accept()
    operator.settimeout(60)
    with asking, operator:
        yield asking, operator


def ended(operator: socket.socket) -> bool:
    """Whether the operator's side of its connection comes to its end."""
    try:
        return operator.recv(1) == b""
    except ConnectionResetError:
        return True


def test_a_class_is_made_and_called_by_parameter_names(client: OpClient) -> None:
    code = """
class Op:
    class Numpy:
        def __init__(self, eps, device):
            self.eps, self.device = eps, device
        def __call__(self, x1, scale=2.0, **rest):
            assert self.device == "cpu" and list(rest) == ["eps", "other"]
            return [x1 * scale + self.eps]
    third_party = {"np": Numpy}
"""
    answer = spec(client, code, X, X_Attrs='{"eps": 1, "other": 5}')
    np.testing.assert_array_equal(answer.outputs[0], X * 2 + 1)
    assert answer.headers["X-API"] == "Op"
    assert spec(client, code, X, X_Provider="numpy").error.startswith("parameter 'eps' of Op.__init__ is not a known")


def test_an_edited_file_takes_effect_at_once(client: OpClient) -> None:
    for factor in (2, 3):
        answer = spec(client, f"def op(x1):\n    return x1 * {factor}\n", X, name="op")
        assert answer.outputs[0].tolist() == (X * factor).tolist()


def test_third_party_names_an_api(client: OpClient) -> None:
    answer = spec(client, "class Op:\n    third_party = 'numpy.exp'\n", X)
    np.testing.assert_array_equal(answer.outputs[0], np.exp(X))


@pytest.mark.parametrize(
    ("code", "status", "error"),
    [
        ("class Op:\n    third_party = {'torch': 'torch.exp'}\n", 400, "provider 'numpy' not in third_party"),
        ("class Op:\n    third_party = 5\n", 400, "third_party is neither"),
        ("class Other: pass\n", 500, "AttributeError: module 'op' has no attribute 'Op'"),
        ("class Op:\n    def __call__(self, zzz): pass\n", 400, "parameter 'zzz' of Op.__call__ is not a known input"),
        ("class Op(\n", 500, "SyntaxError"),
        ("import no_such_package\n", 424, "missing spec dependency: no_such_package"),
        ("from no.such import x\n", 424, "missing spec dependency: no"),
        ("from json import absent\n", 500, "ImportError: cannot import name 'absent' from 'json'"),
        ("class Op:\n    def __call__(self, x1):\n        import absent\n", 500, "ModuleNotFoundError: No module"),
        (
            "class Op:\n    def __call__(self, x1):\n        raise SystemExit(4)\n",
            500,
            "child process exited with code 4",
        ),
        ("import os\nos.kill(os.getpid(), 9)\n", 500, "child process exited with code -9"),
        ("def Op(x1):\n    bytearray(1 << 32)\n", 500, "MemoryError"),
        ("def Op(x1):\n    raise RuntimeError('x' * 1_000_000)\n", 500, "RuntimeError: xxx"),
        (
            "def Op(x1):\n    open(__file__ + '/nope')\n",
            500,
            "NotADirectoryError: [Errno 20] Not a directory: 'op.py/nope'",
        ),
    ],
)
def test_what_fails_is_told_apart(client: OpClient, code: str, status: int, error: str) -> None:
    answer = spec(client, code, X)
    assert (answer.status, answer.error[: len(error)]) == (status, error)
    assert str(client.server.folder) not in answer.error
    assert len(answer.body) < 10_000


def test_a_missing_module_is_named_until_it_is_there(client: OpClient) -> None:
    client.sync(**{"pk/__init__": "", "needs": "from pk.part import VALUE\ndef op(x1):\n    return x1 + VALUE\n"})
    asked = asked_for("needs", "op")
    assert client.run(X, **asked).json == {"error": "missing spec dependency: pk.part", "missing": "pk.part"}
    client.sync(**{"pk/part": "VALUE = 5\n"})
    assert client.run(X, **asked).outputs[0].tolist() == (X + 5).tolist()


def test_sync_answers_400_when_a_file_fails_and_writes_the_others(client: OpClient) -> None:
    files = {"../a.py": {"content": ""}, "fine.py": {"content": ""}}
    answer = client.ask("POST", "/v1/sync", json.dumps({"files": files}).encode(), X_Tenant_ID="t")
    errors = [{"path": "../a.py", "error": "path traversal rejected"}]
    assert (answer.status, answer.json) == (400, {"synced": 1, "skipped": 0, "errors": errors})
    for body in (b"", b"{", b"[" * 100_000):
        assert client.ask("POST", "/v1/sync", body, X_Tenant_ID="t").json == {"error": "Invalid JSON"}
    assert client.ask("POST", "/v1/sync", b'{"files": []}', X_Tenant_ID="t").error == "files is not an object"


def test_what_is_sent_goes_with_its_tenant(client: OpClient) -> None:
    client.sync(op="def Op(): return 1\n")
    assert client.ask("DELETE", "/v1/tenant/t").json == {"cleaned": True}
    asked = asked_for("op", "Op")
    assert client.run(**asked).json == {"error": "missing spec dependency: op", "missing": "op"}


def test_many_outputs_and_much_output_do_not_block(client: OpClient) -> None:
    code = "import sys\ndef Op(x1):\n    print('x' * 1_000_000)\n    return [x1] * 1000 + [[x1, x1]]\n"
    answer = spec(client, code, X)
    assert len(answer.outputs) == 1002
    assert json.loads(answer.headers["X-Output-Schema"])[-1] == {"indices": [1000, 1001], "dtype": "float64"}


def test_a_full_gate_says_busy_before_the_body_and_the_heartbeat_answers(
    client: OpClient, listener: socket.socket
) -> None:
    with waiting(client, listener) as (asking, operator):
        assert operator.recv(7) == b"waiting"
        answer = client.run(X, X_API="numpy.exp")
        assert (answer.status, answer.json) == (503, {"error": "server busy, retry"})
        assert (answer.headers["Connection"], answer.headers["Retry-After"]) == ("close", "1")
        assert client.ask("GET", "/v1/heartbeat").status == 200
        operator.sendall(b"x")
        assert asking.recv(12) == b"HTTP/1.1 200"
    assert client.run(X, X_API="numpy.exp").status == 200


def test_a_client_that_goes_away_takes_its_run_with_it(client: OpClient, listener: socket.socket) -> None:
    with waiting(client, listener) as (asking, operator):
        assert operator.recv(7) == b"waiting"
        asking.close()
        assert ended(operator)
    assert client.run(X, X_API="numpy.exp").status == 200


def test_what_a_run_leaves_behind_is_ended_with_it(client: OpClient, listener: socket.socket) -> None:
    with waiting(client, listener, fork=True) as (asking, operator):
        assert operator.recv(11, socket.MSG_WAITALL) in (b"left behind", b"")
        assert asking.recv(12) == b"HTTP/1.1 200"
        assert ended(operator)


def test_a_run_past_its_deadline_is_ended(listener: socket.socket) -> None:
    settings = ServerSettings(port=0, allow_code=True, deadline_s=0.3)
    with op_server(settings) as client, waiting(client, listener) as (asking, operator):
        assert operator.recv(7) == b"waiting"
        assert ended(operator)
        reply = b""
        while b"}" not in reply:
            reply += asking.recv(1000)
        assert reply.startswith(b"HTTP/1.1 500")
        assert reply.endswith(b'{"error": "request timed out after 0.3s"}')


def test_runs_and_files_end_with_the_server(listener: socket.socket) -> None:
    with contextlib.ExitStack() as stack:
        with op_server(ServerSettings(port=0, allow_code=True)) as client:
            _, operator = stack.enter_context(waiting(client, listener))
            assert operator.recv(7) == b"waiting"
            folder = client.server.folder
            assert folder.stat().st_mode & 0o777 == 0o700
        assert ended(operator)
        assert not folder.exists()
