"""Zip files from strangers that are no bundles as xpudbg writes them."""

from __future__ import annotations

import json
import os
import struct
from pathlib import Path

import pytest

from tests.services.bundle.making import open_bytes, plain_zip, replayed, whole
from tests.services.bundle.strangers import OPENED, bundle_of
from xpudbg.services.bundle import members
from xpudbg.services.bundle.reader import open_bundle
from xpudbg.services.bundle.walk import inflated, open_file


def test_names_that_no_bundle_has_are_passed_over(tmp_path: Path) -> None:
    odd = [
        "../../x",
        "/etc/passwd",
        "looks/0001/../../x",
        "bodies/ABC",
        "a\x1b[2Jb",
        "looks/1/opened.json",
        "META.JSON",
    ]
    bundle = open_bytes(tmp_path / "a", bundle_of(*((name, b"x") for name in odd)))
    assert bundle.notes[0] == "7 members have names that no bundle has: they are passed over"
    assert len(bundle.looks) == 1
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a"]


def test_a_second_member_of_a_name_does_not_take_the_place_of_the_first(tmp_path: Path) -> None:
    again = ("looks/0001/opened.json", json.dumps(OPENED | {"look": 9}).encode())
    bundle = open_bytes(tmp_path / "a", bundle_of(again))
    assert bundle.looks[0].read().started.look_id == 1
    assert "1 members are there a second time" in bundle.notes[0]


@pytest.mark.parametrize(
    ("field", "value", "why"),
    [
        ("flags", 1, "encrypted"),
        ("flags", 8, "its sizes stand behind it"),
        ("method", 99, "packed in a way"),
        ("version", 63, "packed in a way"),
        ("extra", 4, "packed in a way"),
        ("packed", 0xFFFFFFFF, "not to be believed"),
        ("size", 0x7FFFFFFF, "not to be believed"),
        ("name_length", 9999, "a name of 9,999 bytes"),
    ],
)
def test_records_that_xpudbg_never_writes(field: str, value: int, why: str, tmp_path: Path) -> None:
    data = bytearray(bundle_of() + bytes(20_000))
    at = data.index(b"PK\x03\x04", 4)
    places = {
        "version": (4, "<H"),
        "flags": (6, "<H"),
        "method": (8, "<H"),
        "packed": (18, "<L"),
        "size": (22, "<L"),
        "name_length": (26, "<H"),
        "extra": (28, "<H"),
    }
    offset, form = places[field]
    struct.pack_into(form, data, at + offset, value)
    bundle = open_bytes(tmp_path / "a", bytes(data))
    assert why in bundle.notes[0]
    assert "what follows is not read" in bundle.notes[0]
    assert bundle.looks == ()


def test_a_list_of_members_that_is_not_theirs(tmp_path: Path) -> None:
    data = bytearray(bundle_of())
    at = data.index(b"PK\x01\x02")
    data[at + 16] ^= 1  # the CRC that the list gives of meta.json
    bundle = open_bytes(tmp_path / "a", bytes(data))
    assert "is not that of its members" in bundle.notes[0]
    assert not bundle.cut


def test_more_members_than_a_bundle_has(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(members, "MOST_MEMBERS", 2)
    bundle = open_bytes(tmp_path / "a", bundle_of())
    assert bundle.notes[0] == "more than 2 members: what follows is not read"


def test_a_manifest_that_lies_is_told(tmp_path: Path) -> None:
    path = whole(tmp_path / "a")
    bundle = open_bundle(path)
    member = bundle._members["manifest.json"]
    file = open_file(path)
    manifest = json.loads(inflated(file, member, 1 << 20))
    os.close(file)
    manifest["members"]["looks/0002/closed.json"]["sha256"] = "0" * 64
    manifest["members"]["looks/0009/closed.json"] = {"size": 1, "sha256": "0" * 64}
    content = []
    for one in bundle._members.values():
        if one is not member:
            with path.open("rb") as stream:
                content.append((one.name, inflated(stream.fileno(), one, 1 << 20)))
    path.write_bytes(plain_zip([*content, ("manifest.json", json.dumps(manifest).encode())]))
    bundle = open_bundle(path)
    assert bundle.notes == ("1 members of its manifest are not there",)
    wrong = bundle.verify()
    assert any("looks/0009/closed.json is in the manifest" in line for line in wrong)
    assert any("looks/0002/closed.json has another content" in line for line in wrong)
    session, _ = replayed(path)
    assert session.looks[1].cancelled
    assert "has another content than the manifest says" in session.looks[1].notes[1]
