"""The difference of two looks as one document of plain values: the JSON form, described in docs/diff.md."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...instants import utc_text
from ...version import __version__

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...findings import Finding, Group
    from ...stacks.model import Frame
    from .values import CounterDifference, GroupMotion, LookDifference, LookHead, MotionDifference, StackDifference

__all__ = ["SCHEMA", "document"]

SCHEMA = "xpudbg.diff/1"


def document(made: LookDifference) -> dict[str, Any]:
    """The difference as plain values: ranks as lists of int, durations in seconds, instants as ISO 8601 in UTC."""
    verdict, findings, ranks = made.verdict, made.findings, made.ranks
    return {
        "schema": SCHEMA,
        "version": __version__,
        "before": _head(made.before),
        "after": _head(made.after),
        "apart_s": round(made.apart_s, 3),
        "differs": made.differs,
        "partial": made.partial,
        "verdict": {
            "before": verdict.before.value,
            "after": verdict.after.value,
            "summary_before": verdict.summary_before,
            "summary_after": verdict.summary_after,
        },
        "findings": {
            "came": [_finding(one) for one in findings.came],
            "gone": [_finding(one) for one in findings.gone],
            "changed": [{"before": _finding(one.before), "after": _finding(one.after)} for one in findings.changed],
            "same": [_finding(one) for one in findings.same],
        },
        "ranks": {
            "came": list(ranks.came),
            "went": list(ranks.went),
            "classes": [
                {
                    "before": None if one.before is None else one.before.value,
                    "after": one.after.value,
                    "ranks": list(one.ranks),
                }
                for one in ranks.classes
            ],
            "readdressed": list(ranks.readdressed),
            "same_class": len(ranks.kept),
        },
        "motion": None if made.motion is None else _motion(made.motion),
        "stacks": None if made.stacks is None else _stacks(made.stacks),
        "counters": None if made.counters is None else _counters(made.counters),
        "notes": list(made.notes),
    }


def _head(look: LookHead) -> dict[str, Any]:
    return {
        "target": look.target,
        "look": look.id,
        "taken_at": utc_text(look.taken_at),
        "world_size": look.world_size,
        "partial": look.partial,
    }


def _finding(finding: Finding) -> dict[str, Any]:
    return {
        "kind": finding.kind,
        "severity": finding.severity.value,
        "confidence": finding.confidence.value,
        "text": finding.text,
        "culprits": list(finding.culprits),
        "waiting": list(finding.waiting),
        "group": None if finding.group is None else _group(finding.group),
        "op": finding.op,
        "seq": finding.seq,
        "advice": finding.advice,
    }


def _group(group: Group) -> dict[str, Any]:
    return {"name": group.name, "desc": group.desc, "ranks": list(group.ranks)}


def _motion(motion: MotionDifference) -> dict[str, Any]:
    return {
        "moved": list(motion.moved),
        "stood": list(motion.stood),
        "began_anew": list(motion.back),
        "inside": list(motion.inside),
        "groups": [_group_motion(one) for one in motion.groups],
        "groups_left_out": motion.groups_left_out,
        "groups_still": motion.groups_still,
        "only_before": list(motion.only_before),
        "only_after": list(motion.only_after),
    }


def _group_motion(one: GroupMotion) -> dict[str, Any]:
    return {
        "source": one.source,
        "group": _group(one.group),
        "moved": list(one.moved),
        "stood": list(one.stood),
        "began_anew": list(one.back),
        "steps": [
            {
                "ranks": list(step.ranks),
                "seq": list(step.enqueued),
                "completed": list(step.completed),
                "p2p": list(step.p2p),
                "p2p_completed": list(step.p2p_completed),
                "begun": step.begun,
                "ended": step.ended,
            }
            for step in one.steps
        ],
        "steps_left_out": one.steps_left_out,
    }


def _stacks(stacks: StackDifference) -> dict[str, Any]:
    return {
        "same": list(stacks.same),
        "changed": list(stacks.changed),
        "moves": [
            {
                "ranks": list(move.ranks),
                "before": move.before,
                "after": move.after,
                "line_only": move.line_only,
                "frames_before": _frames(move.frames_before),
                "frames_after": _frames(move.frames_after),
            }
            for move in stacks.moves
        ],
        "moves_left_out": stacks.moves_left_out,
        "only_before": list(stacks.only_before),
        "only_after": list(stacks.only_after),
        "recorded": stacks.recorded,
    }


def _frames(frames: Sequence[Frame]) -> list[str]:
    return [str(frame) for frame in frames]


def _counters(counters: CounterDifference) -> dict[str, Any]:
    return {
        "waiting": [
            {"name": one.name, "came": list(one.came), "gone": list(one.gone), "still": list(one.still)}
            for one in counters.changes
        ],
        "waiting_left_out": counters.changes_left_out,
        "rates": [
            {
                "name": one.name,
                "rank": one.rank,
                "waited_s_per_s": round(one.share, 6),
                "median_s_per_s": round(one.median, 6),
            }
            for one in counters.rates
        ],
        "began_anew": list(counters.restarted),
        "only_before": list(counters.only_before),
        "only_after": list(counters.only_after),
    }
