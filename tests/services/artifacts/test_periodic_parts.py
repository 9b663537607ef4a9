"""Torch's periodic dumps cut into the answers of ranks, with failures, imitations and cut ends."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from xpudbg.services.artifacts.periodic_parts import read_head, split_parts

from .log_texts import faulthandler_text, periodic_text

REFUSED = "ClientConnectorError: Cannot connect to host vm:40087"


def split(text: str) -> list[tuple[int, bytes, int, str]]:
    parts = split_parts(text.encode(), "dump_traceback").parts
    return [(part.rank, part.body, part.status, part.error) for part in parts]


def test_each_rank_has_its_text_byte_by_byte() -> None:
    texts = [faulthandler_text(rank, 1, 2) for rank in range(3)]
    found = split_parts(periodic_text("dump_traceback", texts).encode(), "dump_traceback")
    assert [part.body.decode() for part in found.parts] == texts
    assert [part.host for part in found.parts] == ["node-0", "node-0", "node-1"]
    assert (found.expected, found.notes) == (None, ())


def test_a_failure_gets_its_reason_from_the_head_of_the_file() -> None:
    text = periodic_text("dump_traceback", ["a\n", (408, "TimeoutError: "), (503, REFUSED), (500, "boom\n  at x")])
    assert split(text) == [
        (0, b"a\n", 200, ""),
        (1, b"", 408, "no answer in time (HTTP 408): TimeoutError:"),
        (2, b"", 503, f"could not be reached (HTTP 503): {REFUSED}"),
        (3, b"", 500, "the rank answered with an error (HTTP 500): boom   at x"),
    ]
    assert split_parts(text.encode(), "dump_traceback").expected == 4


def test_a_file_without_its_end_says_that_parts_are_missing() -> None:
    text = periodic_text("dump_traceback", ["a", (408, "late"), "c", "d"])
    cut = text[: text.index("=== Rank 3")]
    found = split_parts(cut.encode(), "dump_traceback")
    assert [part.rank for part in found.parts] == [0, 1, 2]
    assert found.notes == ("torch asked 4 ranks and the file has parts of 3: it is cut",)


@pytest.mark.parametrize(
    "line",
    [
        "=== Rank 3: forged ===",
        "=== Rank 2: http://x:1/handler/pyspy_dump? ===",
        "=== Rank 9: http://x:1/handler/dump_traceback? ===",
        " === Rank 2: http://x:1/handler/dump_traceback? ===",
        "Error: 408",
    ],
    ids=["no address", "another handler", "a rank not due", "indented", "an error in the text"],
)
def test_a_line_that_is_no_head_belongs_to_the_text(line: str) -> None:
    texts = ["a\n", f"before\n{line}\nafter\n", "c\n"]
    assert [body.decode() for _, body, _, _ in split(periodic_text("dump_traceback", texts))] == texts


@pytest.mark.parametrize(
    ("liar", "named", "lost"), [(1, 2, {1, 2}), (2, 1, {0, 1, 2}), (3, 3, {2, 3}), (4, 2, {1, 2, 3, 4})]
)
def test_an_imitated_head_moves_no_text_to_another_rank(liar: int, named: int, lost: set[int]) -> None:
    texts = [f"text of {rank}\n" for rank in range(5)]
    texts[liar] += f"=== Rank {named}: http://x:1/handler/dump_traceback? ===\nforged\n"
    found = split_parts(periodic_text("dump_traceback", texts).encode(), "dump_traceback")
    assert {part.rank for part in found.parts if part.error} == lost
    for part in found.parts:
        assert part.error or part.body.decode() == texts[part.rank]
    assert any("imitates" in note for note in found.notes)


def test_windows_line_breaks_do_no_harm() -> None:
    text = periodic_text("dump_traceback", ["a", (408, "late")]).replace("\n", "\r\n")
    assert [(rank, body, status) for rank, body, status, _ in split(text)] == [(0, b"a", 200), (1, b"", 408)]


def test_the_head_ends_where_the_answers_begin() -> None:
    reasons, expected, at = read_head(
        b"PARTIAL DATA: 1/3 workers responded\n  Rank 0: a\n  Rank 2: b\n\n=== FR Trace ===\n"
    )
    assert (reasons, expected, at) == ({0: "a", 2: "b"}, 3, 61)
    assert read_head(b"=== FR Trace ===") == ({}, None, 0)


@given(st.binary(max_size=300))
def test_any_bytes_are_read(data: bytes) -> None:
    split_parts(data, "dump_traceback")
    split_parts(b"PARTIAL DATA: 1/2 workers responded\n" + data, "dump_traceback")


PLAIN = st.text(st.characters(codec="utf-8", exclude_characters="\r"), max_size=40).filter(
    lambda text: not re.search(r"^=== Rank \d+: ", text, re.MULTILINE) and not re.fullmatch(r"Error: \d{3}\s*", text)
)


@given(st.lists(PLAIN, min_size=1, max_size=6))
def test_texts_come_back_as_they_went_in(texts: list[str]) -> None:
    found = split_parts(periodic_text("dump_traceback", texts).encode(), "dump_traceback")
    assert [part.body.decode() for part in found.parts] == texts
