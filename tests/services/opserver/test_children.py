"""The template process and its children: they end with the server, and a new template takes over from a dead one."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from xpudbg.services.opserver.children import ChildEndedError, Children, TemplateError
from xpudbg.services.opserver.frames import FrameKind
from xpudbg.services.opserver.run_request import RunRequest


@pytest.fixture
async def children(tmp_path: Path) -> AsyncIterator[Children]:
    made = Children(sys.executable, tmp_path, 0)
    await made.start()
    yield made
    await made.close()


async def answered(children: Children) -> dict[str, object]:
    request = RunRequest("t", "numpy", api="numpy.zeros", attrs={"shape": 2})
    job: dict[str, object] = {"request": request.to_json(), "folder": "/nowhere", "allow_code": False}
    job |= {"providers": ["numpy"], "total_bytes": 1000}
    async with children.child() as child:
        await child.send(FrameKind.REQUEST, json.dumps(job).encode())
        await child.send(FrameKind.END)
        kind, payload = await child.receive()
        assert kind is FrameKind.HEAD
        kind, _ = await child.receive()
        assert kind is FrameKind.BODY
    head: dict[str, object] = json.loads(payload)
    return head


async def test_each_run_has_a_child(children: Children) -> None:
    assert "numpy" in children.providers
    for _ in range(2):
        assert (await answered(children))["status"] == 200


async def test_a_template_that_dies_is_replaced(children: Children) -> None:
    first = children.template
    assert first is not None
    first.kill()
    await first.wait()
    assert (await answered(children))["status"] == 200
    assert children.template is not first


async def test_a_child_whose_template_dies_is_gone_too(children: Children) -> None:
    async with children.child() as child:
        assert children.template is not None
        children.template.kill()
        with pytest.raises(ChildEndedError, match="exited with code"):
            await child.receive()


async def test_a_cancelled_run_leaves_no_child(children: Children) -> None:
    entered = asyncio.Event()

    async def run() -> None:
        async with children.child():
            entered.set()
            await asyncio.Event().wait()

    task = asyncio.create_task(run())
    await entered.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert (await answered(children))["status"] == 200


async def test_after_the_end_there_is_none(tmp_path: Path) -> None:
    made = Children(sys.executable, tmp_path, 0)
    await made.start()
    await made.close()
    with pytest.raises(TemplateError, match="ends"):
        await answered(made)


async def test_an_interpreter_that_is_none(tmp_path: Path) -> None:
    for python, text in (("/bin/false", "ended with code 1"), (str(tmp_path / "none"), "can't be started")):
        with pytest.raises(TemplateError, match=text):
            await Children(python, tmp_path, 0).start()
