"""Whether a page can be shown here, and showing it."""

from __future__ import annotations

import os
import sys
import webbrowser
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["has_browser", "show_page"]

_TEXT = ("lynx", "links", "elinks", "w3m", "www-browser")
"""Browsers that would take the terminal, and can't run Perfetto."""


def has_browser(env: Mapping[str, str] = os.environ, platform: str = sys.platform) -> bool:
    """Whether there is a screen that a browser could open on: not in a plain SSH session."""
    if platform == "darwin":
        return "SSH_CONNECTION" not in env
    if platform.startswith("win"):
        return True
    return bool(env.get("DISPLAY") or env.get("WAYLAND_DISPLAY"))


def show_page(url: str) -> bool:
    """Tell the browser to open a page; False when there is none that could. May take a second."""
    try:
        browser = webbrowser.get()
    except webbrowser.Error:
        return False
    if getattr(browser, "basename", "") in _TEXT:
        return False
    return bool(browser.open(url))
