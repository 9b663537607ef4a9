"""Passwords taken out of texts before they are kept or shown."""

from __future__ import annotations

import re

__all__ = ["without_secrets"]

_USER_INFO = re.compile(r"(?<=//)[^/@\s\"'<>]*@")
_NAMED = re.compile(
    r"(?i)\b(authorization|proxy-authorization|cookie|password|passwd|secret|token|api[-_]?key)"
    r"(\"|')?(\s*[:=]\s*)(\"[^\"]*\"|'[^']*'|(?:basic|bearer)\s+[^\s\"'&,;]+|[^\s\"'&,;]+)"
)


def without_secrets(text: str) -> str:
    """User names and passwords of URLs are left out; what is named a password, a token or a cookie becomes `***`."""
    return _NAMED.sub(lambda match: f"{match[1]}{match[2] or ''}{match[3]}***", _USER_INFO.sub("", text))
