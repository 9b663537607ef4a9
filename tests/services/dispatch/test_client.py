"""Runs against servers that behave in every way: results, budgets, waits, deadline, cancelling."""

from __future__ import annotations

import json
import zlib

import httpx
import ml_dtypes
import numpy as np
import pytest

from tests.fakes.op_servers import (
    Call,
    adds,
    busy,
    busy_for,
    busy_then_reset,
    closes,
    echoes,
    npz,
    op_server,
    sums_up,
)
from tests.fakes.raw_server import refused_port
from tests.services.dispatch.dispatching import ADD, ONES, Time, big, dispatcher, kinds
from xpudbg.services.dispatch.case import Mode, OpCase, Slot
from xpudbg.services.dispatch.endpoint import DispatchSettings, OpEndpoint
from xpudbg.services.dispatch.errors import (
    CaseError,
    ConnectionFailedError,
    ServerBusyError,
)
from xpudbg.services.dispatch.headers import wire_inputs
from xpudbg.services.dispatch.progress import Busy, Progress, Reconnecting, Uploading
from xpudbg.services.dispatch.replies import Output, Perf
from xpudbg.services.dispatch.run_loop import OpRun


def first(run: OpRun) -> np.ndarray:
    output = run.outputs[0]
    assert isinstance(output, Output)
    return output.array


@pytest.mark.parametrize("newer", [True, False], ids=["newer", "older"])
async def test_a_run_of_both_forms_of_servers(newer: bool) -> None:
    told: list[Progress] = []
    async with op_server(newer=newer) as server, dispatcher(Time()) as client:
        run = await client.run(ADD, server.endpoint, told.append)
        again = await client.run(ADD, server.endpoint)
    assert first(run).tolist() == first(again).tolist() == [2, 2, 2]
    assert (run.api, run.busy, run.reconnected, run.synced, run.notes) == ("torch.add", 0, 0, 0, ())
    assert kinds(told) == ["Connecting", "Uploading", "Running", "Downloading"]
    assert server.connections == (1 if newer else 2)
    head = server.runs[0].headers
    assert (head["x-tenant-id"], head["x-mode"], head["x-input-count"]) == (client.tenant, "1", "2")
    assert int(head["content-length"]) == run.uploaded
    assert "transfer-encoding" not in head
    assert server.calls == ["POST /v1/run"] * 2, "nothing is asked that the run does not need"


async def test_data_and_perf() -> None:
    async def measured(call: Call) -> None:
        (x, _y) = await call.arrays()
        await call.outputs(x, headers={"X-Perf": '{"device_us": 12.5, "peak_memory_mb": 1.5}'})

    case = OpCase(api="torch.add", inputs=ADD.inputs, mode=Mode.DATA | Mode.PERF, runtime=7)
    async with op_server(measured) as server, dispatcher(Time()) as client:
        run = await client.run(case, server.endpoint)
    assert run.perf == Perf(12.5, 1.5)
    assert (server.runs[0].headers["x-mode"], server.runs[0].headers["x-runtime"]) == ("3", "7")


async def test_503_twice_then_200_is_retried_with_backoff() -> None:
    time = Time()
    told: list[Progress] = []
    async with op_server(busy, busy, adds) as server, dispatcher(time) as client:
        run = await client.run(ADD, server.endpoint, told.append)
    assert first(run).tolist() == [2, 2, 2]
    assert run.busy == 2
    assert time.waits == [0.5, 1.0]
    assert [one for one in told if isinstance(one, Busy)] == [Busy(1, 10, 0.5), Busy(2, 10, 1.0)]
    assert server.connections == 3, "a connection on which 503 came is never used again"


async def test_503_for_ever_is_given_up_as_busy() -> None:
    time = Time()
    async with op_server(busy_for("86400")) as server, dispatcher(time) as client:
        with pytest.raises(ServerBusyError, match="still busy after 11 attempts"):
            await client.run(ADD, server.endpoint)
    assert time.waits == [10.0] * 10, "Retry-After counts up to the longest wait"


async def test_busy_until_the_deadline_is_busy_not_late() -> None:
    time = Time()
    settings = DispatchSettings(deadline_s=3)
    async with op_server(busy) as server, dispatcher(time, settings=settings) as client:
        with pytest.raises(ServerBusyError, match=r"still busy after 3 attempts in 1\.5 s"):
            await client.run(ADD, server.endpoint)
    assert sum(time.waits) < 3


async def test_busy_under_a_large_upload_is_busy_not_a_lost_connection() -> None:
    told: list[Progress] = []
    async with op_server(busy_then_reset, busy, sums_up) as server, dispatcher(Time()) as client:
        case = big(64)
        run = await client.run(case, server.endpoint, told.append)
    assert (run.busy, run.reconnected) == (2, 0)
    archive = wire_inputs(case).archive
    assert archive is not None
    assert first(run).tolist() == [run.uploaded, zlib.crc32(b"".join(archive))]
    sent = [one.sent for one in told if isinstance(one, Uploading)]
    assert sent[-1] == run.uploaded > 64 << 20


async def test_backoff_has_jitter_and_a_maximum() -> None:
    time = Time()
    shares: list[tuple[float, float]] = []

    def jitter(low: float, high: float) -> float:
        shares.append((low, high))
        return high

    async with op_server(busy) as server, dispatcher(time, jitter=jitter) as client:
        with pytest.raises(ServerBusyError):
            await client.run(ADD, server.endpoint)
    assert set(shares) == {(-0.25, 0.25)}
    assert time.waits == [1.25 * wait for wait in (0.5, 1, 2, 4, 8, 10, 10, 10, 10, 10)]


async def test_a_connection_lost_on_the_way_has_its_own_budget() -> None:
    time = Time()
    told: list[Progress] = []
    async with op_server(closes, busy, closes, adds) as server, dispatcher(time) as client:
        run = await client.run(ADD, server.endpoint, told.append)
        assert (run.busy, run.reconnected) == (1, 2)
        assert time.waits == [0.5, 0.5, 1.0]
        server.answers = [closes]
        with pytest.raises(ConnectionFailedError, match=r"broke: closed the connection without an answer \(6 attempts"):
            await client.run(ADD, server.endpoint)
    (lost, *_) = [one for one in told if isinstance(one, Reconnecting)]
    assert (lost.failed, lost.allowed, lost.wait_s) == (1, 5, 0.5)


async def test_nothing_listens() -> None:
    held = refused_port()
    async with dispatcher(Time()) as client:
        with pytest.raises(ConnectionFailedError, match=r"no connection: .*refused.* \(6 attempts") as failed:
            await client.run(ADD, OpEndpoint("127.0.0.1", held.getsockname()[1]))
    held.close()
    assert "running" in failed.value.hint


async def test_an_unknown_name_is_not_tried_again() -> None:
    time = Time()
    async with dispatcher(time) as client:
        with pytest.raises(ConnectionFailedError, match="does not resolve"):
            await client.run(ADD, OpEndpoint("no-such-host.invalid", 1))
    assert time.waits == []


async def test_a_kept_connection_that_was_dropped_costs_no_budget() -> None:
    async def drops_on_reuse(call: Call) -> None:
        if call.number:
            call.keep = False  # the request was read, and not a byte came back
        else:
            await adds(call)

    time = Time()
    async with op_server(drops_on_reuse) as server, dispatcher(time) as client:
        for _ in range(3):
            run = await client.run(ADD, server.endpoint)
            assert (run.busy, run.reconnected) == (0, 0)
        assert server.connections == 3
    assert time.waits == []


async def test_an_old_idle_connection_is_not_used() -> None:
    time = Time()
    async with op_server() as server, dispatcher(time) as client:
        await client.run(ADD, server.endpoint)
        time.now += 26
        await client.run(ADD, server.endpoint)
    assert server.connections == 2


async def test_a_connection_the_server_closed_is_not_used() -> None:
    async with op_server() as server, dispatcher(Time()) as client:
        await client.run(ADD, server.endpoint)
        server.runs[0].writer.close()
        await server.until(lambda: server.open == 0 or server.runs[0].writer.is_closing())
        await client.run(ADD, server.endpoint)
    assert [call.number for call in server.runs] == [0, 0]


async def test_cases_that_can_not_be_sent_send_nothing() -> None:
    async with op_server() as server, dispatcher(Time()) as client:
        for case in (
            OpCase(api="add"),
            OpCase(api="torch.add", inputs=(Slot("x", np.array([None])),)),
            OpCase(api="torch.add", attrs={"a": "z" * 70_000}),
        ):
            with pytest.raises(CaseError):
                await client.run(case, server.endpoint)
    assert server.connections == 0


async def test_what_a_server_does_not_announce_is_not_sent_to_it() -> None:
    float8 = OpCase(api="torch.add", inputs=(Slot("x", np.zeros(2, ml_dtypes.float8_e5m2)),))
    async with op_server(echoes) as server, dispatcher(Time()) as client:
        with pytest.raises(CaseError, match="does not announce float8_inputs"):
            await client.run(float8, server.endpoint)
        assert server.calls == ["GET /v1/heartbeat"]
        server.features.append("float8_inputs")
    async with op_server(echoes, features=["float8_inputs"]) as server, dispatcher(Time()) as client:
        for _ in range(2):
            assert (await client.run(float8, server.endpoint)).notes == ()
        assert server.calls.count("GET /v1/heartbeat") == 1, "what was announced is kept for a while"


async def test_a_server_that_is_not_there_yet_is_asked_again_what_it_is() -> None:
    answers = 0

    def answer(request: httpx.Request) -> httpx.Response:
        nonlocal answers
        answers += 1
        if answers == 1:
            raise httpx.ConnectError("connection refused", request=request)
        if request.method == "GET":
            return httpx.Response(200, json={"status": "ok", "features": ["keepalive"]})
        schema = json.dumps([{"index": 0, "dtype": "float32"}])
        return httpx.Response(200, headers={"X-Output-Count": "1", "X-Output-Schema": schema}, content=npz(ONES))

    case = OpCase(api="torch.add", inputs=(Slot("x", ONES, "ND"),))
    async with dispatcher(Time(), transport=httpx.MockTransport(answer)) as client:
        run = await client.run(case, OpEndpoint("nowhere", 1))
    assert (run.reconnected, run.notes) == (1, ())


async def test_an_older_server_ignores_and_that_is_said() -> None:
    case = OpCase(api="torch.add", inputs=(Slot("x", ONES, "ND"),), param_order=("x",))
    async with op_server(echoes, newer=False) as server, dispatcher(Time()) as client:
        run = await client.run(case, server.endpoint)
    assert run.notes == ("this is an older server: it ignores formats, the parameter order",)


async def test_a_mock_transport_takes_the_place_of_connections() -> None:
    def answer(request: httpx.Request) -> httpx.Response:
        schema = json.dumps([{"index": 0, "dtype": "float32"}])
        return httpx.Response(200, headers={"X-Output-Count": "1", "X-Output-Schema": schema}, content=npz(ONES))

    async with dispatcher(Time(), transport=httpx.MockTransport(answer)) as client:
        run = await client.run(ADD, OpEndpoint("nowhere", 1))
    assert first(run).tolist() == [1, 1, 1]


async def test_heartbeats() -> None:
    async with op_server() as server, dispatcher(Time()) as client:
        said = await client.probe(server.endpoint)
        assert (said.device_count, said.hardware, said.providers) == (0, "cpu", ("torch",))
        assert said.features == {"zero_upload", "keepalive"}
    async with op_server(newer=False) as server, dispatcher(Time()) as client:
        assert (await client.probe(server.endpoint)).features == frozenset()
