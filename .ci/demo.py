"""Run `make demo` in a pseudo-terminal, as on a machine that has just cloned, read its first screen, and quit by a key.

Usage, in the root folder: PYTHONPATH=. python .ci/demo.py FOLDER
"""

from __future__ import annotations

import sys
from pathlib import Path

from tests.terminal.terminal import Terminal

VERDICT = r"Rank 41 \(.*\) is dead"
"""The first finding of the demo's default scenario."""
INSTALL_S = 300
QUIT_S = 15


def main(folder: str) -> None:
    with Terminal(["make", "demo"], cwd=Path(folder)) as terminal:
        terminal.wait_for(VERDICT, within=INSTALL_S)
        print(terminal.text)
        terminal.press("q")
        code = terminal.wait_for_exit(within=QUIT_S)
        assert code == 0, f"exit code {code}"
        assert terminal.used_alternate_screen()
        assert terminal.left_behind() == []
    print("quit by q: exit code 0, the terminal is as it was")


if __name__ == "__main__":
    main(sys.argv[1])
