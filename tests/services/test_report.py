"""The report: JSON by its schema, texts that hostile names can't break."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest

from tests.fakes.replies import START, address, reply
from xpudbg.services import events
from xpudbg.services.markdown_text import TICKET_LIMIT
from xpudbg.services.ranksets import RankSet
from xpudbg.services.report import document, render_json, render_markdown, render_text
from xpudbg.services.session import Session
from xpudbg.services.snapshot import Outcome

SCHEMA = json.loads((Path(__file__).parents[2] / "docs" / "report.schema.json").read_text())
HOSTILE = "[/x] \x1b[31m|<b>`*\u202e\ud800\n# h"


def seen(outcomes: dict[int, Outcome], host: str = "", note: str = "") -> Session:
    session = Session()
    everyone = tuple(address(rank, host) for rank in outcomes)
    session.apply(events.TargetOpened("store h:1", len(outcomes), everyone, (note,) if note else ()))
    session.apply(events.LookStarted(1, START, RankSet(outcomes)))
    for rank, outcome in outcomes.items():
        session.apply(events.ReplyArrived(1, reply(rank, outcome=outcome, error=HOSTILE if host else "")))
    session.apply(events.LookClosed(1, START + 1_500_000_000))
    return session


def failed() -> Session:
    session = Session()
    session.apply(events.TargetFailed("store h:1", "refused", "start it"))
    session.apply(events.EngineFailed("looking", "KeyError: 1", "trace"))
    return session


ALL = dict(enumerate(Outcome))


@pytest.mark.parametrize(
    "session",
    [Session(), failed(), seen({0: Outcome.OK}), seen(ALL), seen(ALL, host=HOSTILE, note=HOSTILE)],
    ids=["nothing", "failed", "healthy", "every outcome", "hostile"],
)
@pytest.mark.parametrize("with_ranks", [False, True])
def test_json_keeps_the_schema(session: Session, with_ranks: bool) -> None:
    made = json.loads(render_json(session, with_ranks=with_ranks))
    jsonschema.Draft202012Validator(SCHEMA).validate(made)
    assert ("ranks" in made) == with_ranks
    assert render_json(session).isascii()


def test_the_schema_is_not_blind() -> None:
    made = document(seen({0: Outcome.OK}))
    made["verdict"] = "fine"
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.Draft202012Validator(SCHEMA).validate(made)


def test_what_is_said_of_a_sick_job() -> None:
    made = document(seen({0: Outcome.OK, 1: Outcome.TIMEOUT, 2: Outcome.REFUSED}), with_ranks=True)
    assert made["verdict"] == "dead"
    assert made["classes"] == {"alive": [0], "stopped": [1], "dead": [2]}
    assert {finding["kind"]: finding["culprits"] for finding in made["findings"]} == {"stopped": [1], "dead": [2]}
    assert made["looks"] == [
        {"id": 1, "taken_at": "2023-11-14T22:13:20.000Z", "took_s": 1.5, "replies": 3, "cancelled": False}
    ]
    assert [rank["class"] for rank in made["ranks"]] == ["alive", "stopped", "dead"]


def test_text_says_verdict_finding_and_classes() -> None:
    text = render_text(seen({0: Outcome.OK, 1: Outcome.TIMEOUT}), with_ranks=True)
    assert text.startswith("store h:1, world size 2, look 1 at 2023-11-14T22:13:20.000Z, 1.5 s\n\nverdict  hang\n")
    assert "1. stopped  critical, likely\n   Rank 1 (node-1) is stopped: " in text
    assert "\nalive         1  0\nstopped       1  1\n" in text
    assert "     1  node-1  stopped" in text
    assert "xpudbg failed while looking: KeyError: 1" in render_text(failed())


def test_hostile_text_stays_text() -> None:
    session = seen(ALL, host=HOSTILE, note=HOSTILE)
    for text in (render_text(session, with_ranks=True), render_markdown(session, with_ranks=True)):
        assert "\x1b" not in text
        assert "\u202e" not in text
        assert "\\u202e" in text or "\\\\u202e" in text
        text.encode()
        assert all(not line.startswith("# h") for line in text.splitlines())
    assert "<b>" not in render_markdown(session, with_ranks=True).replace("\\<b\\>", "")


def test_markdown_is_a_ticket() -> None:
    text = render_markdown(seen({0: Outcome.OK, 1: Outcome.TIMEOUT}))
    assert text.startswith("## xpudbg: hang\n")
    assert "| stopped | 1 | 1 |" in text


def test_markdown_is_no_longer_than_a_ticket_takes_and_says_what_is_left_out() -> None:
    everyone = dict.fromkeys(range(1200), Outcome.REFUSED)
    whole, short = seen(everyone, note="whole"), render_markdown(seen(dict.fromkeys(range(20), Outcome.REFUSED)))
    text = render_markdown(whole, with_ranks=True)
    assert 60_000 < len(text) <= TICKET_LIMIT
    assert text.startswith("## xpudbg: dead\n")
    assert "- note: whole\n" in text
    rows = text.count("| node\\-") + text.count("| node-")
    assert f"{1200 - rows:,} × row of the table of ranks" in text
    assert "Left out" not in short


def test_hostile_texts_of_any_length_leave_markdown_within_the_limit() -> None:
    text = render_markdown(
        seen(dict(enumerate(list(Outcome) * 40)), host=HOSTILE * 60, note=HOSTILE * 60), with_ranks=True
    )
    assert len(text) <= TICKET_LIMIT
    assert "Left out" in text
