"""torch's tools on the same input: torchfrtrace on a folder of dumps, and the table of its debug page."""

from __future__ import annotations

import ast
import json
import os
import re
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path

from xpudbg.services.plain_text import plain
from xpudbg.services.ranksets import RankSet

from .rows import Said

__all__ = ["TIME_LIMIT_S", "TorchTools", "summary_of_command"]

TIME_LIMIT_S = 60
"""Seconds after which a tool is ended: it can loop for ever."""
_SIDE = Path(__file__).with_name("torch_side.py")
_MISSING = re.compile(r"^missing ranks: (\{[\d, ]+\})", re.M)
_CULPRIT = re.compile(r"Culprit rank (\d+)")
_UNDECIDED = "We cannot decide what's wrong"
_LONGEST = 90


class TorchTools:
    """The tools of one interpreter with torch."""

    def __init__(self, python: str) -> None:
        """
        Raises:
            RuntimeError: there is no torch, or one without these tools.
        """
        self.python = python
        self._scratch = tempfile.TemporaryDirectory()  # a pickle may do what it likes when torchfrtrace loads it
        ran = self._run("-c", "import torch.distributed.debug, torch; print(torch.__version__)")
        if ran is None or ran.returncode:
            raise RuntimeError(f"{python} has no torch with a debug page: {'' if ran is None else _last(ran.stderr)}")
        self.version = ran.stdout.strip()

    def command(self, folder: Path, *options: str) -> Said:
        """What torchfrtrace prints about a folder of pickled dumps; the folder is a copy, its pickles are loaded."""
        code = "from torch.distributed.flight_recorder.fr_trace import main; main()"
        ran = self._run("-c", code, str(folder), *options)
        if ran is None:
            return Said(f"no end after {TIME_LIMIT_S} s", failed=True)
        return summary_of_command(ran.stdout + ran.stderr, ran.returncode)

    def page(self, answers: Mapping[int, bytes]) -> Said:
        """What the collectives table of the debug page shows for the answers of some ranks."""
        with tempfile.TemporaryDirectory() as folder:
            for rank, body in answers.items():
                (Path(folder) / f"{rank}.json").write_bytes(body)
            ran = self._run(str(_SIDE), folder)
        if ran is None:
            return Said(f"no end after {TIME_LIMIT_S} s", failed=True)
        if ran.returncode:
            return Said(f"error: {_last(ran.stderr)}", failed=True)
        rows = json.loads(ran.stdout)
        missing = RankSet(rank for row in rows for rank in row["missing"])
        culprits = RankSet(rank for row in rows for rank in row["mismatch"])
        return _told(missing, culprits, differs=any(row["differs"] for row in rows))

    def _run(self, *words: str) -> subprocess.CompletedProcess[str] | None:
        """None when the time limit is over."""
        environment = os.environ | {"PYTHONHASHSEED": "0", "COLUMNS": "200"}
        try:
            return subprocess.run(
                [self.python, *words],
                cwd=self._scratch.name,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                errors="replace",
                timeout=TIME_LIMIT_S,
                check=False,
                env=environment,
            )
        except subprocess.TimeoutExpired:
            return None


def summary_of_command(output: str, code: int) -> Said:
    """What the analyzer's printed words come to.

    Args:
        output: all that it has printed.
        code: its exit code.
    """
    if code:
        return Said(f"error: {_last(output)}", failed=True)
    missing = RankSet(rank for found in _MISSING.findall(output) for rank in ast.literal_eval(found))
    culprits = RankSet(int(rank) for rank in _CULPRIT.findall(output))
    differs = "MISMATCH" in output or "mismatch in the collective" in output
    if not missing and not culprits and not differs and _UNDECIDED in output:
        return Said("can't decide: a dump is missing", accuses=True)
    return _told(missing, culprits, differs=differs)


def _told(missing: RankSet, culprits: RankSet, *, differs: bool) -> Said:
    parts = []
    if missing:
        parts.append(f"missing {missing}")
    if culprits:
        parts.append(f"culprit {culprits}")
    elif differs:
        parts.append("a mismatch")
    return Said("; ".join(parts) or "nothing", bool(parts), missing | culprits)


def _last(text: str) -> str:
    """The last line that says something, short."""
    lines = [line for line in text.strip().splitlines() if line.strip()]
    said = plain(lines[-1]) if lines else "no output"
    return said if len(said) <= _LONGEST else said[: _LONGEST - 3] + "..."
