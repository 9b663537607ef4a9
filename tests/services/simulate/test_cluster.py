"""The simulated cluster as a whole: what it registers, and its commands."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable

import pytest

from tests.services.simulate.test_worker_server import ask
from xpudbg.services.simulate.cluster import Cluster, CommandError, files_needed
from xpudbg.services.simulate.job import Activity
from xpudbg.services.simulate.scenarios import SCENARIOS, Behaviour
from xpudbg.services.simulate.store_keys import StoreKeys

Start = Callable[[str, int], Awaitable[Cluster]]


@pytest.fixture
async def start() -> AsyncIterator[Start]:
    clusters: list[Cluster] = []

    async def make(scenario: str, n_ranks: int) -> Cluster:
        cluster = Cluster(SCENARIOS[scenario], n_ranks)
        clusters.append(cluster)
        await cluster.start()
        return cluster

    yield make
    for cluster in clusters:
        await cluster.close()


def registered(cluster: Cluster) -> dict[int, str]:
    keys = cluster.store.keys
    assert isinstance(keys, StoreKeys)
    names = {rank: f"/debug_server/rank{rank}".encode() for rank in range(len(cluster.workers))}
    return {rank: keys[name].decode() for rank, name in names.items() if name in keys}


@pytest.mark.parametrize("name", SCENARIOS)
@pytest.mark.parametrize("n_ranks", [1, 2, 20])
async def test_every_scenario_serves_any_number_of_ranks(start: Start, name: str, n_ranks: int) -> None:
    cluster = await start(name, n_ranks)
    behaviours = SCENARIOS[name].behaviours(n_ranks)
    urls = registered(cluster)
    for rank, behaviour in enumerate(behaviours):
        if behaviour is Behaviour.NOT_REGISTERED:
            assert rank not in urls
        elif behaviour is Behaviour.NAME_UNKNOWN:
            assert urls[rank] == f"http://node-{rank // 8:03d}.invalid:{cluster.workers[rank].port}"
        else:
            assert urls[rank].endswith(f":{cluster.workers[rank].port}")
    assert len(set(urls.values())) == len(urls)


async def test_the_rank_behind_a_port_is_the_registered_one(start: Start) -> None:
    cluster = await start("healthy", 20)
    assert "Process 20017:" in (await ask(cluster.workers[17], "/handler/pyspy_dump")).body


async def test_release_lets_the_rank_answer_and_the_job_move(start: Start) -> None:
    cluster = await start("gil-held", 4)
    waiting = cluster.job.position(0)
    assert waiting.activity is Activity.WAITING
    assert cluster.command('{"release": [2]}') == {"released": [2]}
    assert cluster.job.position(0).completed >= waiting.enqueued
    assert "most recent call first" in (await ask(cluster.workers[2], "/handler/dump_traceback")).body


async def test_stop_holds_the_job_up(start: Start) -> None:
    cluster = await start("healthy", 4)
    assert cluster.command('{"stop": [1, 3]}') == {"stopped": [1, 3]}
    assert [cluster.job.position(rank).activity is Activity.WAITING for rank in range(4)] == [True, False, True, False]


async def test_counts_tell_requests_by_rank_and_handler(start: Start) -> None:
    cluster = await start("healthy", 4)
    await ask(cluster.workers[3], "/handler/ping")
    assert cluster.command('{"counts": true}') == {
        "counts": {3: {"ping": {"outstanding": 0, "maximum": 1, "total": 1}}},
        "queued": {},
    }


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("", "one line of JSON"),
        ("[]", "the commands are"),
        ('{"counts": false}', "the commands are"),
        ('{"release": 3}', "the commands are"),
        ('{"release": [4]}', "there is no rank 4"),
        ('{"release": ["0"]}', "there is no rank '0'"),
        ('{"stop": [true]}', "there is no rank True"),
        ('{"stop": [0, 2]}', "rank 2 is dead"),
    ],
)
async def test_a_command_that_makes_no_sense_changes_nothing(start: Start, line: str, message: str) -> None:
    cluster = await start("dead", 4)
    with pytest.raises(CommandError, match=message):
        cluster.command(line)
    assert (await ask(cluster.workers[0], "/handler/ping")).body == "pong"


def test_files_needed_count_the_connections_that_fill_queues() -> None:
    assert files_needed(SCENARIOS["healthy"], 64) == 64
    assert files_needed(SCENARIOS["unreachable"], 64) == 72
