"""Handlers of a real job's own: listed, called with a query, their answers and failures read; others keep answering."""

from __future__ import annotations

import json

import pytest

from tests.real.attached import Attached, store_of
from tests.real.job import RealJob
from xpudbg.services.cluster.handler_calls import answer_text, handlers_of, parse_call
from xpudbg.services.cluster.probes import HANDLERS, Probe
from xpudbg.services.engine import Engine
from xpudbg.services.events import AskedReply
from xpudbg.services.ranksets import RankSet
from xpudbg.services.snapshot import Outcome, RankReply

pytestmark = pytest.mark.torch


def call(attached: Attached, rank: int, probe: Probe) -> RankReply:
    attached.engine.ask(RankSet([rank]), probe)
    while True:
        event = attached.engine.events.get(timeout=60)
        attached.session.apply(event)
        if isinstance(event, AskedReply):
            return event.reply


def test_a_handler_of_the_job_s_own(job: RealJob, engine: Engine) -> None:
    job.tell(1, "handler train_state")
    job.expect(1, "done handler")
    attached = Attached(engine, store_of(job))
    assert "train_state" in (handlers_of(attached.session, 1) or ())
    assert "train_state" not in (handlers_of(attached.session, 0) or ())
    reply = call(attached, 1, parse_call("train_state?depth=2&text=a%20%26%20ä").probe)
    assert json.loads(answer_text(reply)) == {"rank": 1, "depth": "2", "text": "a & ä"}
    failed = call(attached, 1, parse_call("train_state?fail=1").probe)
    assert failed.outcome is Outcome.HTTP_ERROR
    assert "told to fail" in answer_text(failed)
    missing = call(attached, 0, parse_call("train_state").probe)
    assert "not there on this rank" in answer_text(missing)
    job.stop(1)
    try:
        silent = call(attached, 1, parse_call("train_state").probe)
        assert silent.outcome is Outcome.TIMEOUT
        assert "train_state" in attached.session.ranks[1].stuck
        assert call(attached, 0, HANDLERS).outcome is Outcome.OK
    finally:
        job.resume(1)
