"""What changed at a look: findings that accuse, classes, ranks that moved."""

from __future__ import annotations

from dataclasses import replace

from tests.fakes.replies import START, address
from xpudbg.services.counters.look import NO_COUNTERS
from xpudbg.services.findings import Confidence, Finding, Group, Severity, Verdict, VerdictValue
from xpudbg.services.looks.changes import change_at, finding_identity
from xpudbg.services.looks.record import LookRecord
from xpudbg.services.looks.recorders import RecorderLook
from xpudbg.services.looks.stacks import StackLook
from xpudbg.services.ranksets import RankSet
from xpudbg.services.snapshot import RankClass, RankState, Snapshot
from xpudbg.services.stacks.looks import Change, Standing

LATE = Finding(
    kind="not_joined",
    severity=Severity.CRITICAL,
    confidence=Confidence.LIKELY,
    culprits=RankSet([3]),
    text="Rank 3 has not joined.",
    advice="",
    refutation="",
    group=Group("0", "default", RankSet.full(4)),
    seq=7,
)
HINT = replace(LATE, severity=Severity.INFO, kind="hint")


def record(look_id: int, findings: tuple[Finding, ...] = (), **classes: RankClass) -> LookRecord:
    ranks = {rank: RankState(rank, address(rank), RankClass.ALIVE) for rank in range(4)}
    for name, rank_class in classes.items():
        ranks[int(name[1:])] = replace(ranks[int(name[1:])], rank_class=rank_class)
    look = Snapshot(look_id, START, START, "t", 4, ranks)
    verdict = Verdict(VerdictValue.OK, "", findings)
    return LookRecord(look, verdict, StackLook(look_id), RecorderLook(look_id), NO_COUNTERS)


def test_findings_come_and_go_by_what_they_are_about() -> None:
    reworded = replace(LATE, text="Rank 3 has still not joined.", waiting=RankSet([0, 1, 2]))
    first = change_at(None, record(1, (LATE, HINT)))
    assert (first.came, first.gone, first.classes) == ((LATE,), (), ())
    same = change_at(record(1, (LATE,)), record(2, (reworded, HINT)))
    assert (same.came, same.gone) == ((), ())
    other = change_at(record(2, (reworded,)), record(3, (replace(LATE, seq=8),)))
    assert (other.came, other.gone) == ((replace(LATE, seq=8),), (reworded,))
    assert finding_identity(LATE) == finding_identity(reworded)


def test_classes_and_moves() -> None:
    standing = Standing(0, (), Change.MOVED, START, 1, START, START, 1)
    standings = {rank: replace(standing, rank=rank, change=change) for rank, change in enumerate(Change)}
    now = record(2, r1=RankClass.DEAD, r2=RankClass.STOPPED)
    now = replace(now, stacks=StackLook(2, standings=standings))
    change = change_at(record(1), now)
    assert change.reclassed == RankSet([1, 2])
    moved = {Change.LINE, Change.MOVED}
    assert change.moved == RankSet(rank for rank, one in enumerate(Change) if one in moved)
    assert change_at(None, now).moved == RankSet(), "at the first look nothing is known to have moved"
