"""`xpudbg diff` as a shell sees it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from tests.fakes.flight_recorder_jobs import Call, FakeGroup, FakeJob, Fault
from tests.fakes.look_records import look_records
from tests.fakes.raw_server import refused_port, worker_server
from tests.tui.scripted import NOW, SECOND, look, opened
from tests.tui.test_cli import serve, xpudbg
from xpudbg.services.looks.choice import LookChoice
from xpudbg.services.looks.difference.difference import difference
from xpudbg.services.session import Session
from xpudbg.tui.cli import main
from xpudbg.tui.commands.diff import Kept, LookMissingError, exit_code

__all__ = ["serve"]  # the fixture


def dumps(folder: Path, faults: tuple[Fault, ...] = ()) -> str:
    job = FakeJob(3, [FakeGroup("0", "default_pg", (0, 1, 2))], [Call("0")] * 9, faults=faults)
    folder.mkdir()
    for rank in range(job.world):
        (folder / f"nccl_trace_rank_{rank}.json").write_bytes(job.as_json(rank))
    return str(folder)


def test_two_folders(tmp_path: Path) -> None:
    healthy, hung = dumps(tmp_path / "healthy"), dumps(tmp_path / "hung", (Fault(1, 5, "stops"),))
    done = xpudbg("diff", healthy, hung)
    assert (done.returncode, done.stderr) == (1, "")
    lines = done.stdout.splitlines()
    assert "verdict  ok -> hang" in lines
    assert any(line.startswith("  + not_joined (critical, certain): Rank 1 has not joined") for line in lines)
    back = xpudbg("diff", hung, healthy, "--format", "json")
    made = json.loads(back.stdout)
    assert (back.returncode, made["differs"]) == (1, True)
    assert [one["kind"] for one in made["findings"]["gone"]] == ["not_joined"]


def test_a_living_job_twice_is_the_same(serve: object) -> None:
    url = serve(worker_server(stuck=set()))  # type: ignore[operator]
    done = xpudbg("diff", url, "--interval", "0", "--format", "markdown")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("## xpudbg diff: ok, as before\n")


def test_a_look_that_is_not_there_is_3(tmp_path: Path) -> None:
    done = xpudbg("diff", dumps(tmp_path / "a"))
    assert done.returncode == 3
    assert "has one look only: nothing to compare it with" in done.stderr
    with refused_port() as held:
        gone = xpudbg("diff", str(tmp_path / "a"), f"127.0.0.1:{held.getsockname()[1]}")
    assert (gone.returncode, gone.stdout) == (3, "")
    assert "refused the connection" in gone.stderr


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), "Missing argument 'A'"),
        (("host:1#2",), "one look alone has no difference"),
        (("host:1#2", "host:1#2"), "both are look 2 of one target"),
        (("host:1", "host:1", "--look", "2"), "both are look 2 of one target"),
        (("nothing.json", "host:1"), "there is no such file or folder"),
        (("demo", "--scenario", "none"), "no scenario is called"),
    ],
    ids=["nothing", "one look", "the same look", "the same look by option", "no file", "no scenario"],
)
def test_wrong_usage_is_2(words: tuple[str, ...], said: str) -> None:
    done = CliRunner().invoke(main, ["diff", *words])
    assert done.exit_code == 2
    assert said in done.output


def looks(sick: list[dict[int, str]]) -> list[object]:
    script = [opened(4)]
    for number, one in enumerate(sick, 1):
        script += look(number, 4, one, at=NOW + number * 10 * SECOND)  # type: ignore[arg-type]
    return look_records(script)  # type: ignore[return-value]


def test_looks_are_kept_by_their_number() -> None:
    kept = Kept([LookChoice(first=True), LookChoice(2), LookChoice()])
    records = looks([{}, {1: "dead"}, {}])
    for record in records:
        kept.take(record)  # type: ignore[arg-type]
    assert list(kept.found("x", Session(), interrupted=False)) == records
    missing = Kept([LookChoice(7)])
    for record in records:
        missing.take(record)  # type: ignore[arg-type]
    with pytest.raises(LookMissingError, match="x has no look 7: there are looks 1-3"):
        missing.found("x", Session(), interrupted=False)


@pytest.mark.parametrize(
    ("sick", "expected"),
    [
        ([{}, {}], 0),
        ([{}, {1: "dead"}], 1),
        ([{1: "name_unknown"}, {1: "name_unknown"}], 4),
    ],
    ids=["calm", "differs", "partial"],
)
def test_exit_codes(sick: list[dict[int, str]], expected: int) -> None:
    before, after = looks(sick)
    assert exit_code(difference(before, after)) == expected  # type: ignore[arg-type]
