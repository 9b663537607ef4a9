"""How many connections this process may hold: the limit of open files, raised as far as the system lets us."""

from __future__ import annotations

__all__ = ["connections_allowed"]

RESERVED = 256
"""Files kept for everything that is no connection to a rank."""
ENOUGH = 65_536


def connections_allowed() -> int:
    """Raise the soft limit of open files to the hard one (at most `ENOUGH`) and say how many connections fit."""
    try:
        import resource
    except ImportError:  # not a POSIX system: sockets are not files there
        return ENOUGH
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = ENOUGH if hard == resource.RLIM_INFINITY else min(hard, ENOUGH)
    if soft == resource.RLIM_INFINITY:
        return ENOUGH
    if soft < wanted:
        try:
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
            soft = wanted
        except (ValueError, OSError):  # a system may refuse what its hard limit promises (macOS): the old one holds
            soft = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    return max(soft - RESERVED, 16)
