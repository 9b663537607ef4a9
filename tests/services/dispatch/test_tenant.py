"""Tenants: their ids, heartbeats and end."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from tests.fakes.op_servers import HTML, op_server
from tests.services.dispatch.dispatching import Time, dispatcher
from tests.services.dispatch.test_spec_modules import tree
from tests.services.dispatch.test_sync import spec
from xpudbg.services.dispatch.client import Dispatcher
from xpudbg.services.dispatch.endpoint import OpEndpoint
from xpudbg.services.dispatch.errors import BadReplyError, CaseError, ConnectionFailedError
from xpudbg.services.dispatch.tenant import Tenants, check_tenant, new_tenant, read_heartbeat


@pytest.mark.parametrize("text", ["a", "A-z.0_9", "x" * 64, "..."])
def test_ids(text: str) -> None:
    assert check_tenant(text) == text


@pytest.mark.parametrize("text", ["", ".", "..", "a/b", "a b", "é", "x" * 65, "a\n"])
def test_ids_that_are_refused(text: str) -> None:
    with pytest.raises(CaseError, match="tenant"):
        check_tenant(text)


def test_new_ids_differ_and_are_good() -> None:
    assert check_tenant(new_tenant()) != new_tenant()


@pytest.mark.parametrize("body", [b"", b"[]", HTML, b'{"device_count": "two"}', b"[" * 9000])
def test_heartbeats_of_something_else(body: bytes) -> None:
    with pytest.raises(BadReplyError, match="no op server"):
        read_heartbeat("h:1", body)


def test_names_in_a_heartbeat_are_plain() -> None:
    said = read_heartbeat("h:1", b'{"hardware": "gpu\\u001b[2J", "providers": ["b", "a\\u202e"], "extra": 1}')
    assert (said.hardware, said.providers) == ("gpu\\x1b[2J", ("a\\u202e", "b"))


async def test_a_tenant_is_kept_alive_and_deleted(tmp_path: Path) -> None:
    tree(tmp_path, op="")
    beat = asyncio.Semaphore(0)

    async def sleep(_seconds: float) -> None:
        await beat.acquire()

    async with op_server() as server:
        async with dispatcher(Time(), heartbeat_sleep=sleep) as client:
            await client.run(spec(tmp_path / "op.py"), server.endpoint)
            (tenant,) = server.files
            for _ in range(2):
                beat.release()
            await _until(lambda: len(server.calls) == 4)
        assert server.calls == [
            "POST /v1/sync",
            "POST /v1/run",
            *[f"GET /v1/heartbeat?tenant_id={tenant}"] * 2,
            f"DELETE /v1/tenant/{tenant}",
        ]


async def test_a_server_that_is_gone_does_not_hold_up_the_end() -> None:
    async def beat(_endpoint: OpEndpoint, _tenant: str) -> None:
        raise ConnectionFailedError("gone")

    time = Time()
    tenants = Tenants(beat, beat, time.clock, time.never)
    tenants.use(OpEndpoint("h", 1), "t")
    await tenants.close()
    assert tenants.problems == {OpEndpoint("h", 1): "gone"}


async def test_a_dispatcher_refuses_a_bad_id() -> None:
    with pytest.raises(CaseError):
        Dispatcher(tenant="..")


async def _until(condition: object) -> None:
    while not condition():  # type: ignore[operator]
        await asyncio.sleep(0)
