"""Which regular expressions are let through: none that needs much more than the cube of the text."""

from __future__ import annotations

import pytest

from xpudbg.services.filters.expressions import ExpressionError, compiled


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("^nccl:(send|recv)", "nccl:recv 1<-0"),
        ("all_(re|ga)", "nccl:ALL_GATHER"),
        ("a+b*c{2,}", "aacc"),
        ("[]*+]+x", "*]x"),
        (r"\(a\+\)*", "(a+)))"),
        ("(ab)+", "abab"),
        ("(?:ab){2}c?d", "ababd"),
        ("(?i:x)y", "Xy"),
        (r"[^]\]]*z", "abcz"),
        (r"\[(x)*", "[xx"),
        ("x{y}", "x{y}"),
        ("a+?b", "aab"),
        ("(send|recv) 1", "recv 1"),
        ("", "anything"),
    ],
)
def test_let_through(text: str, found: str) -> None:
    assert compiled(text).search(found) is not None
    assert text == "" or compiled(text).search("-") is None


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("(a+)+", "what is repeated"),
        (r"(\(*)+", "what is repeated"),
        ("((a*)b)*", "what is repeated"),
        ("(a|a)*", "what is repeated"),
        ("(a?b?){9}", "what is repeated"),
        ("(?:(x|y)z){3,}", "what is repeated"),
        (r"(a)(?:\1)*", "what is repeated"),
        ("(?P<x>a)(?P=x)", "references"),
        ("(a)(?(1)b|c)", "references"),
        (".*a.*b.*c.*", "more than 3"),
        ("a?b?c?d?e?f?g", "more than 3"),
        ("[", "no regular expression"),
        ("*", "no regular expression"),
    ],
)
def test_refused(text: str, why: str) -> None:
    with pytest.raises(ExpressionError) as error:
        compiled(text)
    assert str(error.value).startswith(why)
