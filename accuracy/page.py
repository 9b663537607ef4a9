"""docs/accuracy.md: one table a group, totals first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from xpudbg.services.markdown_text import unmarked

from .rows import Row, Said, Score, score

__all__ = ["Group", "render", "row_line"]

_INTRODUCTION = """\
Every scenario of the demo, every recorded case and every kind of fault that the tests put into real jobs: what is true
of it, what torch's own tools say on the same input, and what xpudbg says. The truth is known because the job was made
so. `make accuracy` writes this page, nobody edits it; tests compare its rows with what xpudbg says now.\
""".splitlines()
_MEASURE = """\
One measure for all. **right**: the ranks at fault are named and nobody else, or nothing where nothing is wrong. **in
part**: something is said to be wrong, no innocent rank is named, not every guilty one is. **wrong**: an innocent rank
is named, or a fault where there is none. **nothing said**: there is a fault and it is not told. **failed**: the tool
ended with an error or not in time. A rank that is missing in one of torch's tables counts as named; which collective it
is missing from is not judged. What a person could read in raw stacks and raw records, which torch's page shows too, is
not judged either. How sure xpudbg is stands behind each of its findings.\
""".splitlines()

_SAID = {Score.RIGHT: "right", Score.PART: "in part", Score.WRONG: "**wrong**"}


@dataclass(frozen=True, slots=True)
class Group:
    """Rows of one kind."""

    title: str
    about: str
    torch_tool: str
    """Which of torch's tools was asked."""
    rows: tuple[Row, ...]


def _judged(row: Row, said: Said | None) -> str:
    if said is None:
        return "-"
    found = score(row.truth, said)
    return f"{unmarked(said.text)} ({_SAID.get(found, found.value)})"


def row_line(row: Row) -> str:
    """One line of a table, in Markdown."""
    return (
        f"| {unmarked(row.name)} | {unmarked(row.truth.text)} | {_judged(row, row.torch)} | {_judged(row, row.ours)} |"
    )


def _total(rows: Sequence[Row], whose: str) -> Counter[Score]:
    said = [(row.truth, row.ours if whose == "ours" else row.torch) for row in rows]
    return Counter(score(truth, one) for truth, one in said if one is not None)


def _totals_table(groups: Sequence[Group]) -> list[str]:
    lines = ["| | who | " + " | ".join(one.value for one in Score) + " |", "|---|---|" + "---:|" * len(Score)]
    for group in groups:
        for whose, name in (("torch", group.torch_tool), ("ours", "xpudbg")):
            counts = _total(group.rows, whose)
            cells = " | ".join(str(counts[one]) for one in Score)
            lines.append(f"| {group.title} ({len(group.rows)}) | {name} | {cells} |")
    return lines


def render(groups: Sequence[Group], versions: Sequence[tuple[str, str]], made_on: str) -> str:
    """The page.

    Args:
        versions: programs and their versions.
        made_on: the date, ISO 8601.
    """
    lines = [
        "# How often it is right",
        "",
        *_INTRODUCTION,
        "",
        f"Made on {made_on} with " + ", ".join(f"{name} {version}" for name, version in versions) + ".",
        "",
        *_MEASURE,
        "",
        "## Totals",
        "",
        *_totals_table(groups),
        "",
    ]
    for group in groups:
        lines += [f"## {group.title}", "", group.about, ""]
        lines += [f"| job | what is true | {group.torch_tool} | xpudbg |", "|---|---|---|---|"]
        lines += [row_line(row) for row in group.rows]
        lines.append("")
    return "\n".join(lines)
