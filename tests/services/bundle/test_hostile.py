"""Bundles from strangers: a reason for each thing that is wrong, and nothing that it takes down."""

from __future__ import annotations

import hashlib
import json
import os
import pickle
import resource
import zlib
from pathlib import Path

import pytest

from tests.services.bundle.making import meta, open_bytes, plain_zip, replayed
from tests.services.bundle.strangers import CLOSED, OPENED, REPLY, TARGET, body, bundle_of
from xpudbg.services.bundle import looks as looks_module
from xpudbg.services.bundle import members, reader
from xpudbg.services.bundle.errors import BundleError
from xpudbg.services.bundle.looks import DAMAGED
from xpudbg.services.bundle.reader import open_bundle
from xpudbg.services.judging.hidden_waits import HiddenWaits
from xpudbg.services.ranksets import RankSet
from xpudbg.services.snapshot import Outcome
from xpudbg.services.targets import TargetError


@pytest.mark.parametrize(
    ("about", "why"),
    [
        (meta(schema="xpudbg.bundle/2"), "a bundle of the form xpudbg.bundle/2"),
        (meta(target=7), "meta.json is not what it should be"),
        (meta(created_at=-1), "meta.json is not what it should be"),
        (meta(created_at=10**30), "meta.json is not what it should be"),
        (b'{"schema":"xpudbg.bundle/1","version":' + b"[" * 100_000, "meta.json is not what it should be"),
        (b'{"schema":"xpudbg.bundle/1"}', "meta.json is not what it should be"),
        (b'{"schema":"xpudbg.bundle/1"' + b" " * 2_000_000, "more than 1,048,576 are not read"),
    ],
    ids=["newer", "type", "negative", "large", "deep", "fields", "long"],
)
def test_a_beginning_that_is_not_what_it_should_be(about: bytes, why: str, tmp_path: Path) -> None:
    with pytest.raises(BundleError, match=why):
        open_bytes(tmp_path / "a", bundle_of(about=about))


@pytest.mark.parametrize(
    ("line", "why"),
    [
        (b"{", "truncated"),
        (b"[]", "Expected `object`"),
        (b"\xff\xfe", "can't be read"),
        (b'{"event":"unknown"}', "Invalid value 'unknown'"),
        (b'{"event":"reply","rank":0}', "missing required field"),
        (json.dumps(REPLY | {"rank": -1}).encode(), "rank"),
        (json.dumps(REPLY | {"rank": 1 << 20}).encode(), "rank"),
        (json.dumps(REPLY | {"rank": True}).encode(), "rank"),
        (json.dumps(REPLY | {"rank": "0"}).encode(), "rank"),
        (json.dumps(REPLY | {"took_s": -1}).encode(), "took_s"),
        (json.dumps(REPLY).encode().replace(b"0.1", b"1e999"), "out of range"),
        (json.dumps(REPLY).encode().replace(b"0.1", b"NaN"), "invalid"),
        (json.dumps(REPLY | {"outcome": "fine"}).encode(), "outcome"),
        (json.dumps(REPLY | {"body": "../../etc/passwd"}).encode(), "body"),
        (json.dumps(REPLY | {"status": 10**6}).encode(), "status"),
        (json.dumps(REPLY | {"how": "else"}).encode(), "how"),
        (b'{"event":' + b"[" * 50_000, "can't be read"),
        (json.dumps({"event": "joined", "ranks": "0-99999999"}).encode(), "highest rank"),
        (json.dumps({"event": "joined", "ranks": "x"}).encode(), "is not a rank"),
        (json.dumps({"event": "stuck", "rank": 0, "handlers": ["x"] * 5000}).encode(), "handlers"),
    ],
)
def test_a_line_that_can_not_be_read_is_told_and_the_others_count(line: bytes, why: str, tmp_path: Path) -> None:
    good = json.dumps(REPLY | {"rank": 1}).encode()
    look = open_bytes(tmp_path / "a", bundle_of(lines=line + b"\n" + good + b"\n")).looks[0].read()
    assert list(look.replies) == [(1, "ping")]
    (note,) = look.notes
    assert "a line can't be read" in note
    assert why in note
    assert note.isprintable()


@pytest.mark.parametrize(
    "opened",
    [
        {},
        OPENED | {"look": 0},
        OPENED | {"asked": "0-9999999999"},
        OPENED | {"target": TARGET | {"world_size": 1 << 40}},
        OPENED | {"target": TARGET | {"ranks": [{"rank": 1 << 30}]}},
        OPENED | {"target": 5},
    ],
    ids=["empty", "look", "asked", "world", "rank", "type"],
)
def test_a_look_whose_beginning_can_not_be_read(opened: object, tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(bundle_of(opened=opened))
    with pytest.raises(TargetError, match=r"can't be read|is not what it should be"):
        replayed(path)


def test_a_look_that_can_not_be_read_among_others_is_told(tmp_path: Path) -> None:
    good = [("looks/0001/" + name, data) for name, data in (("opened.json", json.dumps(OPENED).encode()),)]
    bad = [("looks/0002/opened.json", b"{}"), ("looks/0003/replies-0001.jsonl", b"")]
    path = tmp_path / "a"
    path.write_bytes(plain_zip([("meta.json", meta()), *good, *bad]))
    session, _ = replayed(path)
    assert len(session.looks) == 2
    assert "look 2 of the bundle can't be read" in session.looks[1].notes[0]
    assert session.looks[1].partial
    assert any("look 3 does not say when it began" in note for note in session.notes)


def test_a_closing_that_can_not_be_read_makes_the_look_an_interrupted_one(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(bundle_of(lines=[REPLY], closed=CLOSED | {"context": {"without_counters": "7-3"}}))
    session, _ = replayed(path)
    assert session.looks[0].cancelled
    assert any("the end of a look can't be read" in note for note in session.looks[0].notes)


def test_bodies_that_are_damaged_missing_or_of_another_size(tmp_path: Path) -> None:
    large, names_large = body(b"x" * 10_000)
    small, names_small = body(b"pong")
    gone = {"body": "0" * 64, "size": 4}
    lines = [
        REPLY | names_large | {"source": "dump_traceback"},
        REPLY | names_small,
        REPLY | gone | {"rank": 1},
        REPLY | names_small | {"rank": 1, "source": "handlers", "size": 5},
    ]
    path = tmp_path / "a"
    path.write_bytes(bundle_of((large[0], b"y" * 10_000), (small[0], b"pang"), lines=lines))
    session, _ = replayed(path)
    replies = session.looks[0].replies
    assert {key: (reply.outcome, reply.error, reply.body.size) for key, reply in replies.items()} == {
        (0, "dump_traceback"): (Outcome.HTTP_ERROR, DAMAGED, 0),
        (0, "ping"): (Outcome.HTTP_ERROR, DAMAGED, 0),
        (1, "ping"): (Outcome.HTTP_ERROR, "the bundle does not hold its body", 0),
        (1, "handlers"): (Outcome.HTTP_ERROR, "its body has 4 bytes in the bundle, not 5", 0),
    }
    assert len([line for line in open_bundle(path).verify() if "has another content" in line]) == 2


def test_a_body_that_would_inflate_to_more_than_it_says(tmp_path: Path) -> None:
    """300 MB of zeros that say that they are 10,000."""
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    packed = b"".join(packer.compress(bytes(1 << 20)) for _ in range(300)) + packer.flush()
    said = bytes(10_000)
    digest = hashlib.sha256(said).hexdigest()
    member = members.Member(f"bodies/{digest}", True, zlib.crc32(said), len(packed), len(said), 0, 0)
    bomb = members.local_record(member) + packed
    before = bundle_of()
    at = before.index(b"PK\x03\x04", 4)
    line = json.dumps(REPLY | {"source": "dump_traceback", "body": digest, "size": len(said)}).encode()
    rest = bundle_of(lines=line)[at:]
    path = tmp_path / "a"
    path.write_bytes(before[:at] + bomb + rest)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    bundle = open_bundle(path)
    reply = bundle.looks[0].read().replies[0, "dump_traceback"]
    assert reply.body.read() == said
    assert any("damaged" in line for line in bundle.verify())
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - peak < 100_000, "KiB"


def test_sizes_are_held_against_the_limits_before_anything_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reader, "BODY_LIMIT", 5_000)
    monkeypatch.setattr(reader, "FILE_LIMIT", 8_000)
    large, names = body(b"x" * 10_000)
    lines = [REPLY | names, REPLY | names | {"source": "dump_file"}]
    look = open_bytes(tmp_path / "a", bundle_of(large, lines=lines)).looks[0].read()
    errors = [reply.error for reply in look.replies.values()]
    assert errors == [
        "its body says that it has 10,000 bytes; more than 5,000 are not read",
        "its body says that it has 10,000 bytes; more than 8,000 are not read",
    ]


def test_a_list_of_64_mib_and_a_byte_is_not_read(tmp_path: Path) -> None:
    chunk = b" " * (64 * 1024 * 1024 + 1)
    data = bundle_of(lines=chunk, deflate=("looks/0001/replies-0001.jsonl",))
    assert len(data) < 1_000_000
    look = open_bytes(tmp_path / "a", data).looks[0].read()
    assert "more than 67,108,864 are not read" in look.notes[0]


def test_answers_of_one_look_are_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(looks_module, "MOST_STEPS", 3)
    look = open_bytes(tmp_path / "a", bundle_of(lines=[REPLY | {"rank": 1}] * 5)).looks[0].read()
    assert len(look.steps) == 3
    assert "is not read to its end" in look.notes[0]


def test_the_lists_of_one_look_are_limited_together(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(looks_module, "MOST_BYTES", 150)
    more = ("looks/0001/replies-0002.jsonl", json.dumps(REPLY | {"rank": 1}).encode())
    look = open_bytes(tmp_path / "a", bundle_of(more, lines=[REPLY])).looks[0].read()
    assert list(look.replies) == [(0, "ping")]
    assert "are not read to their end" in look.notes[0]


def test_sets_of_ranks_that_would_take_all_memory(tmp_path: Path) -> None:
    groups = [{"name": str(number), "ranks": "1048575"} for number in range(5_000)]
    closed = CLOSED | {"context": {"memberships": {"0": {"groups": groups}}}}
    look = open_bytes(tmp_path / "a", bundle_of(closed=closed)).looks[0].read()
    assert look.closed is None
    assert "take too much memory" in look.notes[0]


def test_pickles_in_a_bundle_are_not_run(tmp_path: Path) -> None:
    class Evil:
        def __reduce__(self) -> tuple[object, tuple[object, ...]]:
            return os.mkdir, (str(tmp_path / "ran"),)

    evil, names = body(pickle.dumps(Evil()))
    target = TARGET | {"ranks": [{"rank": 0, "file": "trace_rank_0"}, {"rank": 1, "file": "no dump"}]}
    path = tmp_path / "a"
    line = REPLY | names | {"source": "dump_file", "file": "trace_rank_0"}
    path.write_bytes(bundle_of(evil, lines=[line], opened=OPENED | {"target": target}, about=meta(post_mortem=True)))
    session, _ = replayed(path)
    assert not (tmp_path / "ran").exists()
    assert session.recorder.unreadable[0]


def test_texts_of_a_stranger_paint_as_themselves(tmp_path: Path) -> None:
    evil = "\x1b]8;;http://x\x07\u202e\n[bold]"
    target = TARGET | {"label": evil, "notes": [evil], "ranks": [{"rank": 0, "host": evil, "error": evil}]}
    path = tmp_path / "a"
    path.write_bytes(
        bundle_of(
            about=meta(target=evil, version=evil, redacted=[evil]),
            opened=OPENED | {"target": target},
            lines=[REPLY | {"error": evil, "outcome": "timeout", "source": evil}],
            closed=CLOSED | {"notes": [evil]},
        )
    )
    session, _ = replayed(path)
    (look,) = session.looks
    said = [session.label, *session.notes, session.replayed, *look.notes, look.ranks[0].host, look.ranks[0].reason]
    said += [text for (_, source), reply in look.replies.items() for text in (source, reply.error)]
    assert all(text.isprintable() for text in said)


def test_a_source_line_of_this_machine_is_never_read_for_a_bundle(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    secret = tmp_path / "secret.py"
    os.mkfifo(secret)  # reading it would hang
    stack, names = body(f'Thread 0x01 (most recent call first):\n  File "{secret}", line 1 in work\n'.encode())
    path = tmp_path / "a"
    asked: list[object] = []

    def among(*given: object) -> RankSet:
        asked.append(given)
        return RankSet()

    monkeypatch.setattr(HiddenWaits, "among", among)
    for closed in ({}, CLOSED, CLOSED | {"context": None}):
        path.write_bytes(bundle_of(stack, lines=[REPLY | names | {"source": "dump_traceback"}], closed=closed))
        session, _ = replayed(path)
        assert session.stacks.look_id == 1
        assert session.looks[0].context.may_wait == RankSet(), "what is analysed again later asks for none either"
    assert not asked


@pytest.mark.parametrize("odd", ["folder", "pipe", "nowhere", "empty"])
def test_what_is_no_file(odd: str, tmp_path: Path) -> None:
    path = tmp_path / odd
    if odd == "folder":
        path.mkdir()
    elif odd == "pipe":
        os.mkfifo(path)
    elif odd == "empty":
        path.touch()
    with pytest.raises(TargetError) as caught:
        replayed(path)
    assert caught.value.hint
