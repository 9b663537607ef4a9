"""Reading what a handler answered, or one plain line why there is nothing to read."""

from __future__ import annotations

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.fakes.replies import reply
from xpudbg.services.cluster.answers import AnswerError, explain_status, first_line, read_json
from xpudbg.services.snapshot import Outcome
from xpudbg.services.spool import EMPTY, Body


def body(data: bytes) -> Body:
    return Body(len(data), data)


def test_json_of_the_wanted_shape() -> None:
    assert read_json(reply(0, body=b'["ping"]'), list[str]) == ["ping"]
    big = 2**63 - 1
    assert read_json(reply(0, body=b'{"a": %d}' % big), dict[str, int]) == {"a": big}


def test_latin_1_bytes_are_read_with_replacement_marks() -> None:
    assert read_json(reply(0, body=b'["caf\xe9", "ok"]'), list[str]) == ["caf\ufffd", "ok"]


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "no data"),
        (b" \n", "no data"),
        (b"<html><head><title>Sign in</title></head>", "not JSON: an HTML page titled 'Sign in'"),
        (b"<!doctype html><body>x", "not JSON: an HTML page"),
        (b"oops\nmore", "not JSON: oops"),
        (b'{"a": 1}', "JSON of another shape"),
        (b"[1]", "JSON of another shape"),
        (b'["cut', 'not JSON: ["cut'),
    ],
)
def test_what_is_not(data: bytes, said: str) -> None:
    with pytest.raises(AnswerError) as caught:
        read_json(reply(0, body=data), list[str])
    assert str(caught.value).startswith(said)


def test_a_reply_that_failed_says_its_own_reason() -> None:
    with pytest.raises(AnswerError, match="hung up"):
        read_json(reply(0, outcome=Outcome.RESET, error="hung up"), list[str])


@pytest.mark.parametrize(
    ("source", "status", "data", "said"),
    [
        ("fr_trace_json", 404, b"Handler fr_trace_json not found", "fr_trace_json is not there on this rank"),
        ("ping", 404, b"nothing here", "HTTP 404: nothing here"),
        ("pyspy_dump", 500, b"sh: 1: py-spy: not found", "py-spy is not installed on this rank"),
        ("pyspy_dump", 500, b"Permission Denied: ptrace", "HTTP 500: Permission Denied: ptrace"),
        ("ping", 503, b"", "HTTP 503"),
    ],
)
def test_statuses(source: str, status: int, data: bytes, said: str) -> None:
    assert explain_status(source, status, body(data)) == said


def test_redirects_say_where_to() -> None:
    assert (
        explain_status("ping", 302, EMPTY, "https://login.example")
        == "HTTP 302 to https://login.example (not followed)"
    )


@given(st.binary(max_size=300), st.sampled_from([200, 301, 404, 500, 599]))
def test_no_body_breaks_it(data: bytes, status: int) -> None:
    said = explain_status("ping", status, body(data), "x" * 5000)
    assert "\n" not in said
    assert len(said) < 400
    assert "\n" not in first_line(body(data))
    with contextlib.suppress(AnswerError):
        assert isinstance(read_json(reply(0, body=data), list[str]), list)
