from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from xpudbg.services.cluster.store_keys import MAX_WORLD, read_key_names


def test_the_keys_of_a_launched_job() -> None:
    job = read_key_names(
        [
            b"debug_server/rank0",
            b"debug_server/rank11",
            b"default_pg/0//cpu//0/0",
            b"default_pg/0//cpu//0/12",
            b"none/torchelastic/assigned_ranks/0",
            b"none/torchelastic/role_info/0",
            b"none/torchelastic/role_info/1",
            b"something/else",
        ]
    )
    assert job.ranks == {0: b"debug_server/rank0", 11: b"debug_server/rank11"}
    assert job.joined == 13
    assert job.assigned_ranks == [b"none/torchelastic/assigned_ranks/0"]
    assert job.role_info == [b"none/torchelastic/role_info/0", b"none/torchelastic/role_info/1"]
    assert job.master is None


def test_a_later_attempt_replaces_an_earlier_one() -> None:
    job = read_key_names(
        [b"w/attempt_10/debug_server/rank0", b"w/attempt_9/debug_server/rank0", b"w/attempt_9/debug_server/rank1"]
    )
    assert job.ranks == {0: b"w/attempt_10/debug_server/rank0", 1: b"w/attempt_9/debug_server/rank1"}
    assert job.prefixes == {b"w/attempt_9", b"w/attempt_10"}


def test_the_plain_key_goes_before_any_prefix() -> None:
    job = read_key_names([b"debug_server/rank0", b"w/attempt_9/debug_server/rank0"])
    assert job.ranks == {0: b"debug_server/rank0"}


def test_only_the_newest_round_of_the_launcher_counts() -> None:
    job = read_key_names(
        [
            b"torch.rendezvous.j.%d/torchelastic/assigned_ranks/%d" % (number, node)
            for number in (9, 10)
            for node in (0, 1)
        ]
        + [b"torch.rendezvous.j.9/torchelastic/role_info/7"]
    )
    assert job.assigned_ranks == [
        b"torch.rendezvous.j.10/torchelastic/assigned_ranks/0",
        b"torch.rendezvous.j.10/torchelastic/assigned_ranks/1",
    ]
    assert job.role_info == []


def test_the_launchers_own_store() -> None:
    job = read_key_names([b"torch.rendezvous.j.0/MASTER_PORT", b"torch.rendezvous.j.2/MASTER_PORT"])
    assert job.master == b"torch.rendezvous.j.2"


def test_ranks_that_are_too_high_to_be_true() -> None:
    job = read_key_names([b"debug_server/rank99999999999", b"debug_server/rank%d" % MAX_WORLD, b"debug_server/rank5"])
    assert job.ranks == {5: b"debug_server/rank5"}
    assert job.beyond == ["99999999999", str(MAX_WORLD)]
    assert job.beyond_count == 2
    assert read_key_names([b"default_pg/0//cpu//0/99999999999"]).joined == 0


def test_keys_that_only_look_like_it() -> None:
    job = read_key_names(
        [
            b"debug_server/rank",
            b"debug_server/rank-1",
            b"debug_server/rank01",
            b"debug_server/rank1x",
            b"xdebug_server/rank1",
        ]
    )
    assert job.ranks == {}


def test_a_key_with_a_number_of_a_million_digits() -> None:
    digits = b"9" * 1_000_000
    job = read_key_names([b"debug_server/rank" + digits, b"a" + digits + b"/debug_server/rank0", b"debug_server/rank0"])
    assert job.ranks == {0: b"debug_server/rank0"}
    assert len(job.beyond[0]) < 30


@given(st.lists(st.one_of(st.binary(max_size=40), st.from_regex(rb"(a[0-9]{1,3}/)?debug_server/rank[0-9]{1,8}"))))
def test_any_keys(keys: list[bytes]) -> None:
    job = read_key_names(keys)
    assert set(job.ranks.values()) <= set(keys)
