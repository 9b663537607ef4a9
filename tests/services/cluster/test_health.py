"""What torchcomms' health check says: read, kept in the rank table, told."""

from __future__ import annotations

import json

import pytest

from tests.fakes.replies import SECOND, START, address, reply
from xpudbg.services.cluster.health import Health, health_findings, read_health
from xpudbg.services.cluster.liveness import begin, fold, not_told
from xpudbg.services.findings import Confidence, Severity
from xpudbg.services.snapshot import Outcome, RankClass, RankReply, RankState

SOURCE = "torchcomms_health_check"


def said(text: str | bytes, at: int = START) -> RankReply:
    return reply(3, SOURCE, body=text if isinstance(text, bytes) else text.encode(), started_at=at, took_s=0.0)


@pytest.mark.parametrize(
    ("text", "healthy", "rest"),
    [
        ('{"healthy": true}', True, ""),
        ('{"healthy": false, "reason": "link 3"}', False, '{"reason": "link 3"}'),
        ('{"links": [8, 7], "healthy": true}', True, '{"links": [8, 7]}'),
        ('{"healthy": "no"}', None, "the answer has no healthy"),
        ('{"state": 1}', None, '{"state": 1}'),
        ("[]", None, "JSON of another shape: Expected `object`, got `array`"),
        ("fine", None, "not JSON: fine"),
        ("", None, "no data"),
    ],
)
def test_only_healthy_has_a_meaning_and_the_rest_is_text(text: str, healthy: bool | None, rest: str) -> None:
    assert read_health(said(text)) == Health(healthy, rest, START)


def test_hostile_answers_are_text_and_cut() -> None:
    made = read_health(said(json.dumps({"healthy": False, "x": "[red]\x1b[31m\u202e" + "a" * 5000})))
    assert made is not None
    assert made.healthy is False
    assert "\x1b" not in made.said
    assert "\u202e" not in made.said
    assert len(made.said) < 600
    for hostile in (b'{"a": ' + b"[" * 100_000 + b"]" * 100_000 + b"}", b'{"healthy": ' + b"9" * 100_000 + b"}"):
        deep = read_health(said(hostile))
        assert deep is not None
        assert deep.healthy is None
        assert deep.said


def test_a_rank_without_the_handler_has_no_health_and_is_not_in_error() -> None:
    missing = reply(3, SOURCE, Outcome.HTTP_ERROR, b"Handler not found", status=404, error="is not there on this rank")
    assert read_health(missing) is None
    assert fold(alive(), missing) == alive()
    failed = read_health(reply(3, SOURCE, Outcome.HTTP_ERROR, b"boom", status=500, error="HTTP 500: boom"))
    assert failed is not None
    assert str(failed) == "not known: HTTP 500: boom"


def alive() -> RankState:
    return fold(begin(address(3)), reply(3))


def test_it_is_kept_in_the_row_and_changes_no_class() -> None:
    state = fold(alive(), said('{"healthy": false}', START + SECOND))
    assert (state.rank_class, state.health) == (RankClass.ALIVE, Health(False, "", START + SECOND))
    assert fold(state, reply(3)).health == state.health


def test_a_rank_that_is_not_heard_any_more_has_no_health() -> None:
    state = fold(alive(), said('{"healthy": false}'))
    assert fold(state, reply(3, outcome=Outcome.TIMEOUT)).health is None
    assert not_told(state, "it was cancelled").health is None


def test_the_finding_warns_and_has_the_rest_as_evidence() -> None:
    sick = fold(alive(), said('{"healthy": false, "reason": "link 3"}'))
    (one,) = health_findings({2: alive(), 3: sick}, lambda ranks: f"rank {ranks}")
    assert (one.kind, one.severity, one.confidence) == ("unhealthy", Severity.WARNING, Confidence.LIKELY)
    assert one.text == "Rank 3 is unhealthy by torchcomms' own health check."
    assert [(item.source, item.rank, item.text) for item in one.evidence] == [(SOURCE, 3, '{"reason": "link 3"}')]
    assert health_findings({3: alive()}, str) == []


def test_many_are_one_finding_with_the_first_spelled_out() -> None:
    sick = fold(alive(), said('{"healthy": false}'))
    (one,) = health_findings(dict.fromkeys(range(20), sick), lambda ranks: f"ranks {ranks}")
    assert one.text.startswith("Ranks 0-19 are unhealthy")
    assert one.evidence[-1].text == "12 more ranks say the same"
