"""The stacks of looks and what is said of them: which text counts, what is compared with what, in which words."""

from __future__ import annotations

from tests.fakes.replies import SECOND, START, reply
from xpudbg.services.findings import Confidence, Severity
from xpudbg.services.judging.stack_findings import stack_evidence, stack_findings
from xpudbg.services.looks.stacks import StackAnalyst, StackLook
from xpudbg.services.ranksets import RankSet
from xpudbg.services.snapshot import Outcome, RankReply

TORCH = "/site-packages/torch/distributed/distributed_c10d.py"


def traceback(*frames: tuple[str, str, int]) -> bytes:
    lines = [f'  File "{file}", line {line} in {name}' for name, file, line in frames]
    return "\n".join(["Thread 0x01 (most recent call first):", *lines, ""]).encode()


WAITING = traceback(("all_reduce", TORCH, 3252), ("step", "/job/train.py", 42))
LOADING = traceback(("fetch", "/job/data/loader.py", 88), ("step", "/job/train.py", 30))


def replies(bodies: dict[int, bytes], source: str = "dump_traceback") -> dict[tuple[int, str], RankReply]:
    return {(rank, source): reply(rank, source, body=body) for rank, body in bodies.items()}


def looks(*bodies: dict[int, bytes], apart: int = 2, stood: RankSet | None = None) -> StackLook:
    analyst = StackAnalyst()
    look = StackLook(look_id=0)
    for number, one in enumerate(bodies):
        at = START + number * apart * SECOND
        look = analyst.analyse(number + 1, at, replies(one), RankSet(one), stood=stood)
    return look


HUNG = {0: WAITING, 1: WAITING, 2: LOADING}


def test_two_looks_apart_name_the_rank_that_is_elsewhere() -> None:
    (finding,) = stack_findings(looks(HUNG, HUNG, stood=RankSet.full(3)), lambda ranks: f"rank {ranks}")
    assert (finding.kind, finding.culprits, finding.waiting) == ("stuck_stack", RankSet([2]), RankSet([0, 1]))
    assert (finding.severity, finding.confidence) == (Severity.CRITICAL, Confidence.LIKELY)
    assert finding.text == (
        "Rank 2 is in fetch (data/loader.py:88) while 2 others wait in all_reduce at step (job/train.py:42)."
    )


def test_without_knowing_that_the_others_stand_still_it_is_possible_and_says_why() -> None:
    (finding,) = stack_findings(looks(HUNG, HUNG), str)
    assert (finding.severity, finding.confidence) == (Severity.WARNING, Confidence.POSSIBLE)
    assert "a slow job looks the same" in finding.refutation


def test_one_look_or_two_too_close_say_nothing() -> None:
    assert stack_findings(looks(HUNG), str) == []
    assert stack_findings(looks(HUNG, HUNG, apart=0), str) == []


def test_py_spy_counts_where_the_traceback_did_not_come() -> None:
    asked = {
        (0, "dump_traceback"): reply(0, "dump_traceback", Outcome.TIMEOUT),
        (0, "pyspy_dump"): reply(
            0,
            "pyspy_dump",
            body=b'Process 7: python\nPython v3.11.7 (/usr/bin/python3)\n\nThread 7 (active+gil): "MainThread"\n'
            b"    decode (data/decode.py:40)\n",
        ),
        (1, "dump_traceback"): reply(1, "dump_traceback", body=WAITING),
        (1, "pyspy_dump"): reply(1, "pyspy_dump", body=b"Error: x"),
    }
    look = StackAnalyst().analyse(1, START, asked, RankSet([0, 1, 2]))
    evidence = stack_evidence(look, 0)
    assert evidence is not None
    assert (evidence.source, evidence.text) == ("pyspy_dump", "holds the GIL in decode (data/decode.py:40)")
    assert look.main(1) is not None
    assert look.missing == {2: "no stack was asked for"}


def test_why_a_rank_has_no_stack_is_told() -> None:
    asked = {
        (0, "dump_traceback"): reply(0, "dump_traceback", Outcome.TIMEOUT, error="no answer after 3.0 s"),
        (0, "pyspy_dump"): reply(
            0, "pyspy_dump", Outcome.HTTP_ERROR, body=b"sh: 1: py-spy: not found", status=500, error="not installed"
        ),
        (1, "ping"): reply(1, outcome=Outcome.REFUSED, error="connection refused"),
    }
    look = StackAnalyst().analyse(1, START, asked, RankSet([0, 1]))
    assert "pip install py-spy" in look.missing[0]
    assert look.missing[1] == "ping: connection refused"


def test_the_only_look_of_files_accuses_nobody_and_tells_who_is_elsewhere() -> None:
    analyst = StackAnalyst(one_look_counts=True)
    look = analyst.analyse(1, START, replies(HUNG), RankSet.full(3))
    (found,) = stack_findings(look, str)
    assert (found.severity, found.culprits, found.waiting) == (Severity.INFO, RankSet([2]), RankSet([0, 1]))
    assert "there is only one look" in found.refutation
    assert found.evidence[-1].text.endswith("at the only look")
    again = analyst.analyse(2, START + 10 * SECOND, replies(HUNG), RankSet.full(3), stood=RankSet.full(3))
    assert [one.severity for one in stack_findings(again, str)] == [Severity.CRITICAL]
