"""What a command says on standard error of a session that went wrong: the target, or xpudbg itself."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ...services.session import Session

__all__ = ["tell_failure", "tell_faults"]


def tell_failure(session: Session) -> None:
    """Why the target could not be read, and what to do about it; nothing when it could."""
    from ...services.plain_text import plain

    if session.failure:
        print(f"xpudbg: {plain(session.failure)}\n  {plain(session.hint)}", file=sys.stderr)


def tell_faults(session: Session) -> None:
    """The defects of xpudbg that showed, with their traces."""
    from ...services.plain_text import plain_lines

    for fault in session.faults:
        print(f"xpudbg failed while {fault.doing}:\n{plain_lines(fault.trace or fault.error)}", file=sys.stderr)
