"""Groups as traces name them, and what the flight recorder makes of it."""

from __future__ import annotations

import json

import msgspec
import pytest

from tests.fakes.flight_recorder_jobs import FakeJob, Fault
from tests.tui.recorder_scripts import train
from xpudbg.services.flight_recorder.decode import decode
from xpudbg.services.flight_recorder.dump import Dump
from xpudbg.services.flight_recorder.groups import find_groups
from xpudbg.services.profiles.memberships import Membership, Memberships, memberships_of
from xpudbg.services.profiles.recorder_groups import with_memberships
from xpudbg.services.ranksets import RankSet


def info(**more: object) -> msgspec.Raw:
    group = {"pg_name": "2", "pg_desc": "tp", "backend_config": "cuda:nccl", "pg_size": 2, "ranks": [4, 5]}
    return msgspec.Raw(json.dumps({"rank": 4, "world_size": 8, "pg_config": [group | more]}).encode())


def test_groups_of_a_trace() -> None:
    known = memberships_of(info())
    assert known == Memberships(4, 8, (Membership("2", "tp", "cuda:nccl", 2, RankSet([4, 5])),))


@pytest.mark.parametrize(
    ("ranks", "wanted"),
    [
        ("[4, 5]", "4-5"),
        ([], ""),
        ("", ""),
        ("no", ""),
        (None, ""),
        ([4, -1, "x", 1e9, True, 5], "4-5"),
        ({"a": 1}, ""),
    ],
    ids=["a text", "none", "an empty text", "no list", "null", "not all ranks", "an object"],
)
def test_ranks_in_whatever_form(ranks: object, wanted: str) -> None:
    known = memberships_of(info(ranks=ranks))
    assert known is not None
    assert str(known.groups[0].ranks) == wanted


@pytest.mark.parametrize("text", [b"[]", b"3", b'"x"', b"{"], ids=["a list", "a number", "a text", "cut"])
def test_what_is_no_object_names_no_groups(text: bytes) -> None:
    assert memberships_of(msgspec.Raw(text)) is None


@pytest.mark.parametrize("config", [None, 3, {}, ["x", None], "[3]"], ids=["null", "3", "object", "texts", "a text"])
def test_groups_that_are_none_are_left_out(config: object) -> None:
    known = memberships_of(json.dumps({"rank": 0, "pg_config": config}).encode())
    assert known == Memberships(0, None, ())
    assert memberships_of(None) is None


def gloo_job() -> FakeJob:
    """Two tp groups of four; rank 5 has made no call, so its recorder does not know that it is in one."""
    return train(steps=2, backend="gloo", faults=(Fault(5, 0, "stops"),))


def dumps(job: FakeJob) -> list[Dump]:
    return [decode(json.dumps(job.dump(rank)).encode(), rank) for rank in range(job.world)]


def known(*ranks: int, members: tuple[int, ...] = (4, 5, 6, 7), size: int | None = 4) -> dict[int, Memberships]:
    group = Membership("14", "tp1", "cpu:gloo", size, RankSet(members))
    return {rank: Memberships(rank, 8, (group,)) for rank in ranks}


def members_of(found: list[Dump], name: str) -> tuple[str, bool]:
    (group,) = [one for one in find_groups(found, 8).table if one.name == name]
    return str(group.members), group.inferred


def test_a_profile_completes_groups_that_a_recorder_does_not_say() -> None:
    plain = dumps(gloo_job())
    assert members_of(plain, "14") == ("4,6-7", True)
    assert members_of(with_memberships(plain, known(4, 6, 7)), "14") == ("4-7", False)
    assert members_of(with_memberships(plain, known(6)), "14") == ("4-7", False)
    assert with_memberships(plain, {}) == plain


@pytest.mark.parametrize(
    "given",
    [
        known(6, members=(4, 5, 6)),
        known(6, members=(0, 1, 2, 3)),
        known(6, members=()),
        known(6) | known(7, members=(4, 5, 6, 9)),
    ],
    ids=["another size", "of others", "of nobody", "two that differ"],
)
def test_what_does_not_fit_is_not_believed_of_others(given: dict[int, Memberships]) -> None:
    found = with_memberships(dumps(gloo_job()), given)
    assert not [config for dump in found if dump.rank == 4 for config in dump.configs if config.members]


def test_what_a_recorder_says_itself_stays() -> None:
    plain = [decode(json.dumps(train(steps=2).dump(rank)).encode(), rank) for rank in range(8)]
    assert with_memberships(plain, known(4, members=(4, 5), size=2)) == plain
