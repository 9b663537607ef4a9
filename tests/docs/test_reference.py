"""The reference leaves nothing out: every kind of finding, every schema, every kind of file."""

from __future__ import annotations

import re

import pytest

from xpudbg.services.artifacts.recognise import ArtifactKind
from xpudbg.services.findings import Confidence
from xpudbg.services.flight_recorder.causes import Kind
from xpudbg.services.snapshot import RankClass
from xpudbg.services.verdict import _KINDS as KINDS

from .command_page import REFERENCE
from .test_documents import ROOT, blocks

FINDINGS = REFERENCE / "findings.md"
SECTIONS = dict(re.findall(r"^## (\w+)\n(.*?)(?=^## |\Z)", FINDINGS.read_text(encoding="utf-8"), re.M | re.S))


def test_every_kind_has_a_section_in_the_order_of_the_verdict() -> None:
    assert list(SECTIONS) == KINDS


def test_the_kinds_are_all_there_are() -> None:
    wrong = {rank_class.value for rank_class in RankClass} - {RankClass.ALIVE, RankClass.UNKNOWN}
    assert wrong | {kind.value for kind in Kind} <= set(KINDS)


@pytest.mark.parametrize("kind", KINDS)
def test_a_section_says_how_sure_what_refutes_it_and_shows_one(kind: str) -> None:
    section = SECTIONS[kind]
    assert any(word in section for word in Confidence)
    assert "- **What refutes it:** " in section
    (example,) = re.findall(r"^```console\n(.*?)^```$", section, re.M | re.S)
    assert re.search(rf"^1\. {kind}  \w+, \w+$", example, re.M), "the first finding of its example is of another kind"


def test_every_schema_is_named() -> None:
    sources = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "services").rglob("*.py"))
    written = set(re.findall(r'^SCHEMA = "(xpudbg\.\w+/\d+)"$', sources, re.M))
    assert written
    assert set(re.findall(r"`(xpudbg\.\w+/\d+)`", (REFERENCE / "json.md").read_text(encoding="utf-8"))) == written


@pytest.mark.parametrize("kind", sorted(set(ArtifactKind) - {ArtifactKind.UNKNOWN}))
def test_every_kind_of_file_is_told(kind: ArtifactKind) -> None:
    text = (REFERENCE / "formats.md").read_text(encoding="utf-8")
    begin, _, rest = kind.value.partition(" of ")
    assert f"| {kind.value} |" in text or (begin == "periodic dump" and f"of {rest}" in text)


def test_the_reference_shows_commands() -> None:
    for page in ("findings", "exit-codes", "json"):
        assert blocks(REFERENCE / f"{page}.md", "console"), page
