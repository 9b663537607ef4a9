"""What an interrupted capture leaves opens as far as it goes; what was changed afterwards is told."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.services.bundle.making import open_bytes, opened, replayed, whole, written
from xpudbg.services import events
from xpudbg.services.bundle.errors import BundleError
from xpudbg.services.bundle.reader import open_bundle
from xpudbg.services.bundle.replay import INTERRUPTED
from xpudbg.services.bundle.walk import CUT
from xpudbg.services.targets import TargetError


@pytest.fixture(scope="module")
def complete(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    return whole(tmp_path_factory.mktemp("complete") / "a.xpudbg").read_bytes()


def ends(data: bytes, folder: Path) -> list[int]:
    """Where the members end, and the file."""
    (folder / "whole").write_bytes(data)
    with zipfile.ZipFile(folder / "whole") as archive:
        starts = [info.header_offset for info in archive.infolist()]
        return [*starts[1:], archive.start_dir, len(data)]


def test_a_cut_at_each_boundary_and_beside_it_loses_at_most_one_member(complete: bytes, tmp_path: Path) -> None:
    boundaries = ends(complete, tmp_path)
    names = zipfile.ZipFile(tmp_path / "whole").namelist()
    whole_steps = [look.read().steps for look in open_bundle(tmp_path / "whole").looks]
    replies = [len(steps) for steps in whole_steps]
    for end in (one + beside for one in boundaries for beside in (-1, 0, 1, 29, 31)):
        if end >= len(complete):
            continue
        there = sum(1 for boundary in boundaries[:-1] if boundary <= end)
        if there == 0:
            with pytest.raises(BundleError):
                open_bytes(tmp_path / "cut", complete[:end])
            continue
        bundle = open_bytes(tmp_path / "cut", complete[:end])
        assert bundle.cut, end
        assert bundle.notes == (CUT,), end
        assert sorted(bundle._members) == sorted(names[:there]), end
        assert bundle.verify() == (CUT,), end
        for look, count in zip(bundle.looks, replies, strict=False):
            read = look.read()
            assert read.notes == ()
            prefix = f"looks/{look.number:04}/"
            has = [name for name in names[:there] if name.startswith(prefix)]
            assert len(read.steps) == (count if any("replies" in name for name in has) else 0)
            assert (read.closed is not None) == any("closed" in name for name in has)
        bundle.close()


def test_a_look_that_was_interrupted_is_judged_as_far_as_it_came(complete: bytes, tmp_path: Path) -> None:
    path = whole(tmp_path / "a.xpudbg")
    with zipfile.ZipFile(path) as archive:
        at = archive.getinfo("looks/0002/closed.json").header_offset
    path.write_bytes(path.read_bytes()[: at + 5])
    session, said = replayed(path)
    assert [(look.cancelled, look.partial) for look in session.looks] == [(False, False), (True, True)]
    assert session.looks[1].notes == (INTERRUPTED,)
    assert len(session.looks[1].replies) == 5
    assert sum(isinstance(one, events.Analysed) for one in said) == 2
    assert session.stacks.look_id == 2
    assert [(one.kind, str(one.culprits)) for one in session.verdict.findings] == [("dead", "2")]
    assert CUT in session.notes
    assert session.replayed == "bundle of 2023-11-14 22:15:00 UTC, 2 looks, cut: a.xpudbg"


def test_a_capture_that_never_came_to_a_look(tmp_path: Path) -> None:
    path = tmp_path / "a.xpudbg"
    written(path, [opened()], finish=False)
    with pytest.raises(TargetError, match=r"a\.xpudbg: it holds no look"):
        replayed(path)


@given(data=st.data())
def test_any_byte_that_changed_is_found(
    complete: bytes, tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    at = data.draw(st.integers(0, len(complete) - 1))
    other = data.draw(st.integers(1, 255))
    changed = bytearray(complete)
    changed[at] ^= other
    path = tmp_path_factory.getbasetemp() / "flipped"
    try:
        bundle = open_bytes(path, bytes(changed))
    except BundleError:
        return
    assert bundle.verify()
    bundle.close()
    try:
        session, _ = replayed(path)
    except TargetError:
        return
    assert session.looks


@given(st.binary(max_size=300), st.booleans())
def test_any_bytes_are_refused_or_read(tmp_path_factory: pytest.TempPathFactory, data: bytes, behind: bool) -> None:
    path = tmp_path_factory.getbasetemp() / "any"
    start = whole(path, looks=1).read_bytes() if behind else b""
    start = start[: start.rindex(b"PK\x01\x02", 0, start.index(b"PK\x01\x02") + 4)] if behind else b""
    try:
        bundle = open_bytes(path, start + data)
    except BundleError:
        assert not behind
        return
    assert bundle.notes
    assert len(bundle.looks) == 1
    bundle.close()
