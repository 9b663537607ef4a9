"""What --scenario, --world-size and --ranks make of the target `demo`."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import click

from .options import read_demo_size

if TYPE_CHECKING:
    from ...services.attach_options import AttachOptions
    from ...services.targets import Target

__all__ = ["check_scenario", "demo_as_asked"]


def check_scenario(name: str | None) -> None:
    """
    Raises:
        click.UsageError: the demo has no such scenario.
    """
    from ...services.simulate.scenarios import SCENARIOS

    if name is not None and name not in SCENARIOS:
        raise click.UsageError(f"no scenario is called {name!r}; there are: {', '.join(SCENARIOS)}")


def demo_as_asked(
    chosen: Target, settings: AttachOptions, scenario: str | None, ranks: str | None = None
) -> tuple[Target, AttachOptions]:
    """The target with its options; one that is no demo stays as it is.

    Args:
        ranks: what --ranks says, where a number alone is the size of the demo, as in `xpudbg demo --ranks N`.

    Raises:
        click.UsageError: there is no such scenario or size, or a scenario is named and the target is no demo.
    """
    from ...services.targets import DemoTarget

    if not isinstance(chosen, DemoTarget):
        if scenario is not None:
            raise click.UsageError("--scenario goes with the target `demo` only")
        return chosen, settings
    check_scenario(scenario)
    size = settings.world_size
    if ranks is not None and ranks.isdecimal():
        size, settings = read_demo_size(ranks), replace(settings, ranks=None)
    return DemoTarget(size or chosen.ranks, scenario or chosen.scenario), replace(settings, world_size=None)
