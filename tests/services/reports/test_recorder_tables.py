"""The flight recorder's tables in every form."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from tests.fakes.gathered_files import gathered
from xpudbg.services.looks.recorders import RecorderAnalyst, RecorderLook
from xpudbg.services.reports.recorder_tables import TABLE_FORMATS, render_tables

DUMPS = Path(__file__).parents[2] / "data" / "flight_recorder"


def look(name: str) -> RecorderLook:
    dumps = gathered(DUMPS / name).dumps
    return RecorderAnalyst(()).judge_files(1, 0, dumps, 3, {})


@pytest.mark.parametrize("style", TABLE_FORMATS)
def test_every_form_has_all_tables(style: str) -> None:
    text = render_tables(look("coalesced-missing-on-one-rank"), style)
    for title in ("Groups", "Memberships", "Collectives", "NCCL calls"):
        assert title in text
    assert "missing_ranks" in text


def test_json_holds_every_row() -> None:
    made = json.loads(render_tables(look("coalesced-missing-on-one-rank"), "json"))
    (tables,) = made.values()
    assert [row["global_rank"] for row in tables["Memberships"]] == [0, 1, 2]
    assert any(row["missing_ranks"] == [2] for row in tables["Collectives"])


def test_csv_is_read_back_and_holds_no_formula() -> None:
    rows = list(csv.reader(render_tables(look("hostile-frame-text"), "csv").splitlines()))
    assert ["# Groups"] in rows
    assert not [cell for row in rows for cell in row if cell[:1] in ("=", "+", "@")]


def test_hostile_text_is_made_plain_in_every_form() -> None:
    for style in TABLE_FORMATS:
        text = render_tables(look("hostile-frame-text"), style)
        assert "\x1b" not in text
        assert "\u202e" not in text


def test_nothing_recorded_is_said() -> None:
    assert "no flight recorder" in render_tables(RecorderLook(look_id=1), "plain")
