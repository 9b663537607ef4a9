"""The endpoints over real HTTP, of a server that takes no code."""

from __future__ import annotations

import contextlib
import http.client
import json
import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from xpudbg.services.opserver.settings import ServerSettings

from .served import Answer, OpClient, answered, archive, op_server, schema

X = np.arange(6.0).reshape(2, 3)


@pytest.fixture(scope="module")
def client() -> Iterator[OpClient]:
    with op_server(ServerSettings(port=0, workers=2, stall_s=20.0)) as made:
        yield made


@pytest.fixture(scope="module")
def hasty() -> Iterator[OpClient]:
    with op_server(ServerSettings(port=0, stall_s=0.3)) as made:
        yield made


def head(length: int, **headers: str) -> bytes:
    made = {
        "Host": "here",
        "Content-Length": str(length),
        "X-Tenant-ID": "t",
        "X-API": "numpy.add",
        "X-Input-Count": "2",
        "X-Input-Schema": schema(X, X),
    } | {name.replace("_", "-"): value for name, value in headers.items()}
    return ("POST /v1/run HTTP/1.1\r\n" + "".join(f"{k}: {v}\r\n" for k, v in made.items()) + "\r\n").encode()


def raw(client: OpClient, data: bytes) -> socket.socket:
    connection = socket.create_connection((client.server.host, client.server.port), timeout=60)
    connection.sendall(data)
    return connection


def reply_on(connection: socket.socket) -> Answer:
    with contextlib.closing(http.client.HTTPResponse(connection)) as reply:
        reply.begin()
        return Answer(reply.status, reply.headers, reply.read())


def exchanged(client: OpClient, data: bytes) -> Answer:
    with raw(client, data) as connection:
        return reply_on(connection)


def test_heartbeat(client: OpClient) -> None:
    answer = client.ask("GET", "/v1/heartbeat?tenant_id=t")
    assert answer.status == 200
    assert answer.json == {
        "status": "ok",
        "device_count": 0,
        "hardware": "cpu",
        "providers": client.server.providers,
        "features": ["keepalive", "float8_inputs"],
    }
    assert "numpy" in client.server.providers
    assert client.ask("DELETE", "/v1/tenant/t").json == {"cleaned": True}
    assert client.ask("DELETE", "/v1/tenant/t").json == {"cleaned": False}


@pytest.mark.parametrize(
    ("method", "path", "status", "error"),
    [
        ("GET", "/v1/heartbeat?tenant_id=..", 400, "invalid tenant_id"),
        ("GET", "/v1/heartbeat?tenant_id=", 400, "invalid tenant_id"),
        ("GET", "/v1/heartbeatXYZ", 404, "not found"),
        ("GET", "/v1/run", 404, "not found"),
        ("POST", "/v1/heartbeat", 404, "not found"),
        ("POST", "/v1/cleanup", 404, "not found"),
        ("POST", "/v1/run", 400, "invalid or missing tenant_id"),
        ("POST", "/v1/sync", 400, "invalid or missing tenant_id"),
        ("DELETE", "/v1/tenant/..", 400, "invalid tenant_id"),
        ("DELETE", "/v1/tenant/%2e%2e", 400, "invalid tenant_id"),
        ("DELETE", "/v1/tenant/", 400, "invalid tenant_id"),
        ("DELETE", "/v1/tenant/a/b", 400, "invalid tenant_id"),
        ("DELETE", "/v1/other", 404, "not found"),
        ("PUT", "/v1/run", 501, "unsupported method PUT"),
        ("OPTIONS", "/v1/run", 501, "unsupported method OPTIONS"),
    ],
)
def test_every_error_is_json(client: OpClient, method: str, path: str, status: int, error: str) -> None:
    answer = client.ask(method, path)
    assert (answer.status, answer.json) == (status, {"error": error})
    assert answer.headers["Content-Type"].startswith("application/json")


def test_what_is_no_http_gets_json_too(client: OpClient) -> None:
    answer = exchanged(client, b"\x16\x03\x01 what\r\n\r\n")
    assert (answer.status, answer.json) == (400, {"error": "bad HTTP request"})


def test_header_lines_up_to_64_kib(client: OpClient) -> None:
    most = json.dumps({"dtype": "float64", "casting": "same_kind", "subok": True, "unused": "x" * 60_000})
    assert client.run(X, X, X_API="numpy.add", X_Attrs=most).status == 500
    answer = client.run(X, X, X_API="numpy.add", X_Attrs=json.dumps({"x": "y" * 66_000}))
    assert answer.status == 431
    assert "65536" in answer.error


def test_web_pages_are_refused(client: OpClient) -> None:
    answer = client.run(X, X, X_API="numpy.add", Origin="http://evil.example")
    assert (answer.status, answer.error) == (403, "requests of web pages are refused")


def test_code_is_refused(client: OpClient) -> None:
    assert client.sync(op="x = 1").status == 403
    answer = client.run(X, X_Execution_Type="spec", X_Spec_Module="op", X_Spec_Class="Op", X_Provider="numpy")
    assert answer.status == 403
    assert answer.json["missing"] is None
    assert client.run(X, X_API="os.system", X_Provider="numpy").status == 403


def test_a_run(client: OpClient) -> None:
    answer = client.run(X, X, X_API="numpy.add")
    np.testing.assert_array_equal(answer.outputs[0], X + X)
    said = {name: value for name, value in answer.headers.items() if name.startswith("X-")}
    assert said == {
        "X-Output-Count": "1",
        "X-Output-Shapes": "[[2, 3]]",
        "X-Output-Schema": '[{"index": 0, "dtype": "float64"}]',
        "X-API": "numpy.add",
    }
    assert answer.headers["Content-Type"] == "application/octet-stream"
    assert answer.headers["Content-Length"] == str(len(answer.body))


def test_only_perf_is_an_empty_body(client: OpClient) -> None:
    answer = client.run(X, X, X_API="numpy.add", X_Mode="2")
    assert (answer.status, answer.body, answer.headers["X-Output-Count"]) == (200, b"", "0")
    assert json.loads(answer.headers["X-Perf"]) == {"device_us": "NA", "peak_memory_mb": "NA"}


def test_no_outputs_are_an_empty_zip(client: OpClient) -> None:
    answer = client.run(X_API="numpy.broadcast_arrays", X_Provider="numpy")
    assert (answer.status, len(answer.body), answer.headers["X-Output-Count"]) == (200, 22, "0")
    assert answer.headers["X-Output-Schema"] == "[]"


def test_the_failure_of_an_operator(client: OpClient) -> None:
    answer = client.run(X, np.zeros(5), X_API="numpy.add")
    assert answer.status == 500
    assert answer.json == {
        "error": "ValueError: operands could not be broadcast together with shapes (2,3) (5,) ",
        "missing": None,
    }
    assert answer.headers["X-API"] == "numpy.add"
    assert any("Traceback" in lines for lines in client.log)


def test_a_connection_serves_one_run_after_the_other(client: OpClient) -> None:
    connection = client.connect()
    made = {"X-Tenant-ID": "t", "X-API": "numpy.exp", "X-Input-Count": "1", "X-Input-Schema": schema(X)}
    sockets = set()
    for _ in range(3):
        connection.request("POST", "/v1/run", archive(X), made)
        sockets.add(connection.sock)
        assert answered(connection).status == 200
    assert len(sockets) == 1
    connection.close()


def test_a_body_in_chunks_of_unknown_length(client: OpClient) -> None:
    connection = client.connect()
    made = {"X-Tenant-ID": "t", "X-API": "numpy.exp", "X-Input-Count": "1", "X-Input-Schema": schema(X)}
    connection.request("POST", "/v1/run", iter([archive(X)[:100], archive(X)[100:]]), made)
    np.testing.assert_array_equal(answered(connection).outputs[0], np.exp(X))
    connection.close()


def test_a_large_archive_both_ways(client: OpClient) -> None:
    large = np.random.default_rng(3).random(1_000_000)
    answer = client.run(large, X_API="numpy.negative")
    np.testing.assert_array_equal(answer.outputs[0], -large)


def test_a_client_that_waits_is_told_to_go_on_after_the_checks(client: OpClient) -> None:
    body = archive(X, X)
    refused = exchanged(client, head(len(body), Expect="100-continue", X_Input_Count="x"))
    assert refused.error == "Invalid X-Input-Count (not integer)"
    connection = raw(client, head(len(body), Expect="100-continue"))
    assert connection.recv(25) == b"HTTP/1.1 100 Continue\r\n\r\n"
    connection.sendall(body)
    assert reply_on(connection).status == 200
    connection.close()


@pytest.mark.parametrize(
    ("sent", "headers", "status", "error"),
    [
        (b"", {"X_Input_Schema": "["}, 400, "Invalid X-Input-Schema JSON"),
        (b"", {"Content_Encoding": "gzip"}, 415, "send the archive without Content-Encoding"),
        (b"", {"X_API": "numpy.load"}, 403, "api 'numpy.load' is not served"),
        (b"<html>" + bytes(1000), {}, 400, "the request's archive: is no npz archive"),
    ],
    ids=["header", "encoding", "api", "archive"],
)
def test_a_refusal_comes_before_the_body(
    client: OpClient, sent: bytes, headers: dict[str, str], status: int, error: str
) -> None:
    connection = raw(client, head(64 * 1024 * 1024, **headers) + sent)
    answer = reply_on(connection)
    assert answer.status == status
    assert answer.error.startswith(error)
    assert answer.headers["Connection"] == "close"
    connection.close()


def test_a_refusal_is_received_by_a_client_that_does_not_look_while_it_sends(client: OpClient) -> None:
    connection = raw(client, head(8 * 1024 * 1024, X_API="numpy.load"))
    connection.sendall(bytes(8 * 1024 * 1024))
    assert reply_on(connection).status == 403
    connection.close()


def test_a_body_that_stops_coming_is_given_up(hasty: OpClient) -> None:
    body = archive(X, X)
    answer = exchanged(hasty, head(len(body)) + body[:-1])
    assert (answer.status, answer.error) == (408, "no byte of the body came for 0.3s")


def test_a_tenant_exists_by_its_runs(client: OpClient) -> None:
    client.run(X, X, X_API="numpy.add", X_Tenant_ID="runs-only")
    assert client.ask("DELETE", "/v1/tenant/runs-only").json == {"cleaned": True}


def test_runs_side_by_side(client: OpClient) -> None:
    def one(number: int) -> bool:
        answer = client.run(np.full(1000, float(number)), X_API="numpy.sqrt")
        return bool((answer.outputs[0] == np.sqrt(number)).all())

    with ThreadPoolExecutor(2) as pool:
        assert all(pool.map(one, range(16)))
