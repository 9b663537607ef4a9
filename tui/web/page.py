"""The page that holds the terminal; its program and its font are textual-serve's, nothing comes from elsewhere."""

from __future__ import annotations

from html import escape
from pathlib import Path

__all__ = ["page", "page_headers", "statics_folder"]

_PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>{title}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/static/css/xterm.css">
<style>
@font-face {{
  font-family: "Roboto Mono"; font-weight: 100 700;
  src: url("/static/fonts/RobotoMono-VariableFont_wght.ttf");
}}
html, body {{ margin: 0; height: 100%; overflow: hidden; background: #101418; color: #d8dee4; font: 16px monospace; }}
#over {{ display: none; position: fixed; inset: 0; z-index: 9; background: #101418; text-align: center; }}
#over p {{ margin-top: 40vh; }}
body.-closed #over {{ display: block; }}
a {{ color: #7cc4ff; }}
</style>
<script nonce="{nonce}">
addEventListener("DOMContentLoaded", () => {{
  const socket = location.origin.replace(/^http/, "ws") + "/ws";
  document.getElementById("terminal").dataset.sessionWebsocketUrl = socket;
}});
const focus = () => document.querySelector(".xterm-helper-textarea")?.focus();
addEventListener("load", () => {{ focus(); setTimeout(focus, 100); }});
</script>
<script src="/static/js/textual.js"></script>
</head>
<body>
<div id="over"><p>The session has ended.</p><p><a href="/">Begin another one</a></p></div>
<div id="terminal" class="textual-terminal" data-font-size="{font_size}"></div>
</body>
</html>
"""


def statics_folder() -> Path:
    """Where the terminal for browsers lies.

    Raises:
        ImportError: textual-serve is not installed.
    """
    import textual_serve

    return Path(textual_serve.__file__).parent / "static"


def page(title: str, nonce: str, font_size: int = 16) -> str:
    """
    Args:
        title: of the tab.
        nonce: what the policy of `page_headers` knows the page's own script by.
    """
    return _PAGE.format(title=escape(title), nonce=nonce, font_size=font_size)


def page_headers(nonce: str, host: str) -> dict[str, str]:
    """What the browser is told to refuse: everything that is not from here.

    Args:
        host: the name and port that the browser knows the server by.
    """
    policy = (
        "default-src 'none'",
        f"script-src 'self' 'nonce-{nonce}'",
        "style-src 'self' 'unsafe-inline'",
        "font-src 'self' data:",
        "img-src 'self' data:",
        f"connect-src 'self' ws://{host} wss://{host}",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
    )
    return {
        "Content-Security-Policy": "; ".join(policy),
        "Cache-Control": "no-store",
        "Cross-Origin-Opener-Policy": "same-origin",
    }
