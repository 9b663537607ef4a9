"""The rank in the name of a text: only where the name says that it is one, since such files are often named by pids."""

from __future__ import annotations

import re

from ..flight_recorder.file_names import read_name
from ..ranksets import MAX_RANK

__all__ = ["rank_in_name"]

_RANK = re.compile(r"(?:^|[_.\-])(?:global_?)?rank[_.\-]?(\d{1,7})(?=$|[_.\-])", re.IGNORECASE)
_TOOL = re.compile(
    r"(?:stacks?|traces?|tracebacks?|faulthandler|py_?spy|dumps?|wait|counters?|logs?|stdout|stderr|out|err|global|[_.\-])*",
    re.IGNORECASE,
)
"""What stands before the rank and is no host."""
_TEXT = re.compile(r"(?:\.(?:log|out|err|stdout|stderr|stacks?|trace|json|txt|gz))+$", re.IGNORECASE)


def rank_in_name(name: str) -> tuple[int, str] | None:
    """Rank and host, the host empty where there is none; None without a rank.

    `rank_3.txt`, `stacks_rank3_20250923_065505.txt`, `node1_rank_9.log`; not `pyspy_48213.txt`.
    """
    stem = _TEXT.sub("", name)
    if found := _RANK.search(stem):
        if int(found[1]) > MAX_RANK:
            return None
        named = read_name(stem)
        host = named.host if named is not None and named.rank == int(found[1]) else ""
        return int(found[1]), "" if _TOOL.fullmatch(host) else host
    return None
