"""Folders of dumps: small ones after real bug reports, and real ones of NCCL jobs with injected faults."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from xpudbg.services.targets import FilesTarget

from .looking import looked_at
from .rows import Row, Said, Truth, said_by_verdict
from .torch_tools import TorchTools

__all__ = ["CASES", "RECORDED", "case_rows", "case_said", "recorded_rows"]

DUMPS = Path(__file__).parents[1] / "tests" / "data" / "flight_recorder"

CASES = {
    "gloo-empty-pg-config": Truth.of("Gloo job without group table, rank 1 has not called all_reduce #4", "1"),
    "coalesced-missing-on-one-rank": Truth.of("rank 2 has not joined a coalesced all_gather", "2"),
    "p2p-batch-healthy/a": Truth.of("sends and receives both ways in groups of two", faulty=False),
    "p2p-batch-healthy/b": Truth.of("the same, recorded without the P2P mark", faulty=False),
    "p2p-batch-healthy/c": Truth.of("a chain of sends in one group of three", faulty=False),
    "all-to-all-uneven/a": Truth.of("uneven all_to_all, totals agree, completed", faulty=False),
    "all-to-all-uneven/b": Truth.of("totals agree, both pairs of ranks do not"),
    "all-to-all-uneven/c": Truth.of("all_to_all over lists, completed", faulty=False),
    "all-to-all-uneven/d": Truth.of("totals of two ranks differ"),
    "minority-rank-is-the-outlier": Truth.of("one of eight ranks has another size", "0"),
    "hostnames-in-file-names/pickles": Truth.of("host names before the rank in file names", "9"),
    "hostnames-in-file-names/pickles2": Truth.of("the same with a common ending", "9"),
    "guilty-rank-left-no-dump": Truth.of("of two ranks the one that raised left no dump", "0"),
    "completed-after-abort": Truth.of("a call of all ranks ended by the abort after its timeout"),
    "ring-buffers-wrapped-differently": Truth.of("rings that begin at different records", "1"),
    "group-desc-differs": Truth.of("one group, another description on each rank", "1"),
    "broken-and-partial-files": Truth.of("six of eight files are empty, cut or something else", "1-2"),
    "hostile-frame-text": Truth.of("markup and escapes in the frames, rank 2 recorded nothing", "2"),
    "only-active-dump": Truth.of("dumps of open calls only", "2"),
}
"""The cases by their folder. Each was reported by somebody whom an analyzer led astray or left without an answer."""

RECORDED = {
    "gpu_error_1st": Truth.of("GPU errors injected on two of 16 ranks", "12,14"),
    "lock_gil_1st": Truth.of("the GIL locked on two of 16 ranks", "9,14"),
}
"""Recorded by the fault injection of nvidia-resiliency-ext; its tests hold these dumps."""


def case_said(folder: Path) -> Said:
    """What xpudbg says of a folder of dumps now."""
    return said_by_verdict(looked_at(FilesTarget((folder,)), looks=1).verdict)


def case_rows(torch: TorchTools) -> Iterator[Row]:
    for name, truth in CASES.items():
        folder = DUMPS / name
        pickles = folder / "pickles"
        yield Row(name, truth, torch.command(pickles if pickles.is_dir() else folder), case_said(folder))


def recorded_rows(torch: TorchTools, home: Path) -> Iterator[Row]:
    """
    Args:
        home: folder that holds the recorded jobs.
    """
    for name, truth in RECORDED.items():
        yield Row(name, truth, torch.command(home / name, "--prefix", "_dump_"), case_said(home / name))
