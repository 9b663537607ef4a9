"""The counters in the report's JSON: who waits now, who is unlike the others; bounded and by its schema."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest

from tests.fakes.counter_answers import answer, counter, looks
from tests.tui.counter_scripts import counter_job, trained
from xpudbg.services.counters import in_report
from xpudbg.services.counters.in_report import counters_in_report
from xpudbg.services.report import document, render_json
from xpudbg.services.session import Session

SCHEMA = json.loads((Path(__file__).parents[3] / "docs" / "report.schema.json").read_text())


def trained_session(size: int = 8, looks: int = 2, without: tuple[int, ...] = ()) -> Session:
    session = Session()
    said = trained(size, looks=looks, waiting=[1, 5], slow=[3])
    for one in said:
        for rank in without:
            del one[rank]
    for event in counter_job(size, said, without=without):
        session.apply(event)
    return session


def test_who_waits_and_who_is_unlike_the_others() -> None:
    made = document(trained_session())["counters"]
    assert (made["look"], made["before"], made["ranks"]) == (2, 1, [*range(8)])
    assert made["active"] == [
        {"rank": 1, "waits": {"TCPStore__wait": 1}},
        {"rank": 5, "waits": {"TCPStore__wait": 1}},
    ]
    (outlier,) = made["outliers"]
    assert (outlier["rank"], outlier["counter"]) == (3, "data.next_batch")
    assert outlier["value"] == pytest.approx(9 * 1_860 * 100 / 10 / 1e6)
    assert outlier["z"] > 3.5
    assert made["outliers_in"] == "seconds waited in a second"
    assert (made["active_left_out"], made["outliers_left_out"], made["missing"]) == (0, 0, [])


def test_at_the_first_look_the_time_waited_in_all_is_compared() -> None:
    made = document(trained_session(looks=1))["counters"]
    assert made["before"] is None
    (outlier,) = made["outliers"]
    assert outlier["value"] == pytest.approx(9 * 1_860 * 1_000 / 1e6)
    assert made["outliers_in"] == "time waited in all, s"


@pytest.mark.parametrize("seen", [1, 2], ids=["first look", "later"])
def test_it_keeps_the_schema(seen: int) -> None:
    made = json.loads(render_json(trained_session(looks=seen, without=(7,))))
    jsonschema.Draft202012Validator(SCHEMA).validate(made)
    assert made["counters"]["missing"] == [{"rank": 7, "reason": "not there: the rank has no wait_counter_values"}]
    assert document(Session())["counters"] is None


def test_it_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(in_report, "ACTIVE_SHOWN", 2)
    monkeypatch.setattr(in_report, "WAITS_SHOWN", 3)
    monkeypatch.setattr(in_report, "OUTLIERS_SHOWN", 4)
    said = {
        rank: answer(**{f"wait{number}": counter(1, 10_000_000 * (1 + 9 * (rank < 3))) for number in range(5)})
        for rank in range(9)
    }
    made = counters_in_report(looks(said)[-1])
    assert [one["rank"] for one in made["active"]] == [0, 1]
    assert [len(one["waits"]) for one in made["active"]] == [3, 3]
    assert made["active_left_out"] == 7
    assert len(made["outliers"]) == 4
    assert made["outliers_left_out"] == 11
