from __future__ import annotations

import json
from collections.abc import Mapping

import pytest

from tests.fakes.store_server import FakeStore, running_store
from xpudbg.services.addressing.addresses import AddressMap
from xpudbg.services.cluster.registry import Registry, read_registry
from xpudbg.services.cluster.store import MAX_KEYS, StoreClient, StoreError, StoreFault
from xpudbg.services.cluster.store_keys import MAX_WORLD
from xpudbg.services.ranksets import RankSet
from xpudbg.services.snapshot import RankAddress
from xpudbg.services.targets import TargetError

PATIENT_S = 20.0


def registered(*ranks: int) -> dict[bytes, bytes]:
    return {b"debug_server/rank%d" % rank: b"http://node-%d:4%03d" % (rank // 8, rank) for rank in ranks}


async def read(
    store: FakeStore | Mapping[bytes, bytes],
    world_size: int | None = None,
    ranks: str | None = None,
    rules: tuple[str, ...] = (),
) -> Registry:
    if not isinstance(store, FakeStore):
        async with running_store(store) as running:
            return await read(running, world_size, ranks, rules)
    async with StoreClient("127.0.0.1", store.port, timeout_s=PATIENT_S) as client:
        return await read_registry(
            client,
            world_size=world_size,
            ranks=None if ranks is None else RankSet.parse(ranks),
            address_map=AddressMap.parse(rules),
        )


def missing(registry: Registry) -> RankSet:
    return RankSet(address.rank for address in registry.addresses if not address.url and not address.error)


class TestWorldSize:
    async def test_all_ranks_registered(self) -> None:
        registry = await read(registered(0, 1, 2, 3))
        assert registry.world_size == 4
        assert registry.addresses[3] == RankAddress(3, "http://node-0:4003", "http://node-0:4003", "node-0")
        assert registry.notes == ()

    async def test_gaps_are_ranks_that_have_not_registered(self) -> None:
        registry = await read(registered(0, 5))
        assert registry.world_size == 6
        assert missing(registry) == RankSet.parse("1-4")
        assert registry.addresses[1] == RankAddress(1, "", "", "")

    async def test_as_the_person_says(self) -> None:
        registry = await read(registered(0, 1), world_size=8)
        assert registry.world_size == 8
        assert missing(registry) == RankSet.parse("2-7")

    async def test_a_rank_beyond_what_the_person_says_is_kept_and_said(self) -> None:
        registry = await read(registered(0, 9), world_size=2)
        assert registry.world_size == 10
        assert "--world-size says 2 ranks, but 9 have registered too" in registry.notes[0]

    @pytest.mark.parametrize(
        "launcher",
        [
            {
                b"none/torchelastic/assigned_ranks/0": b"[0, 4, 0, 4]",
                b"none/torchelastic/assigned_ranks/1": b"[2, 4, 2, 4]",
            },
            {
                b"j/torchelastic/role_info/%d" % node: json.dumps(
                    {"role": "default", "rank": node, "local_world_size": 2}
                ).encode()
                for node in (0, 1)
            },
            {b"default_pg/0//cpu//0/3": b"\x02\0"},
        ],
    )
    async def test_from_the_jobs_own_keys(self, launcher: dict[bytes, bytes]) -> None:
        registry = await read(registered(0) | launcher)
        assert registry.world_size == 4
        assert missing(registry) == RankSet.parse("1-3")

    async def test_a_job_that_came_back_smaller(self) -> None:
        launcher = {
            b"r.0/torchelastic/assigned_ranks/0": b"[0, 4, 0, 4]",
            b"r.1/torchelastic/assigned_ranks/0": b"[0, 2, 0, 2]",
        }
        registry = await read(registered(0, 1, 2, 3) | launcher)
        assert registry.world_size == 4
        assert registry.notes == (
            "the launcher says 2 ranks, but 2-3 have registered too: perhaps in an earlier attempt",
        )

    @pytest.mark.parametrize("value", [b"", b"nonsense", b"[]", b"\xff", b'{"a": 1}', b"[0, -5]", b"[0, 99999999999]"])
    async def test_launcher_keys_that_can_not_be_read(self, value: bytes) -> None:
        registry = await read(registered(0, 1) | {b"none/torchelastic/assigned_ranks/0": value})
        assert registry.world_size == 2
        assert all("launcher" in note for note in registry.notes)

    async def test_what_the_launcher_wrote_is_nested_too_deep(self) -> None:
        value = b'{"x": ' + b"[" * 2_000 + b"]" * 2_000 + b"}"
        registry = await read(registered(0, 1) | {b"none/torchelastic/role_info/0": value})
        assert registry.world_size == 2
        assert any("can't be read" in note for note in registry.notes)

    async def test_nobody_has_registered_but_the_size_is_known(self) -> None:
        registry = await read({b"none/torchelastic/assigned_ranks/0": b"[0, 4, 0, 4]"})
        assert missing(registry) == RankSet.parse("0-3")
        assert "start_debug_server()" in registry.notes[0]
        assert missing(await read({}, world_size=2)) == RankSet.parse("0-1")

    async def test_nothing_is_known_at_all(self) -> None:
        with pytest.raises(TargetError, match="no rank has registered") as caught:
            await read({b"other": b"1"})
        assert "start_debug_server()" in caught.value.hint

    async def test_the_launchers_rendezvous_store_points_to_the_jobs(self) -> None:
        values = {
            b"torch.rendezvous.j.0/MASTER_ADDR": b"node-0",
            b"torch.rendezvous.j.0/MASTER_PORT": b"34113",
            b"torch.rendezvous.j.0/torchelastic/assigned_ranks/0": b"[0, 4, 0, 4]",
        }
        with pytest.raises(
            TargetError, match="launcher's rendezvous store; the job's own is at node-0:34113"
        ) as caught:
            await read(values)
        assert caught.value.hint == "xpudbg node-0:34113"


class TestRanksAsked:
    async def test_only_the_wanted_ones_are_read(self) -> None:
        registry = await read(registered(*range(8)), ranks="2,5-6")
        assert [address.rank for address in registry.addresses] == [2, 5, 6]
        assert registry.world_size == 8

    async def test_ranks_beyond_the_job(self) -> None:
        registry = await read(registered(0, 1), ranks="1-5")
        assert [address.rank for address in registry.addresses] == [1]
        assert "--ranks 2-5" in registry.notes[0]
        with pytest.raises(TargetError, match="--ranks 7-9"):
            await read(registered(0, 1), ranks="7-9")


class TestOneServerOneBudget:
    async def test_of_ranks_at_one_address_only_the_lowest_is_asked(self) -> None:
        url = b"http://node-1:41234"
        registry = await read(registered(0) | {b"debug_server/rank1": url, b"debug_server/rank2": url})
        assert [bool(address.url) for address in registry.addresses] == [True, True, False]
        assert registry.addresses[2].shares == 1
        assert registry.addresses[2].registered == url.decode()


class TestBelievedRanks:
    async def test_one_key_does_not_make_a_job_of_a_hundred_thousand_ranks(self) -> None:
        registry = await read(registered(0, 1) | {b"debug_server/rank100000": b"http://node-1:1"})
        assert registry.world_size == 2
        assert any("100,000 is left out" in note for note in registry.notes)

    async def test_a_large_job_of_which_many_have_registered_is_believed(self) -> None:
        registry = await read(registered(*range(0, 8192, 16)))
        assert registry.world_size == 8177


class TestAddresses:
    @pytest.mark.parametrize(
        ("value", "says"),
        [
            (b"", "empty"),
            (b"\xff\xfe\0", "3 bytes that are no text"),
            (b"node-1:5", "not a URL"),
            (b"http://node-1:0", "port 0"),
            (b"http://\x1b[2J:5", "no address"),
            (b"x" * 5_000, "5,000 bytes, which is no address"),
            (b"x" * 60_000_000, "60,000,000 bytes, which is no address"),
        ],
        ids=["empty", "binary", "no url", "port 0", "escape", "long", "huge"],
    )
    async def test_what_is_no_address_is_said_of_that_rank(self, value: bytes, says: str) -> None:
        registry = await read(registered(0, 2) | {b"debug_server/rank1": value})
        bad = registry.addresses[1]
        assert says in bad.error
        assert "\x1b" not in bad.error
        assert (bad.url, bad.host) == ("", "")
        assert registry.addresses[2].url
        assert "rank 1 has registered is no address" in registry.notes[0]

    async def test_a_password_is_for_the_request_only(self) -> None:
        registry = await read({b"debug_server/rank0": b"http://u:secret@h:5"})
        assert registry.addresses == (RankAddress(0, "http://h:5", "http://u:secret@h:5", "h"),)

    async def test_map(self) -> None:
        registry = await read(registered(0, 8), rules=("node-1=10.0.0.1",))
        assert registry.addresses[8] == RankAddress(8, "http://node-1:4008", "http://10.0.0.1:4008", "node-1")
        assert registry.addresses[0].url == "http://node-0:4000"

    async def test_a_map_that_makes_no_host(self) -> None:
        registry = await read({b"debug_server/rank0": b"http://300.local:5"}, rules=("*.local=10.0.0.*",))
        assert registry.addresses[0].url == ""
        assert "10.0.0.300" in registry.addresses[0].error
        assert registry.addresses[0].host == "300.local"

    async def test_two_ranks_at_one_address(self) -> None:
        registry = await read({b"debug_server/rank%d" % rank: b"http://h:5" for rank in range(3)})
        assert "ranks 0-2 have registered the same address http://h:5" in registry.notes[0]
        registry = await read(registered(0, 8), rules=("*=127.0.0.1:9",))
        assert "ranks 0,8 are sent to one address by --map" in registry.notes[0]

    async def test_many_shared_addresses_are_counted(self) -> None:
        values = {b"debug_server/rank%d" % rank: b"http://h:%d" % (1 + rank // 2) for rank in range(20)}
        assert (await read(values)).notes[-1] == "5 more addresses are shared by several ranks"

    async def test_a_key_that_goes_away_is_a_rank_that_is_not_registered(self) -> None:
        async with running_store(registered(0, 1, 2)) as store:
            store.on_missing, store.vanishing = "empty", {b"debug_server/rank1"}
            assert missing(await read(store)) == RankSet.parse("1")


class TestOldStore:
    async def test_ranks_are_looked_for_one_by_one(self) -> None:
        async with running_store(registered(*range(1_300))) as store:
            store.lists_keys = False
            registry = await read(store)
            assert registry.world_size == 1_300
            assert missing(registry) == RankSet()
            assert "can't list its keys" in registry.notes[0]
            assert "--world-size" in registry.notes[1]

    async def test_past_a_gap_when_the_size_is_known(self) -> None:
        async with running_store(registered(0, 3_000)) as store:
            store.lists_keys = False
            assert (await read(store)).world_size == 1
            assert (await read(store, world_size=3_001)).world_size == 3_001
            store.values[b"none/torchelastic/assigned_ranks/0"] = b"[0, 3001, 0, 3001]"
            registry = await read(store)
            assert registry.addresses[3_000].url == "http://node-375:43000"


class TestHostile:
    async def test_ranks_too_high_to_be_true(self) -> None:
        registry = await read(registered(0) | {b"debug_server/rank99999999999": b"http://h:5"})
        assert registry.world_size == 1
        assert "99999999999" in registry.notes[0]

    async def test_more_keys_than_are_listed(self) -> None:
        async with running_store(registered(0, 1)) as store:
            store.count = 10_000_000
            registry = await read(store)
            assert registry.world_size == 2
            assert "10,000,000 keys, too many to list" in registry.notes[0]
            assert 17 not in store.queries

    async def test_a_store_that_lies_about_its_count(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("xpudbg.services.cluster.store.MAX_KEYS", 3)
        registry = await read(registered(*range(4)))
        assert registry.world_size == 4
        assert "keys can't be listed" in registry.notes[0]
        assert MAX_KEYS == 1_000_000

    async def test_every_value_is_enormous(self) -> None:
        huge = b"x" * 5_000_000
        registry = await read({b"debug_server/rank%d" % rank: huge for rank in range(40)})
        assert registry.world_size == 40
        assert all(address.error for address in registry.addresses)
        assert "addresses of 40 ranks were not read" in registry.notes[0]

    async def test_a_world_size_beyond_all_bounds(self) -> None:
        registry = await read(registered(0), world_size=1_000_000, ranks="0-3")
        assert registry.world_size == MAX_WORLD
        assert "not the 1,000,000 of --world-size" in registry.notes[0]

    async def test_a_store_that_stops_answering_is_an_error(self) -> None:
        async with running_store(registered(0, 1)) as store:
            store.lists_keys, store.count = True, -1
            with pytest.raises(StoreError) as caught:
                await read(store)
            assert caught.value.kind is StoreFault.NOT_A_STORE


async def test_a_large_job_takes_few_queries() -> None:
    async with running_store(registered(*range(4_096))) as store:
        registry = await read(store)
    assert len(registry.addresses) == 4_096
    assert missing(registry) == RankSet()
    assert store.queries.count(17) == 1
    assert store.queries.count(10) == 16
    assert store.queries.count(3) == 0
    assert store.connections == 1


def test_workers_that_a_person_named() -> None:
    workers = {1: RankAddress(1, "http://a:1", "http://u:p@a:1", "a")}
    registry = Registry.of(workers, 3, None, AddressMap.parse(["a=b"]))
    assert registry.world_size == 3
    assert registry.addresses[1] == RankAddress(1, "http://a:1", "http://u:p@b:1", "a")
    assert missing(registry) == RankSet.parse("0,2")
