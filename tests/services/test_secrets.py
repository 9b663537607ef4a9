"""Passwords in texts."""

from __future__ import annotations

import pytest

from xpudbg.services.secrets import without_secrets


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("GET http://me:secret@host:1/x", "GET http://host:1/x"),
        ("proxy='https://secret@p:3'", "proxy='https://p:3'"),
        ("password=secret&x=1", "password=***&x=1"),
        ('"token": "secret"', '"token": ***'),
        ("Authorization: Bearer secret", "Authorization: ***"),
        ("api_key = 'secret'", "api_key = ***"),
        ("mail me@example.com about http://a/b", "mail me@example.com about http://a/b"),
        ("the token of rank 3", "the token of rank 3"),
    ],
)
def test_secrets_are_left_out_and_the_rest_stays(text: str, kept: str) -> None:
    assert without_secrets(text) == kept
