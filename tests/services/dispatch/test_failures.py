"""Replies that are no 200: what a person is told, whatever the body holds."""

from __future__ import annotations

import json

import pytest

from tests.fakes.op_servers import HTML
from xpudbg.services.dispatch.errors import BadReplyError, OpFailedError, RequestRefusedError, ServerBusyError
from xpudbg.services.dispatch.failures import ModuleMissing, failure


def told(status: int, body: object, **headers: str) -> BaseException:
    return failure("h:1", status, headers, body if isinstance(body, bytes) else json.dumps(body).encode())


def test_an_op_failure_has_the_type_and_message_of_the_server() -> None:
    error = told(500, {"error": "RuntimeError: size (3) != (4): see x", "missing": None}, **{"x-api": "torch.add"})
    assert type(error) is OpFailedError
    assert (error.kind, error.text, error.api) == ("RuntimeError", "size (3) != (4): see x", "torch.add")
    assert str(error) == "h:1: the op failed (HTTP 500): RuntimeError: size (3) != (4): see x"


@pytest.mark.parametrize(
    ("text", "kind"),
    [("import failed: no module", ""), ("child process exited with code -9", ""), ("a: b: C: d", "")],
)
def test_no_type_is_made_up(text: str, kind: str) -> None:
    error = told(500, {"error": text})
    assert isinstance(error, OpFailedError)
    assert (error.kind, error.text) == (kind, text)


@pytest.mark.parametrize(
    ("status", "text", "hint"),
    [
        (500, "request timed out after 300s", "run_deadline_s"),
        (500, "child process exited with code -9", "memory"),
        (500, "child process exited with code -11", "crashed"),
        (500, "TypeError: add cannot be parameter-bound from inputs ['x']", "does not fit"),
        (404, "not found", "not an op server"),
    ],
)
def test_hints(status: int, text: str, hint: str) -> None:
    error = told(status, {"error": text})
    assert isinstance(error, OpFailedError)
    assert hint in error.hint


def test_a_type_may_have_a_module() -> None:
    error = told(500, {"error": "torch.OutOfMemoryError: HIP out of memory"})
    assert isinstance(error, OpFailedError)
    assert (error.kind, error.text) == ("torch.OutOfMemoryError", "HIP out of memory")


def test_busy_and_missing() -> None:
    assert isinstance(told(503, {"error": "server busy, retry"}), ServerBusyError)
    missing = told(424, {"error": "missing spec dependency: a.b", "missing": "a.b"})
    assert isinstance(missing, ModuleMissing)
    assert missing.name == "a.b"


@pytest.mark.parametrize("body", [b"{}", b'{"error": "x"}', b'{"error": "x", "missing": null}', HTML])
def test_424_without_a_name_is_a_failure(body: bytes) -> None:
    assert isinstance(told(424, body), OpFailedError)


@pytest.mark.parametrize(
    ("body", "shown"),
    [
        (HTML, "a page titled 'Error response'"),
        (b"<TITLE>\x1b[31m \xff</TITLE>", "\\x1b"),
        (b"\xff\xfe latin \xe9\nsecond line", "latin"),
        (b"", "no text"),
        (b"[" * 100_000, "more"),
        (b'{"error": ' + b"9" * 5000 + b"}", "more"),
        (json.dumps({"error": "\x1b]0;owned\x07\u202e" + "A" * 100_000}).encode(), "more"),
    ],
    ids=["html", "escapes", "latin", "empty", "deep", "digits", "long"],
)
def test_hostile_bodies_are_shown_plain_and_capped(body: bytes, shown: str) -> None:
    for status in (400, 431, 500, 501):
        error = told(status, body)
        assert isinstance(error, OpFailedError)
        assert shown in str(error)
        assert str(error).isprintable()
        assert len(str(error)) < 2_200
        assert isinstance(error, RequestRefusedError) == (status != 500)


@pytest.mark.parametrize("status", [204, 206, 301, 302])
def test_other_statuses_are_no_results(status: int) -> None:
    error = told(status, b"", location="https://login.example/\x1b")
    assert isinstance(error, BadReplyError)
    assert str(error).isprintable()
