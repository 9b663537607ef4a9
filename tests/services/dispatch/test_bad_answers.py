"""Answers of servers that are no result, or break off."""

from __future__ import annotations

import numpy as np
import pytest

from tests.fakes.op_servers import (
    HTML,
    Answer,
    Call,
    adds,
    fails,
    npz,
    op_server,
    says,
)
from tests.services.dispatch.dispatching import ADD, ONES, Time, dispatcher
from tests.services.dispatch.test_client import first
from xpudbg.services.dispatch.errors import (
    BadReplyError,
    ConnectionFailedError,
    DependencyMissingError,
    OpFailedError,
    RequestRefusedError,
)


@pytest.mark.parametrize(
    ("answer", "error", "says_"),
    [
        (fails("500 Internal Server Error", {"error": "RuntimeError: bad", "missing": None}), OpFailedError, "bad"),
        (fails("400 Bad Request", {"error": "cannot resolve api"}), RequestRefusedError, "cannot resolve api"),
        (fails("431 Request Header Fields Too Large", HTML), RequestRefusedError, "a page titled 'Error response'"),
        (fails("501 Unsupported", HTML), RequestRefusedError, "a page titled"),
        (fails("500 Oops", b"\xff\xfe\x1b[2J" * 200_000), OpFailedError, "more"),
        (fails("200 OK", HTML, {"Content-Type": "text/html"}), BadReplyError, "this is no op server"),
        (fails("302 Found", b"", {"Location": "https://login.example"}), BadReplyError, "login.example; not followed"),
        (fails("424 Failed Dependency", {"error": "x", "missing": "scipy"}), DependencyMissingError, "import scipy"),
        (says(b"SSH-2.0-OpenSSH_9.6\r\n"), BadReplyError, "not HTTP"),
        (says(b"\x00" * 2_000_000), BadReplyError, "not HTTP"),
        (says(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello"), BadReplyError, "not HTTP"),
    ],
    ids=["op", "refused", "431", "501", "bytes", "login", "302", "424", "ssh", "zeros", "lengths"],
)
async def test_answers_that_are_no_result_are_not_tried_again(
    answer: Answer, error: type[Exception], says_: str
) -> None:
    async with op_server(answer) as server, dispatcher(Time()) as client:
        with pytest.raises(error, match=says_) as failed:
            await client.run(ADD, server.endpoint)
    assert type(failed.value) is error
    assert str(failed.value).startswith(f"127.0.0.1:{server.port}: ")
    assert str(failed.value).count(str(server.port)) == 1
    assert len(server.runs) == 1


async def test_a_short_body_is_an_error_and_tried_again() -> None:
    async def lies(call: Call) -> None:
        await call.body()
        described = {"X-Output-Count": "1", "X-Output-Schema": '[{"index":0,"dtype":"float32"}]'}
        await call.reply("200 OK", npz(ONES)[:14], described, length=10_000)
        call.keep = False

    async with op_server(lies, adds) as server, dispatcher(Time()) as client:
        run = await client.run(ADD, server.endpoint)
        assert run.reconnected == 1
        server.answers = [lies]
        with pytest.raises(ConnectionFailedError, match="after 14 of 10,000 bytes"):
            await client.run(ADD, server.endpoint)


async def test_a_body_longer_than_announced_does_not_poison_the_next_answer() -> None:
    async def goes_on(call: Call) -> None:
        body = npz(np.asarray(sum(await call.arrays())))
        described = {"X-Output-Count": "1", "X-Output-Schema": '[{"index":0,"dtype":"float32"}]'}
        await call.reply("200 OK", body + b"HTTP/1.1 200 OK", described, length=len(body))

    async with op_server(goes_on) as server, dispatcher(Time()) as client:
        for _ in range(2):
            assert first(await client.run(ADD, server.endpoint)).tolist() == [2, 2, 2]
    assert server.connections == 2


async def test_a_truncated_archive_is_a_bad_reply() -> None:
    async def cut(call: Call) -> None:
        described = {"X-Output-Count": "1", "X-Output-Schema": '[{"index":0,"dtype":"float32"}]'}
        await call.body()
        await call.reply("200 OK", npz(ONES)[:100], described)

    async with op_server(cut) as server, dispatcher(Time()) as client:
        with pytest.raises(BadReplyError, match="outputs can't be read"):
            await client.run(ADD, server.endpoint)
    assert len(server.runs) == 1
