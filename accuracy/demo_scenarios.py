"""The scenarios of the demo cluster, served over HTTP on this machine; their culprits are known by construction."""

from __future__ import annotations

from collections.abc import Iterator

from xpudbg.services.ranksets import RankSet
from xpudbg.services.simulate.scenarios import SCENARIOS, Scenario
from xpudbg.services.snapshot import RankClass
from xpudbg.services.targets import DemoTarget

from .looking import looked_at, recorder_answers
from .rows import Row, Said, Truth, said_by_verdict
from .torch_tools import TorchTools

__all__ = ["scenario_rows", "scenario_said", "truth_of"]


def truth_of(scenario: Scenario) -> Truth:
    """What is wrong with a scenario of its usual size. A name that xpudbg can't resolve is no fault of the job."""
    culprits = RankSet(
        rank
        for kind, ranks in scenario.culprits(scenario.default_ranks).items()
        if kind != RankClass.NAME_UNKNOWN
        for rank in ranks
    )
    return Truth(scenario.story, bool(culprits), culprits)


def scenario_said(name: str, looks: int = 2) -> Said:
    """What xpudbg says of a scenario now."""
    return said_by_verdict(looked_at(DemoTarget(None, name), looks).verdict)


def scenario_rows(torch: TorchTools) -> Iterator[Row]:
    for name, scenario in SCENARIOS.items():
        session = looked_at(DemoTarget(None, name))
        answers = recorder_answers(session)
        page = torch.page(answers) if answers else Said("no flight recorder to read")
        yield Row(name, truth_of(scenario), page, said_by_verdict(session.verdict))
