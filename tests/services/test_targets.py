from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from xpudbg.services.targets import (
    DemoTarget,
    FilesTarget,
    StoreTarget,
    Target,
    TargetError,
    WorkersTarget,
    parse_target,
)

ADDRESSES: list[dict[str, Any]] = json.loads(
    (Path(__file__).parents[1] / "data" / "addresses" / "addresses.json").read_text(encoding="utf-8")
)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder in which words are looked up as paths."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def parse(*words: str, **env: str) -> Target | None:
    return parse_target(words, env)


@pytest.mark.parametrize("row", ADDRESSES, ids=[row["text"] or "empty" for row in ADDRESSES])
def test_what_a_person_types(row: dict[str, Any]) -> None:
    want: str = row["want"]
    if want.startswith("error"):
        with pytest.raises(TargetError) as caught:
            parse(row["text"])
        reason = want.partition(":")[2].strip()
        assert reason in f"{caught.value} {caught.value.hint}"
        return
    target = parse(row["text"])
    if row["kind"] == "store":
        assert isinstance(target, StoreTarget)
        assert target.label == want.partition(" (")[0].partition(" or ")[0]
        assert target.port == row["port"]
        assert target.host == (row["host"] if row["host"].isascii() else row["host"].encode("idna").decode())
    else:
        assert isinstance(target, WorkersTarget)
        (worker,) = target.workers
        assert target.label == want.partition(" (")[0]
        assert worker.host == row["host"]
        assert worker.registered.endswith(f":{row['port'] or 80}")
        assert "p%40ss" not in target.label + worker.registered


class TestEnvironment:
    def test_nothing(self) -> None:
        assert parse() is None
        assert parse(MASTER_PORT="29500") is None
        assert parse(MASTER_ADDR="  ") is None

    @pytest.mark.parametrize(
        ("host", "port", "target"),
        [
            ("node-1", "29511", StoreTarget("node-1", 29511)),
            ("node-1", "", StoreTarget("node-1", 29500)),
            ("fd00::7", "29511", StoreTarget("fd00::7", 29511)),
            ("fd00::7:2950", "29511", StoreTarget("fd00::7:2950", 29511)),
            ("[fd00::7]", "29511", StoreTarget("fd00::7", 29511)),
        ],
    )
    def test_store_of_the_job_around_us(self, host: str, port: str, target: StoreTarget) -> None:
        assert parse(MASTER_ADDR=host, MASTER_PORT=port) == target

    @pytest.mark.parametrize(("host", "port"), [("node-1", "x"), ("node-1", "0"), ("a b", "1"), ("n:1", "2")])
    def test_wrong_values_are_said(self, host: str, port: str) -> None:
        with pytest.raises(TargetError, match="MASTER_ADDR and MASTER_PORT"):
            parse(MASTER_ADDR=host, MASTER_PORT=port)

    def test_words_go_before_it(self) -> None:
        assert parse("demo", MASTER_ADDR="node-1") == DemoTarget(None, None)


class TestStore:
    def test_the_url_of_an_init_method(self) -> None:
        assert parse("tcp://10.0.0.5:23456") == StoreTarget("10.0.0.5", 23456)

    def test_another_scheme(self) -> None:
        with pytest.raises(TargetError, match="file:// is not known"):
            parse("file:///tmp/x")

    @pytest.mark.parametrize("word", ["no such thing", "a b:5", "host:port", "???"])
    def test_what_is_nothing_says_what_forms_there_are(self, word: str) -> None:
        with pytest.raises(TargetError) as caught:
            parse(word)
        for form in ("host:port", "http://host:port", "demo", "file"):
            assert form in caught.value.hint


class TestWorkers:
    def test_several_words_are_ranks_in_order(self) -> None:
        target = parse("http://a:1", "http://b:1", "http://c:1")
        assert isinstance(target, WorkersTarget)
        assert [(worker.rank, worker.url) for worker in target.workers] == [
            (0, "http://a:1"),
            (1, "http://b:1"),
            (2, "http://c:1"),
        ]
        assert target.label == "3 workers from http://a:1"

    def test_named_ranks(self) -> None:
        target = parse("rank7=b:1", "rank3=http://a:1")
        assert isinstance(target, WorkersTarget)
        assert [worker.rank for worker in target.workers] == [3, 7]

    def test_a_rank_named_twice(self) -> None:
        with pytest.raises(TargetError, match="rank 1 is named twice"):
            parse("http://a:1", "http://b:1", "rank1=http://c:1")

    def test_labels_show_no_password(self) -> None:
        target = parse("http://u:secret@a:1", "http://u:secret@b:1")
        assert target is not None
        assert "secret" not in target.label

    def test_a_store_stands_alone(self) -> None:
        with pytest.raises(TargetError, match="'b:1' can't stand among several words"):
            parse("http://a:1", "b:1")

    def test_workers_and_files_do_not_mix(self, folder: Path) -> None:
        (folder / "dump").write_bytes(b"x")
        with pytest.raises(TargetError, match="'dump' can't stand"):
            parse("http://a:1", "dump")

    def test_a_file(self, folder: Path) -> None:
        (folder / "ranks.txt").write_text("http://a:1\nrank3=b:1\n")
        target = parse("ranks.txt")
        assert isinstance(target, WorkersTarget)
        assert [(worker.rank, worker.url) for worker in target.workers] == [(0, "http://a:1"), (3, "http://b:1")]


class TestFiles:
    def test_a_folder_and_another_file(self, folder: Path) -> None:
        (folder / "dumps").mkdir()
        (folder / "dump").write_bytes(b"\x80\x04")
        assert parse("dumps") == FilesTarget((Path("dumps"),))
        assert parse(str(folder / "dump")) == FilesTarget((folder / "dump",))
        assert parse("dump", "dumps") == FilesTarget((Path("dump"), Path("dumps")))

    def test_a_word_with_a_port_is_an_address_whatever_files_there_are(self, folder: Path) -> None:
        (folder / "node:1").write_bytes(b"x")
        assert parse("node:1") == StoreTarget("node", 1)
        assert parse("./node:1") == FilesTarget((Path("node:1"),))

    def test_a_word_without_a_port_is_a_path_if_that_exists(self, folder: Path) -> None:
        assert parse("node") == StoreTarget("node", 29500)
        (folder / "node").mkdir()
        assert parse("node") == FilesTarget((Path("node"),))

    def test_demo_is_the_demo(self, folder: Path) -> None:
        (folder / "demo").mkdir()
        assert parse("demo") == DemoTarget(None, None)
        assert parse("./demo") == FilesTarget((Path("demo"),))

    @pytest.mark.parametrize("word", ["./gone", "gone/", "/gone/x", "ranks.txt", "dump.json", "~/gone-gone"])
    def test_what_is_not_there(self, word: str) -> None:
        with pytest.raises(TargetError, match="no such file or folder"):
            parse(word)

    @pytest.mark.parametrize(
        "word", ["job.tgz", "job.tar.xz", "job.xpudbg", "train.out", "nccl_trace_rank_5", "_dump_0", "*.json", "a?.log"]
    )
    def test_what_is_named_as_a_file_is_never_a_host(self, word: str) -> None:
        with pytest.raises(TargetError, match=r"no such file or folder|matches no file") as caught:
            parse(word)
        assert "archive" in caught.value.hint

    @pytest.mark.parametrize("word", ["node_7", "job.example.pt", "[fd00::7]", "trainer_rank_5:29500"])
    def test_hosts_stay_hosts(self, word: str) -> None:
        assert isinstance(parse(word), StoreTarget)

    def test_the_folder_that_is_there_is_named(self, folder: Path) -> None:
        (folder / "dumps").mkdir()
        with pytest.raises(TargetError) as caught:
            parse("dumps/rank_5.json")
        assert "'dumps' exists" in caught.value.hint

    def test_a_pattern_that_no_shell_expanded(self, folder: Path) -> None:
        for name in ("rank_1.json", "rank_0.json", "other"):
            (folder / name).write_text("{}")
        both = FilesTarget((Path("rank_0.json"), Path("rank_1.json")))
        assert parse("rank_*.json") == parse("./rank_?.json") == parse("rank_0.json", "rank_[01].json") == both
        (folder / "rank_*.json").write_text("{}")
        assert parse("rank_*.json") == FilesTarget((Path("rank_*.json"),))

    def test_of_several_some_may_be_gone(self, folder: Path) -> None:
        (folder / "rank_0.json").write_text("{}")
        both = FilesTarget((Path("rank_0.json"), Path("rank_1.json")))
        assert parse("rank_0.json", "rank_1.json") == both
        with pytest.raises(TargetError, match="'reprot' can't stand"):
            parse("reprot", "rank_0.json")
        with pytest.raises(TargetError, match=r"'rank_7\.json': there is no such file"):
            parse("rank_7.json", "rank_8.json")

    def test_a_colon_in_the_name_of_a_log(self, folder: Path) -> None:
        (folder / "job-06:55:05.log").write_text("x\n")
        assert parse("job-06:55:05.log") == FilesTarget((Path("job-06:55:05.log"),))

    def test_a_log_is_no_list_of_workers(self, folder: Path) -> None:
        (folder / "job.out").write_text("node-1:29500\n" + "[rank3]: loss 1.0\n" * 5)
        assert parse("job.out") == FilesTarget((Path("job.out"),))

    def test_home(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("HOME", str(folder))
        (folder / "dumps").mkdir()
        assert parse("~/dumps") == FilesTarget((folder / "dumps",))


@pytest.mark.parametrize(
    ("target", "label"),
    [
        (StoreTarget("fd00::7", 5), "store [fd00::7]:5"),
        (DemoTarget(None, None), "demo"),
        (DemoTarget(64, "gil_held"), "demo of 64 ranks: gil_held"),
        (FilesTarget((Path("dumps"),)), "dumps"),
        (FilesTarget((Path("a"), Path("b"))), "2 paths from a"),
    ],
)
def test_labels(target: Target, label: str) -> None:
    assert target.label == label


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.one_of(st.text(max_size=30), st.text(alphabet="rank0123=htp:/[].@~", max_size=25)), max_size=3))
def test_any_words_are_a_target_or_a_typed_error(words: list[str]) -> None:
    try:
        target = parse_target(words, {})
    except TargetError:
        return
    assert target is None or target.label
    if isinstance(target, StoreTarget):
        assert parse_target([target.label.removeprefix("store ")], {}) == target
