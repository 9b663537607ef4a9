"""Write docs/accuracy.md.

python -m accuracy [--torch PYTHON] [--recorded FOLDER] [-o FILE]

It needs an interpreter with torch (XPUDBG_TORCH_PYTHON) and the recorded jobs; without them nothing is written, and it
says what is missing. `--only GROUP` prints one table, for looking.
"""

from __future__ import annotations

import argparse
import os
import platform
import sys
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

from xpudbg.services.version import __version__

from .demo_scenarios import scenario_rows
from .dump_cases import RECORDED, case_rows, recorded_rows
from .page import Group, render, row_line
from .real_jobs import WAITED_S, fault_rows
from .rows import Row
from .torch_tools import TIME_LIMIT_S, TorchTools

ROOT = Path(__file__).parents[1]
RECORDED_HOME = ROOT.parent / "shared" / "data" / "nvrx"
_PAGE = "torch's debug page"
_COMMAND = "torchfrtrace"

ABOUT = {
    "scenarios": (
        "Demo scenarios",
        "`xpudbg demo --scenario NAME`: simulated ranks behind real HTTP, answers in the form of a Gloo job of torch "
        "2.13. torch's page was given what the ranks answered; those that answer nothing, for which the page itself "
        "waits 60 s, are left out. Its table knows no group of a Gloo job, whose `pg_config` is empty, and fails.",
        _PAGE,
    ),
    "cases": (
        "Recorded cases",
        "Small dumps after real bug reports, in `tests/data/flight_recorder`. torchfrtrace was given the pickles, with "
        f"{TIME_LIMIT_S} s.",
        _COMMAND,
    ),
    "recorded": (
        "Real NCCL jobs",
        "Dumps of 16 ranks from the tests of "
        "[nvidia-resiliency-ext](https://github.com/NVIDIA/nvidia-resiliency-ext), there in "
        "`tests/attribution/unit/fr_traces`; two ranks of each had a fault injected.",
        _COMMAND,
    ),
    "real": (
        "Real Gloo jobs",
        f"Processes with torch on this machine (`tests/real`), a fault in each, looked at after {WAITED_S:.0f} s. "
        "torch's page was given what the ranks answered.",
        _PAGE,
    ),
}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--torch", default=os.environ.get("XPUDBG_TORCH_PYTHON", ""), help="interpreter with torch")
    parser.add_argument("--recorded", type=Path, default=RECORDED_HOME, help="folder of the recorded NCCL jobs")
    parser.add_argument("-o", "--output", type=Path, default=ROOT / "docs" / "accuracy.md")
    parser.add_argument("--only", choices=ABOUT, help="print this table and write nothing")
    chosen = parser.parse_args()
    missing = []
    if not chosen.torch:
        missing.append("an interpreter with torch: set XPUDBG_TORCH_PYTHON or give --torch")
    absent = [name for name in RECORDED if not (chosen.recorded / name).is_dir()]
    if absent and chosen.only in (None, "recorded"):
        missing.append(
            f"the recorded jobs {', '.join(absent)} in {chosen.recorded}: take tests/attribution/unit/fr_traces of "
            "nvidia-resiliency-ext and give --recorded"
        )
    if missing:
        print("The page is made whole or not at all; missing:", *missing, sep="\n  ", file=sys.stderr)
        return 2
    torch = TorchTools(chosen.torch)
    makers: dict[str, Callable[[], Iterator[Row]]] = {
        "scenarios": lambda: scenario_rows(torch),
        "cases": lambda: case_rows(torch),
        "recorded": lambda: recorded_rows(torch, chosen.recorded),
        "real": lambda: fault_rows(torch),
    }
    groups = []
    for name, make in makers.items():
        if chosen.only in (None, name):
            rows = []
            for row in make():
                print(row_line(row), flush=True)
                rows.append(row)
            title, about, tool = ABOUT[name]
            groups.append(Group(title, about, tool, tuple(rows)))
    if chosen.only is None:
        versions = [("xpudbg", __version__), ("Python", platform.python_version()), ("torch", torch.version)]
        chosen.output.write_text(render(groups, versions, datetime.now(UTC).date().isoformat()), encoding="utf-8")
        print(f"written: {chosen.output}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
