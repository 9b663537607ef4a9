"""The difference as text, Markdown and JSON: what matters first, and no foreign text means anything."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import jsonschema
import pytest

from tests.fakes.flight_recorder_jobs import Fault
from tests.fakes.look_records import look_records
from tests.tui.counter_scripts import counter_job, trained
from tests.tui.progress_scripts import job_of, mesh, recorder_job
from tests.tui.scripted import NOW, SECOND, look, opened
from tests.tui.stack_scripts import hung
from xpudbg.services.looks.difference.difference import difference
from xpudbg.services.looks.difference.rendering import difference_lines, render_json, render_markdown, render_text
from xpudbg.services.looks.difference.values import LookDifference

SCHEMA = json.loads((Path(__file__).parents[4] / "docs" / "diff.schema.json").read_text())


def made(texts: dict[int, str] | None = None) -> LookDifference:
    jobs = [job_of(mesh(16), 2), job_of(mesh(16), 4, [Fault(9, 6, "stops")])]
    return difference(*look_records(recorder_job(jobs, texts=texts)))


def counted() -> LookDifference:
    said = trained(8, slow=[5])
    said[1] = trained(8, waiting=[2], slow=[5])[1]
    return difference(*look_records(counter_job(8, said)))


def test_the_text_begins_with_what_matters() -> None:
    lines = difference_lines(made(hung(16, [9])))
    assert lines[0] == "A  store head-0:29500, look 1 at 2025-10-09T08:53:06.000Z, world size 16"
    assert lines[1] == "B  the same target, look 2 at 2025-10-09T08:53:16.000Z, 10.0 s later"
    headings = [line for line in lines[3:] if line and not line.startswith(" ")]
    assert [heading.split()[0] for heading in headings] == ["verdict", "findings", "flight", "stacks"]
    assert "  moved   ranks 0-8,10-15" in lines
    assert "  stood   rank 9" in lines
    group = lines.index("  mesh_tp (group 3); stood: rank 9")
    assert lines[group + 1] == "    ranks 8,10-11: #2 -> #3, 1 begun, 0 ended"


def test_groups_that_moved_alike_are_one_line() -> None:
    lines = difference_lines(made())
    at = lines.index("  mesh_tp (3 groups)")
    assert lines[at + 1] == "    ranks 0-7,12-15: #2 -> #3, 1 begun, 1 ended"


def test_counters_in_words() -> None:
    text = render_text(counted())
    assert "waiting now in TCPStore__wait: + rank 2" in text
    assert "data.next_batch: rank 5 waited 0.17 s a second (median 0.02)" in text


@pytest.mark.parametrize("width", [40, 80])
def test_lines_keep_a_width(width: int) -> None:
    assert max(map(len, difference_lines(made(hung(16, [9])), width))) <= width


@pytest.mark.parametrize("one", [made, counted], ids=["recorder", "counters"])
def test_json_keeps_the_schema(one: object) -> None:
    document = json.loads(render_json(one()))  # type: ignore[operator]
    jsonschema.Draft202012Validator(SCHEMA).validate(document)
    document["verdict"]["before"] = "fine"
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.Draft202012Validator(SCHEMA).validate(document)


def test_hostile_names_are_made_plain_and_mean_nothing() -> None:
    bad = "node\x1b[31m\u202e<b>@all|`x`"
    records = look_records(
        [opened(4), *look(1, 4, at=NOW - 10 * SECOND), *look(2, 4, {2: "dead"}, error=f"refused by {bad}")]
    )
    before, after = (replace(one, snapshot=replace(one.snapshot, target=bad)) for one in records)
    found = difference(before, after)
    text, markdown = render_text(found), render_markdown(found)
    for shown in (text, markdown, render_json(found)):
        assert "\x1b" not in shown
        assert "\u202e" not in shown
    assert "\\x1b[31m\\u202e<b>" in text
    for sign in ("<b>", "@all", "`x`", "|"):
        assert sign not in markdown.replace(f"\\{sign[0]}", "")


def test_long_rank_sets_are_cut_in_lines_and_whole_in_json() -> None:
    sick = {rank: "dead" for rank in range(200) if rank % 7 in (0, 3, 4)}
    records = look_records([opened(200), *look(1, 200, at=NOW - 10 * SECOND), *look(2, 200, sick)])
    found = difference(*records)
    (line,) = [line for line in difference_lines(found) if line.endswith("alive -> dead")]
    assert f"({len(sick)} in all)" in line
    (change,) = json.loads(render_json(found))["ranks"]["classes"]
    assert change["ranks"] == sorted(sick)
