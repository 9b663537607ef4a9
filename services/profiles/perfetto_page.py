"""The page that opens Perfetto beside it and hands the trace over, window to window."""

from __future__ import annotations

import html
import json

__all__ = ["PERFETTO", "page", "page_policy"]

PERFETTO = "https://ui.perfetto.dev"
"""Where the viewer is. The trace goes to the viewer's window in the same browser, not to its server."""

_SCRIPT = """
const viewer = %(viewer)s;
const said = document.getElementById("said");
const button = document.getElementById("open");
let sent = false;
async function handOver() {
  const view = window.open(viewer);
  if (!view) {
    said.textContent = "The browser keeps new windows closed: press the button.";
    button.hidden = false;
    return;
  }
  button.hidden = true;
  said.textContent = "Waiting for Perfetto \\u2026";
  const calling = setInterval(() => view.postMessage("PING", viewer), 100);
  window.addEventListener("message", async (event) => {
    if (event.origin !== viewer || event.data !== "PONG" || sent) { return; }
    sent = true;
    clearInterval(calling);
    said.textContent = "Reading the trace \\u2026";
    const answer = await fetch("trace", { cache: "no-store" });
    if (!answer.ok) { said.textContent = "The trace is not there any more: ask xpudbg for it again."; return; }
    const buffer = await answer.arrayBuffer();
    view.postMessage({ perfetto: { buffer, title: %(title)s, fileName: %(file)s, keepApiOpen: false } }, viewer);
    said.textContent = "Perfetto has the trace. This page can be closed.";
  });
}
button.addEventListener("click", handOver);
handOver();
"""


def page(title: str, file_name: str, nonce: str) -> str:
    """The page as HTML.

    Args:
        title: what Perfetto calls the trace.
        file_name: how it is called when it is saved from there.
        nonce: of its script; see `page_policy`.
    """
    script = _SCRIPT % {"viewer": _literal(PERFETTO), "title": _literal(title), "file": _literal(file_name)}
    shown = html.escape(title)
    return (
        f'<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>{shown}</title>\n</head>\n<body>\n'
        f'<h1>{shown}</h1>\n<p id="said">Opening Perfetto &#8230;</p>\n'
        '<button id="open" hidden>Open Perfetto</button>\n'
        f'<script nonce="{nonce}">{script}</script>\n</body>\n</html>\n'
    )


def page_policy(nonce: str) -> str:
    """What the page may do: run its own script and ask its own server."""
    return f"default-src 'none'; script-src 'nonce-{nonce}'; connect-src 'self'; base-uri 'none'; form-action 'none'"


def _literal(text: str) -> str:
    """A text inside of a script: nothing in it ends the script."""
    return json.dumps(text).replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
