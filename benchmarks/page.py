"""docs/benchmarks.md of the figures of several runs."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass, field

from xpudbg.services.markdown_text import unmarked

from .figures import Figure

__all__ = ["Bench", "Runs", "compared", "goal_of", "render"]


_INTRODUCTION = """\
Written by `make bench` from what the programs in `benchmarks/` measure; nobody edits it. Each of them also runs alone
and says how it measures: `python -m benchmarks.bench_fanout`. Peers run on the same input in the same run. A figure is
the median of its runs, with the least and the greatest behind it; smaller is better in all.\
""".splitlines()


@dataclass(frozen=True, slots=True)
class Bench:
    """One benchmark module."""

    name: str
    """Of the module, after `bench_`."""
    title: str
    about: str
    arguments: tuple[str, ...] = ()


@dataclass(slots=True)
class Runs:
    """The figures of several runs of one benchmark, by name."""

    count: int = 0
    by_name: dict[str, list[Figure]] = field(default_factory=dict)

    def add(self, figures: Sequence[Figure]) -> None:
        """The figures of one more run."""
        self.count += 1
        for figure in figures:
            self.by_name.setdefault(figure.name, []).append(figure)


def _number(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.1f}" if abs(value) >= 10 else f"{value:.3g}"


def _spread(values: Sequence[float]) -> str:
    """The median, and the least and the greatest when there are several."""
    middle = _number(statistics.median(values))
    return middle if len(values) == 1 else f"{middle} ({_number(min(values))} to {_number(max(values))})"


def _times(several: Sequence[Figure]) -> float | None:
    """Median of ours / peer."""
    ratios = [one.ours / one.peer for one in several if one.peer]
    return statistics.median(ratios) if ratios else None


def compared(several: Sequence[Figure]) -> str:
    """The peer and how many times as much, or as little, ours takes."""
    times = _times(several)
    if times is None:
        return ""
    peer = _spread([one.peer for one in several if one.peer])
    ratio = f"{times:.2f} times" if times >= 0.5 else f"1/{1 / times:.0f} of" if times > 0 else "nothing beside"
    return f"{ratio} {several[0].against}: {peer}"


def goal_of(several: Sequence[Figure]) -> str:
    """The goal and whether the medians keep it."""
    said = []
    first = several[0]
    if first.at_most is not None:
        kept = statistics.median(one.ours for one in several) <= first.at_most
        said.append(f"at most {_number(first.at_most)}: {'kept' if kept else '**missed**'}")
    times = _times(several)
    if first.times_at_most is not None and times is not None:
        wanted = first.times_at_most
        text = f"{wanted:.2g} times" if wanted >= 1 else f"1/{1 / wanted:.0f}"
        said.append(f"at most {text}: {'kept' if times <= wanted else '**missed**'}")
    return "; ".join(said)


def render(
    made: Sequence[tuple[Bench, Runs]],
    machine: str,
    versions: Sequence[tuple[str, str]],
    made_on: str,
    took_s: float,
) -> str:
    """The page.

    Args:
        machine: what it ran on.
        versions: names and versions of what ran.
        made_on: the date, ISO 8601.
        took_s: seconds that all of it took.
    """
    goals = [goal_of(several) for _, runs in made for several in runs.by_name.values()]
    kept = sum(text.count("kept") for text in goals)
    missed = sum(text.count("missed") for text in goals)
    lines = [
        "# Benchmarks",
        "",
        *_INTRODUCTION,
        "",
        f"Made on {made_on} in {took_s / 60:.0f} minutes on {machine}, with "
        + ", ".join(f"{name} {version}" for name, version in versions)
        + ".",
        "",
        f"Of {kept + missed} goals that were set before, {kept} are kept and {missed} missed.",
        "",
    ]
    for bench, runs in made:
        times = "one run" if runs.count == 1 else f"{runs.count} runs"
        lines += [f"## {bench.title}", "", f"{bench.about} `bench_{bench.name}`, {times}.", ""]
        lines += ["| what | xpudbg | beside it | goal |", "|---|---:|---|---|"]
        for name, several in runs.by_name.items():
            ours = f"{_spread([one.ours for one in several])} {several[0].unit}"
            lines.append(f"| {unmarked(name)} | {ours} | {unmarked(compared(several))} | {goal_of(several)} |")
        lines.append("")
    return "\n".join(lines)
