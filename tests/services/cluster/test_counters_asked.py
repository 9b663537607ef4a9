"""Wait counters are asked once a look, of ranks that have them, and never made a burden."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING

import pytest

from tests.fakes.raw_server import Serve, response
from tests.services.cluster.test_fanout import healthy, sweep
from xpudbg.services.cluster.worker import MOST_UNANSWERED
from xpudbg.services.counters.look import CounterAnalyst
from xpudbg.services.ranksets import RankSet
from xpudbg.services.snapshot import Outcome

if TYPE_CHECKING:
    from pathlib import Path

PATH = "/handler/wait_counter_values"
MIB = 1024 * 1024


def counting(counters: bytes | None, *, endless: bool = False) -> Serve:
    """A rank with wait counters.

    Args:
        counters: its answer, None when it never answers.
        endless: the answer never ends.
    """

    async def serve(path: str, writer: asyncio.StreamWriter) -> None:
        answers = {
            "/handler/ping": b"pong",
            "/handler/": b'["ping", "dump_traceback", "wait_counter_values"]',
            "/handler/dump_traceback": b"Thread 0x01 (most recent call first):\n",
        }
        if path == PATH and counters is None:
            await asyncio.Event().wait()
        if path == PATH and endless:
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 1073741824\r\n\r\n")
            while True:
                writer.write(b" " * MIB)
                await writer.drain()
        writer.write(response(counters or b"" if path == PATH else answers[path]))
        await writer.drain()

    return serve


async def test_ranks_that_have_them_are_asked_once_a_look_between_ping_and_traceback(tmp_path: Path) -> None:
    async with sweep([counting(b'{"a": {"active_count": 1}}'), healthy], tmp_path) as made:
        await made.look()
        assert made.outcomes("wait_counter_values") == {0: Outcome.OK}
        order = [reply.source for reply in made.replies if reply.rank == 0]
        assert order == ["ping", "handlers", "wait_counter_values", "dump_traceback"]
        await made.look()
        assert [server.requests[PATH] for server in made.servers] == [2, 0]


async def test_one_that_does_not_answer_keeps_its_one_request_and_gives_all_else(tmp_path: Path) -> None:
    async with sweep([counting(None)], tmp_path) as made:
        for _ in range(3):
            await made.look()
            assert made.outcomes("wait_counter_values") == {0: Outcome.TIMEOUT}
            assert made.outcomes("dump_traceback") == {0: Outcome.OK}
        assert made.servers[0].requests[PATH] == 1
        assert made.workers[0].stuck == ("wait_counter_values",)


@pytest.mark.parametrize(
    ("serve", "says"),
    [(counting(b"", endless=True), "gave up after"), (counting(b"\xff\x00["), "not JSON"), (counting(b""), "no data")],
    ids=["a gigabyte", "garbage", "nothing"],
)
async def test_an_answer_that_is_none_costs_that_rank_alone_its_counters(
    serve: Serve, says: str, tmp_path: Path
) -> None:
    async with sweep([serve, counting(b'{"a": {"active_count": 1}}')], tmp_path) as made:
        await made.look()
        replies = {(reply.rank, reply.source): reply for reply in made.replies}
    look = CounterAnalyst().analyse(1, 0, replies, RankSet([0, 1]), without=RankSet(), inside=RankSet())
    assert look.ranks == RankSet([1])
    assert says in look.missing[0]
    assert replies[0, "wait_counter_values"].body.size <= 5 * MIB


async def test_a_rank_that_answers_nothing_but_its_list_gets_one_request_of_each_kind(tmp_path: Path) -> None:
    kinds = ["fr_trace_json", "wait_counter_values", "torchcomms_health_check", "dump_traceback", "pyspy_dump"]

    async def serve(path: str, writer: asyncio.StreamWriter) -> None:
        answers = {"/handler/ping": b"pong", "/handler/": json.dumps(["ping", *kinds]).encode()}
        if path not in answers:
            await asyncio.Event().wait()
        writer.write(response(answers[path]))
        await writer.drain()

    async with sweep([serve], tmp_path) as made:
        for _ in range(3):
            await made.look(0.05)
            assert sorted(made.workers[0].stuck) == sorted(kinds)
        asked = {path.rpartition("/")[2].partition("?")[0]: n for path, n in made.servers[0].requests.items()}
        pings = asked.pop("ping")
        assert asked == dict.fromkeys(["", *kinds], 1)
        assert 3 <= pings <= 6  # once a look, once more where the traceback did not come
        assert len(kinds) < MOST_UNANSWERED
