"""Programs that speak the protocol of a session, in place of the screens."""

from __future__ import annotations

import sys

__all__ = ["child"]

_BEGIN = """
import json, os, signal, sys, time
out, entry = sys.stdout.buffer, sys.stdin.buffer
def send(letter, content):
    out.write(letter + len(content).to_bytes(4, "big") + content); out.flush()
def receive():
    head = entry.read(5)
    return (head[:1], entry.read(int.from_bytes(head[1:], "big"))) if len(head) == 5 else (b"", b"")
def greet():
    out.write(b"__GANGLION__\\n"); out.flush()
"""
_SCRIPTS = {
    "echo": """
greet()
send(b"D", f"{os.environ['COLUMNS']}x{os.environ['ROWS']} {os.environ['TEXTUAL_DRIVER']}".encode())
while True:
    letter, content = receive()
    if not letter or b"quit" in content:
        break
    send(b"D", letter + content)
send(b"M", b'{"type": "exit"}')
""",
    "opens pages": """
greet()
for url in ("javascript:alert(1)", "file:///etc/passwd", "https://ui.perfetto.dev/"):
    send(b"M", json.dumps({"type": "open_url", "url": url, "new_tab": True}).encode())
send(b"M", b'{"type": "exit"}')
""",
    "fails": "print('xpudbg: no\\x1b such target', file=sys.stderr); sys.exit(2)",
    "stubborn": """
signal.signal(signal.SIGTERM, signal.SIG_IGN)
greet()
send(b"D", str(os.getpid()).encode())
while True:
    time.sleep(60)
""",
    "too large": "greet(); out.write(b'D' + b'\\xff' * 4); out.flush(); time.sleep(60)",
}


def child(name: str) -> list[str]:
    """The command of one of them."""
    return [sys.executable, "-c", _BEGIN + _SCRIPTS[name]]
