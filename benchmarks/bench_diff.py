"""What the difference of two looks costs: CPU time of analysing it and of writing it, by number of ranks.

Every rank has moved, every second one's stack changed, every rank waits in some counter. Beside it, what the analysis
of one of the looks costs, which a difference comes on top of. Run: python benchmarks/bench_diff.py [ranks ...]
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from tabulate import tabulate

from benchmarks.figures import record_all
from tests.fakes.counter_answers import looks as counter_looks
from tests.fakes.flight_recorder_jobs import Call, FakeJob
from tests.fakes.look_records import look_records
from tests.tui.counter_scripts import trained
from tests.tui.progress_scripts import mesh, recorder_looks
from tests.tui.scripted import NOW, SECOND, look, opened
from tests.tui.stack_scripts import LOAD, TRAIN, WAIT, reply, traceback
from xpudbg.services import events
from xpudbg.services.looks.difference.difference import difference
from xpudbg.services.looks.difference.rendering import difference_lines, render_json
from xpudbg.services.looks.record import LookRecord
from xpudbg.services.looks.stacks import StackAnalyst
from xpudbg.services.ranksets import RankSet


def cpu_ms(work: Callable[[], object], times: int = 3) -> float:
    """The least of some runs."""
    took = []
    for _ in range(times):
        begun = time.process_time()
        work()
        took.append(time.process_time() - begun)
    return min(took) * 1000


def two_looks(ranks: int) -> tuple[list[LookRecord], float]:
    """Two looks of a job, and the CPU ms that the analyses of both took."""
    groups = mesh(ranks, 8)
    program = [Call(one.name) for one in groups[1:]]
    jobs = [FakeJob(ranks, groups, program * steps) for steps in (2, 3)]
    texts = [traceback(WAIT), traceback(LOAD), traceback(TRAIN)]
    begun = time.process_time()
    recorders = recorder_looks(jobs)
    counters = counter_looks(*trained(ranks, waiting=range(0, ranks, 3)), apart_s=10.0)
    analyst = StackAnalyst()
    script: list[events.Event] = [events.TargetOpening("store head-0:29500"), opened(ranks)]
    for number in (1, 2):
        at = NOW - (2 - number) * 10 * SECOND
        sick = dict.fromkeys(range(number, ranks, 97), "stopped")
        replies = [reply(rank, texts[(rank + number * (rank % 2)) % 3], at=at) for rank in range(ranks)]
        found = {(one.rank, one.source): one for one in replies}
        stacks = analyst.analyse(number, at, found, RankSet.full(ranks))
        script += look(number, ranks, sick, at=at, closed=False)
        script.append(events.Analysed(number, stacks, recorders[number - 1], counters=counters[number - 1]))
        script.append(events.LookClosed(number, at))
    made = look_records(script)
    return made, (time.process_time() - begun) * 1000


def main(sizes: list[int]) -> None:
    rows = []
    for ranks in sizes:
        (before, after), analysed = two_looks(ranks)
        made = difference(before, after)
        assert made.motion is not None
        assert made.stacks is not None
        rows.append(
            (
                f"{ranks:,}",
                analysed,
                cpu_ms(lambda before=before, after=after: difference(before, after)),  # type: ignore[misc]
                cpu_ms(lambda made=made: difference_lines(made, 100)),  # type: ignore[misc]
                cpu_ms(lambda made=made: render_json(made)),  # type: ignore[misc]
                len(render_json(made)) / 1e6,
            )
        )
    for said, _, made_ms, text_ms, json_ms, _ in rows:
        record_all((("difference", made_ms), ("as text", text_ms), ("as JSON", json_ms)), "ms CPU", f"{said} ranks: ")
    headers = ("ranks", "both looks, all of it", "difference", "as text", "as JSON", "JSON MB")
    print(tabulate(rows, headers, floatfmt=".1f"), "\nCPU ms")


if __name__ == "__main__":
    main([int(word) for word in sys.argv[1:]] or [256, 1024, 4096])
