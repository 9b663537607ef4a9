"""The registry of scenarios: true for every number of ranks."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from xpudbg.services.judging.stack_findings import STUCK_STACK
from xpudbg.services.ranksets import RankSet
from xpudbg.services.simulate.scenarios import DEFAULT, SCENARIOS, Behaviour
from xpudbg.services.snapshot import RankClass

SIZES = (1, 2, 8, 9, 63, 64, 575, 576, 4096)
HEALTHY = ("healthy", "idle", "slow-answers")


@pytest.mark.parametrize("name", SCENARIOS)
@given(n_ranks=st.integers(1, 4096))
def test_culprits_are_ranks_of_the_job_and_have_one_class_each(name: str, n_ranks: int) -> None:
    culprits = SCENARIOS[name].culprits(n_ranks)
    everyone = RankSet.full(n_ranks)
    assert all(ranks and ranks <= everyone for ranks in culprits.values())
    assert sum(map(len, culprits.values())) == len(RankSet(rank for ranks in culprits.values() for rank in ranks))


@pytest.mark.parametrize("name", SCENARIOS)
@pytest.mark.parametrize("n_ranks", SIZES)
def test_a_sick_scenario_has_a_culprit_and_a_healthy_one_none(name: str, n_ranks: int) -> None:
    assert bool(SCENARIOS[name].culprits(n_ranks)) is (name not in HEALTHY)


@pytest.mark.parametrize("name", SCENARIOS)
@pytest.mark.parametrize("n_ranks", SIZES)
def test_culprits_follow_from_what_the_ranks_do(name: str, n_ranks: int) -> None:
    behaviours = SCENARIOS[name].behaviours(n_ranks)
    assert len(behaviours) == n_ranks
    for kind, ranks in SCENARIOS[name].culprits(n_ranks).items():
        wrong = [
            rank
            for rank, behaviour in enumerate(behaviours)
            if behaviour.finding(recorder=SCENARIOS[name].recorder) == kind
        ]
        assert ranks == RankSet(wrong)


@pytest.mark.parametrize("name", SCENARIOS)
@pytest.mark.parametrize("n_ranks", [16, 64, 4096])
def test_most_of_a_cluster_is_well(name: str, n_ranks: int) -> None:
    sick = sum(map(len, SCENARIOS[name].culprits(n_ranks).values()))
    assert sick <= n_ranks // 2


def test_every_wrong_class_and_kind_has_a_scenario_of_its_own() -> None:
    alone = {next(iter(found)) for scenario in SCENARIOS.values() if len(found := scenario.culprits(16)) == 1}
    wrong = {rank_class.value for rank_class in RankClass} - {"alive", "unknown"}
    assert alone == wrong | {STUCK_STACK, "not_joined", "unhealthy"}


def test_every_behaviour_is_shown_by_a_scenario() -> None:
    shown = {behaviour for scenario in SCENARIOS.values() for behaviour in scenario.behaviours(64)}
    assert shown == set(Behaviour)


def test_the_default_comes_first_and_shows_most_classes_on_eight_hosts() -> None:
    assert next(iter(SCENARIOS)) == DEFAULT
    mixed = SCENARIOS[DEFAULT]
    assert mixed.default_ranks == 64
    assert {str(kind): str(ranks) for kind, ranks in mixed.culprits(64).items()} == {
        "stopped": "12",
        "gil_held": "27",
        "dead": "41",
        "unreachable": "48-55",
        "not_registered": "63",
        "server_error": "22",
        "foreign_port": "5",
    }


def test_names_are_keys_and_stories_are_one_line() -> None:
    for name, scenario in SCENARIOS.items():
        assert scenario.name == name
        assert scenario.story
        assert "\n" not in scenario.story


def test_large_clusters_have_more_sick_ranks() -> None:
    assert len(SCENARIOS["stopped"].culprits(4096)[RankClass.STOPPED]) == 40


@pytest.mark.parametrize("n_ranks", [0, -1])
def test_a_cluster_without_ranks_is_refused(n_ranks: int) -> None:
    with pytest.raises(ValueError, match="at least one rank"):
        SCENARIOS["healthy"].behaviours(n_ranks)
