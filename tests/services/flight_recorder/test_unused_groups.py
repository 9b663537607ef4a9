"""Members that have never used a group whose members no dump lists: named where other groups tell, else said."""

from __future__ import annotations

import json

import pytest

from tests.fakes.flight_recorder_jobs import Call, FakeGroup, FakeJob, Fault
from xpudbg.services.findings import Confidence
from xpudbg.services.flight_recorder.analysis import analyse
from xpudbg.services.flight_recorder.decode import decode
from xpudbg.services.flight_recorder.diagnosis import FlightFinding, diagnose
from xpudbg.services.flight_recorder.dump import Dump
from xpudbg.services.flight_recorder.groups import JobGroup, find_groups
from xpudbg.services.flight_recorder.unused_groups import MOST_GROUPS, Concluded, conclude
from xpudbg.services.ranksets import RankSet

from .looking import said, the_finding


def uses(rank: int, groups: dict[str, int], desc: str = "undefined") -> Dump:
    """A Gloo dump with one call in each of these groups, given with the rank's own index of it."""
    entries = [
        {
            "profiling_name": "gloo:all_reduce",
            "process_group": [name, "default_pg" if name == "0" else desc],
            "pg_id": index,
            "collective_seq_id": 1,
            "record_id": place,
            "retired": True,
        }
        for place, (name, index) in enumerate(groups.items())
    ]
    return decode(json.dumps({"version": "2.10", "pg_config": {}, "entries": entries}).encode(), rank)


def group(dumps: list[Dump], name: str, **options: object) -> JobGroup:
    table = find_groups(dumps, **options).table  # type: ignore[arg-type]
    return next(one for one in table if one.name == name)


def test_a_rank_that_has_counted_all_groups_in_between_is_in_them() -> None:
    dumps = [uses(0, {"0": 0, "1": 1, "2": 2}), uses(1, {"0": 0, "1": 1, "2": 2}), uses(2, {"0": 0, "2": 2})]
    made = group(dumps, "1")
    assert (str(made.members), str(made.concluded), made.inferred) == ("0-2", "2", True)


def test_a_rank_that_has_counted_none_is_in_none() -> None:
    """Group 1 has three members, as the store knows: rank 3 has made none between 0 and 2."""
    dumps = [uses(0, {"0": 0, "1": 1}), uses(1, {"0": 0, "1": 1}), uses(2, {"0": 0}), uses(3, {"0": 0, "2": 1})]
    assert str(Concluded(dumps).outside("1")) == "3"
    made = group(dumps, "1", world_size=4, sizes={"1": 3})
    assert (str(made.members), str(made.concluded), made.unseen) == ("0-2", "2", 0)


def test_where_two_may_be_the_missing_member_neither_is_named() -> None:
    dumps = [uses(0, {"0": 0, "1": 1}), uses(1, {"0": 0, "1": 1}), uses(2, {"0": 0}), uses(3, {"0": 0})]
    made = group(dumps, "1", world_size=4, sizes={"1": 3})
    assert (str(made.members), made.unseen, str(made.candidates)) == ("0-1", 1, "2-3")


@pytest.mark.parametrize("name", ["split:1", "a001f"])
def test_groups_without_numbers_tell_nothing_by_counting(name: str) -> None:
    """They take places in a rank's own count, and no number of the job."""
    dumps = [uses(0, {"0": 0, "1": 1, "2": 2}), uses(2, {"0": 0, name: 1, "2": 2})]
    assert str(group(dumps, "1").members) == "0"


def even(*known: str, everybody: int = 8) -> dict[str, str]:
    users = {str(3 + place): RankSet.parse(ranks) for place, ranks in enumerate(known)}
    found = conclude(users, dict.fromkeys(users, "tp"), RankSet(range(everybody)), Concluded([]))
    return {name: str(ranks) for name, ranks in found.items() if ranks}


@pytest.mark.parametrize(
    ("known", "found"),
    [
        (("0-1", "2-3", "4-5", "6"), {"6": "7"}),
        (("0,4", "1,5", "2,6", "3"), {"6": "7"}),
        (("0-3", "5-6"), {"4": "4,7"}),
        (("0-1", "2-3", "5", "6-7"), {"5": "4"}),
        (("0-1", "2-3", "5"), {}),  # 4 or 6
        (("0-1", "4,6", "2"), {}),  # no common stride
        (("0-1", "1-2", "6"), {}),  # they overlap
        (("0", "1", "2"), {}),
    ],
)
def test_groups_of_one_description_split_the_ranks_evenly(known: tuple[str, ...], found: dict[str, str]) -> None:
    assert even(*known) == found


def test_nothing_is_concluded_of_very_many_groups() -> None:
    users = {str(place): RankSet([place]) for place in range(MOST_GROUPS + 1)}
    assert conclude(users, dict.fromkeys(users, "tp"), RankSet(range(9)), Concluded([])) == {}


def test_a_hostile_count_of_groups_costs_nothing() -> None:
    dumps = [uses(0, {"0": 0, "900000000": 900_000_000}), uses(1, {"0": 0, "5": 2**63})]
    assert Concluded(dumps).inside("7") == RankSet()


TP = [FakeGroup(str(1 + place), "mesh_tp", (2 * place, 2 * place + 1)) for place in range(3)]


def waits_for_an_unknown(groups: list[FakeGroup]) -> FlightFinding:
    """Rank 5 has never joined a call of its group, in which rank 4 waits for it; the other groups go on."""
    world = FakeGroup("0", "default_pg", tuple(range(6)))
    program = [Call("0"), *(Call(one.name) for one in groups)]
    job = FakeJob(6, [world, *groups], program, backend="gloo", faults=[Fault(5, 1, "stops")])
    return the_finding(diagnose(analyse([decode(job.as_json(rank), rank) for rank in range(6)], world_size=6)))


def test_a_rank_that_never_used_its_group_is_named_as_possible() -> None:
    finding = waits_for_an_unknown(TP)
    assert said(finding) == ("not_joined", "5", "4", "all_reduce", 1)
    assert finding.confidence is Confidence.POSSIBLE
    assert any("has never used mesh_tp; other groups show" in fact.text for fact in finding.evidence)


def test_where_nothing_names_it_the_text_says_that_it_cannot_be_seen() -> None:
    finding = waits_for_an_unknown([FakeGroup(one.name, "undefined", one.ranks) for one in TP])
    assert said(finding) == ("not_joined", "", "4", "all_reduce", 1)
    assert (finding.unseen, finding.confidence) == (1, Confidence.POSSIBLE)
    assert any("a rank that never has can't be seen in it" in fact.text for fact in finding.evidence)


def test_the_ranks_that_may_be_the_missing_member_are_told_and_not_accused() -> None:
    world, sub = FakeGroup("0", "default_pg", (0, 1, 2, 3)), FakeGroup("1", "undefined", (0, 1, 2))
    job = FakeJob(4, [world, sub], [Call("0"), Call("1")], backend="gloo", faults=[Fault(2, 1, "stops")])
    dumps = [decode(job.as_json(rank), rank) for rank in range(4)]
    finding = the_finding(diagnose(analyse(dumps, world_size=4, sizes={"0": 4, "1": 3})))
    assert said(finding)[:3] == ("not_joined", "", "0-1")
    assert "1 of ranks 2-3 belongs to it and has not joined it" in [fact.text for fact in finding.evidence]
