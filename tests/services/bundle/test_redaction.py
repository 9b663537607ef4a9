"""What is redacted is nowhere in the file, and the verdict stays what it was."""

from __future__ import annotations

import json
import pickle
import zipfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.fakes.replies import SECOND, START, reply
from tests.services.bundle.making import replayed, written
from xpudbg.services import events
from xpudbg.services.artifacts.watchdog import WatchdogKind, WatchdogLine
from xpudbg.services.bundle.errors import UnredactableError
from xpudbg.services.bundle.reader import open_bundle
from xpudbg.services.bundle.redaction import KINDS, Redaction
from xpudbg.services.bundle.store_record import NO_TEXT, REDACTED
from xpudbg.services.ranksets import RankSet
from xpudbg.services.snapshot import LookContext, Outcome, RankAddress
from xpudbg.services.store_browse.events import StoreListing
from xpudbg.services.store_browse.values import StoreValue


def redacting(*kinds: str, hosts: tuple[str, ...] = ()) -> Redaction:
    made = Redaction(kinds)
    made.learn(hosts)
    return made


HOSTS = ("gpu-a01.corp.example", "gpu-a02.corp.example", "gpu_b3", "10.1.2.3", "fd00::a:7", "localhost", "127.0.0.1")


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("gpu-a01.corp.example", "host-1"),
        ("http://gpu-a01.corp.example:4000/handler/", "http://host-1:4000/handler/"),
        ("http://GPU-A01:4000 and gpu-a02", "http://host-1:4000 and host-2"),
        ("nccl_trace_rank_gpu-a02_5", "nccl_trace_rank_host-2_5"),
        ("trace_gpu_b3_7", "trace_host-3_7"),
        ("gpu-a01-eth0 gpu-a01.", "host-1-eth0 host-1."),
        ("gpu-a011 xgpu-a01 gpu-a0", "gpu-a011 xgpu-a01 gpu-a0"),
        ("resolves in corp.example", "resolves in domain-1"),
        ("10.1.2.3:29500", "host-4:29500"),
        ("10.1.2.30, 110.1.2.3.", "host-6, host-7."),
        ("version 2.10.0 of 1.2.3.4.5", "version 2.10.0 of 1.2.3.4.5"),
        ("[fd00::a:7]:4000 [fe80::1]:4000", "[host-5]:4000 [host-6]:4000"),
        ("at 12:03:10 c10::detail std::abc", "at 12:03:10 c10::detail std::abc"),
        ("localhost 127.0.0.1 [::1]:80 0.0.0.0", "localhost 127.0.0.1 [::1]:80 0.0.0.0"),
    ],
)
def test_hosts_in_texts(text: str, wanted: str) -> None:
    assert redacting("hosts", hosts=HOSTS).text(text) == wanted


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("/data/alice/run/train.py", "/dir-1/file-1.py"),
        ("/data/alice smith/my run/train.py", "/dir-1/file-1.py"),
        ('  File "/data/alice smith/train.py", line 3 in main', '  File "/dir-1/file-1.py", line 3 in main'),
        ("    main (/data/alice/train.py:3)", "    main (/dir-1/file-1.py:3)"),
        ("    main (train.py:3)", "    main (file-1.py:3)"),
        ("    step (src/loop/train.py:3)", "    step (/dir-1/file-1.py:3)"),
        ("can't read /data/set-7/part, /data/set-7/other.", "can't read /dir-1/file-1, /dir-1/file-2."),
        ("in ~/x/y.sh ../up/z.py C:/users/a.py", "in /dir-1/file-1.sh /dir-2/file-2.py /dir-3/file-3.py"),
        (
            "/data/alice/env/lib/python3.11/site-packages/torch/distributed/distributed_c10d.py",
            "/dir-1/site-packages/torch/distributed/distributed_c10d.py",
        ),
        ("/data/alice/env/lib/python3.11/site-packages/acme/secret.py", "/dir-1/file-1.py"),
        ("/opt/alice/python3.11/threading.py", "/dir-1/python3.11/threading.py"),
        ("    wait (threading.py:3)", "    wait (threading.py:3)"),
        ("    wait (torch/distributed/distributed_c10d.py:3)", "    wait (torch/distributed/distributed_c10d.py:3)"),
        ("/data/alice/torch/secret.py", "/dir-1/file-1.py"),
        ("node-1:/data/x.bin and at=/data/x.bin", "node-1:/dir-1/file-1.bin and at=/dir-1/file-1.bin"),
        ("<frozen importlib._bootstrap>", "<frozen importlib._bootstrap>"),
        ("    poll (libc.so.6)", "    poll (libc.so.6)"),
        ("http://node:80/handler/ping answers 3/4 text/html", "http://node:80/handler/ping answers 3/4 text/html"),
        ("/handler/ping /proc/7/stat /dev/shm", "/handler/ping /proc/7/stat /dev/shm"),
        (
            "ProcessGroupGloo.cpp ../torch/csrc/distributed/c10d/x.cpp",
            "file-1.cpp ../torch/csrc/distributed/c10d/x.cpp",
        ),
    ],
)
def test_paths_in_texts(text: str, wanted: str) -> None:
    assert redacting("paths").text(text) == wanted


def test_the_same_name_stands_for_the_same_thing_everywhere() -> None:
    made = redacting("paths", "hosts", hosts=("node-1",))
    body = json.dumps({"frames": [{"filename": "/data/alice/a.py"}], "host": "node-1"}).encode()
    assert json.loads(made.body(body)) == {"frames": [{"filename": "/dir-1/file-1.py"}], "host": "host-1"}
    assert made.text('  File "/data/alice/a.py", line 3') == '  File "/dir-1/file-1.py", line 3'
    assert made.body(made.body(body)) == made.body(body), "a second time changes nothing"


@pytest.mark.parametrize(
    "body",
    [
        b'{"a": "\\u006eode-\\u0031", "b\\/node-1": [1e5, 1.0, 12345678901234567890, NaN]}',
        b'{"a": "node-1", "a": "node-1", "cut',
        b'  ["node-1"',
        b"node-1 said \xc3\xa4",
    ],
)
def test_what_escapes_hide_is_found_and_all_else_stays(body: bytes) -> None:
    made = redacting("hosts", hosts=("node-1",)).body(body)
    text = made.decode()
    assert "node-1" not in text
    assert "u006e" not in text
    for kept in ("1e5, 1.0, 12345678901234567890, NaN", '"cut', "said ä"):
        assert (kept in text) == (kept in body.decode())


@pytest.mark.parametrize(
    "body",
    [pickle.dumps({"a": 1}), b"\x1f\x8b\x08\x00", b"\xff\xfe", b"a\0b", b'{"a": "\\u006eode', b'{"a": "\\x"}'],
    ids=["pickle", "gzip", "bytes", "nul", "cut", "escape"],
)
def test_what_can_not_be_rewritten_safely_is_refused(body: bytes) -> None:
    with pytest.raises(UnredactableError):
        redacting("hosts").body(body)
    assert Redaction(["store"]).body(body) == body


def test_only_what_can_be_redacted() -> None:
    with pytest.raises(ValueError, match="'names' can't be redacted; what can is: hosts, paths, store"):
        Redaction(["names"])


SECRETS = ("gpu-a01", "gpu-a02", "corp.example", "10.1.2.3", "alice", "secret_model", "tok-123", "acme_kernels")


def secret_job(path: Path, redact: tuple[str, ...]) -> None:
    """Two looks at two ranks, with secrets wherever one can stand."""
    hosts = ("gpu-a01.corp.example", "10.1.2.3")
    addresses = tuple(
        RankAddress(rank, f"http://{host}:4{rank}", f"http://{host}:4{rank}", host) for rank, host in enumerate(hosts)
    )
    opened = events.TargetOpened(
        "store gpu-a01.corp.example:29500", 2, addresses, ("10.1.2.3 is slow",), "", "gpu-a01.corp.example:29500"
    )
    stack = (
        b'Thread 0x01 (most recent call first):\n  File "/data/alice/secret_model.py", line 3 in forward\n'
        b'  File "/data/alice/lib/python3.11/site-packages/acme_kernels/op.py", line 7 in run\n'
    )
    dump = json.dumps(
        {"version": "2.10", "hostname": "gpu-a01", "frames": [{"filename": "/data/alice/secret_model.py"}]}
    )
    script: list[events.Event] = [opened]
    for look_id in (1, 2):
        at = START + look_id * 10 * SECOND
        script.append(events.LookStarted(look_id, at, RankSet([0, 1])))
        for rank in (0, 1):
            script += [
                events.ReplyArrived(look_id, reply(rank, started_at=at)),
                events.ReplyArrived(look_id, reply(rank, "dump_traceback", body=stack, started_at=at)),
                events.ReplyArrived(look_id, reply(rank, "fr_trace_json", body=dump.encode(), started_at=at)),
                events.ReplyArrived(look_id, reply(rank, "own", body=pickle.dumps("gpu-a02"), started_at=at)),
                events.ReplyArrived(
                    look_id, reply(rank, "other", Outcome.TIMEOUT, error="no answer of gpu-a01 (/data/alice)")
                ),
            ]
        notes = ("gpu-a01.corp.example: /data/alice/secret_model.py",)
        script.append(
            events.LookClosed(look_id, at + SECOND, notes=notes, context=LookContext(group_sizes={"gpu-a01": 2}))
        )
    values = [
        StoreValue(b"debug_server/rank0", b"http://gpu-a01.corp.example:40", 30, START),
        StoreValue(b"alice/gpu-a01", b"tok-123", 7, START),
        StoreValue(b"pickled", pickle.dumps("gpu-a01 tok-123 /data/alice"), 40, START),
        StoreValue(b"\xffgpu-a01", b"tok-123", 7, START),
    ]
    listing = StoreListing(tuple(sorted(value.key for value in values)), 4, START)
    written(path, script, redact=redact, listing=listing, values=values)


def inflated(path: Path) -> bytes:
    with zipfile.ZipFile(path) as archive:
        return b"\n".join(name.encode() + b"\n" + archive.read(name) for name in archive.namelist())


def test_no_secret_survives_anywhere_in_the_file(tmp_path: Path) -> None:
    path = tmp_path / "a.xpudbg"
    secret_job(path, ())
    everything = inflated(path)
    assert [secret for secret in SECRETS if secret.encode() not in everything] == []
    assert b"report.md" in everything
    secret_job(path, KINDS)
    everything = inflated(path) + path.read_bytes()
    assert [secret for secret in SECRETS if secret.encode() in everything.lower()] == ["alice"], "a key of the store"
    assert everything.count(b"alice") == 2
    assert b"alice/host-1" in everything


@pytest.mark.parametrize(
    ("kind", "gone"),
    [
        ("hosts", ("gpu-a01", "gpu-a02", "corp.example", "10.1.2.3")),
        ("paths", ("/data/alice", "secret_model", "acme_kernels")),
    ],
)
def test_each_kind_takes_its_own(kind: str, gone: tuple[str, ...], tmp_path: Path) -> None:
    secret_job(tmp_path / "a", (kind,))
    everything = inflated(tmp_path / "a")
    assert [secret for secret in gone if secret.encode() in everything] == []


def test_store_values_alone(tmp_path: Path) -> None:
    secret_job(tmp_path / "a", ("store",))
    listing, values = open_bundle(tmp_path / "a").store()
    assert listing is not None
    assert len(listing.keys) == 4
    assert {(value.error, value.length, value.head) for value in values} == {
        (REDACTED, length, b"") for length in (30, 7, 40)
    }
    assert b"/data/alice/secret_model.py" in inflated(tmp_path / "a")


def test_values_that_are_no_text_are_left_out_where_texts_are_replaced(tmp_path: Path) -> None:
    secret_job(tmp_path / "a", ("hosts",))
    listing, values = open_bundle(tmp_path / "a").store()
    assert listing is not None
    assert listing.note == "1 keys that are no text were left out"
    assert {value.key: value.error or value.head for value in values} == {
        b"debug_server/rank0": b"http://host-1:40",
        b"alice/host-1": b"tok-123",
        b"pickled": NO_TEXT,
    }


def test_what_is_left_out_is_told_when_it_is_opened(tmp_path: Path) -> None:
    path = tmp_path / "a.xpudbg"
    secret_job(path, ("hosts", "paths"))
    session, _ = replayed(path)
    own = session.looks[0].replies[0, "own"]
    assert (own.outcome, own.body.size) == (Outcome.HTTP_ERROR, 0)
    assert own.error == "left out of the bundle: a pickle can't be rewritten safely"
    assert session.replayed.endswith("2 looks, hosts and paths redacted: a.xpudbg")
    assert session.label == "store host-1:29500"
    assert session.ranks[0].host == "host-1"
    main = session.stacks.main(0)
    assert main is not None
    assert main.frames[0].file == "/dir-1/file-1.py"


secrets = st.sampled_from(["gpu-a01", "/data/alice/x.py", "\\u0067pu-a01"])
marks = st.sampled_from(['"', "\\", "{", "}", " ", "\n", "[", "]", ":", ",", "(", "=", '{"', '":"', '"}'])


@given(st.lists(st.tuples(marks, secrets, marks).map("".join), max_size=6).map("".join))
def test_whatever_surrounds_a_secret_it_is_gone(text: str) -> None:
    made = redacting("hosts", "paths", hosts=("gpu-a01",))
    try:
        body = made.body(text.encode()).decode()
    except UnredactableError:
        return
    for result in (body, made.text(text)):
        for token in result.replace('"', " ").replace("\\", " ").split():
            assert token != "gpu-a01"
            assert "/data/alice/" not in token


def test_names_of_files_are_paths_where_a_job_is_known_from_files(tmp_path: Path) -> None:
    line = WatchdogLine(WatchdogKind.TIMEOUT, 1, "acme/logs/rank1.log", 7, "timeout in /data/alice", op="ALLREDUCE")
    addresses = tuple(RankAddress(rank, "", "", "", file=f"acme/secret_model/rank_{rank}") for rank in (0, 1))
    context = LookContext(
        unreadable={1: "acme/secret_model/rank_1: 3 of 4/5 bytes"}, watchdog=(line,), heard=RankSet([1])
    )
    dump = reply(0, "dump_file", body=b'{"version": "2.10", "entries": [], "pg_config": {"0": {"desc": "a/b"}}}')
    notes = ("acme/other.json: is no dump",)
    script: list[events.Event] = [
        events.TargetOpened("acme/secret_model", 2, addresses, notes, store="acme/secret_model"),
        events.LookStarted(1, START, RankSet([0, 1])),
        events.ReplyArrived(1, dump),
        events.LookClosed(1, START, notes=("acme/x: 3/4 of it",), context=context),
    ]
    path = tmp_path / "a.xpudbg"
    written(path, script, redact=("paths",))
    everything = inflated(path)
    assert [secret for secret in (b"acme", b"secret_model", b"alice") if secret in everything] == []
    assert b'"desc": "a/b"' in everything
    session, _ = replayed(path)
    assert session.post_mortem
    (back,) = session.looks[0].context.watchdog
    assert (back.rank, back.op, back.number, back.kind) == (1, "ALLREDUCE", 7, WatchdogKind.TIMEOUT)
    assert session.looks[0].notes[0].endswith(": 3/4 of it")
