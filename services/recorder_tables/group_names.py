"""What the tables call a group."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..flight_recorder.groups import JobGroup

__all__ = ["group_label", "group_told"]


def group_label(group: JobGroup) -> str:
    """Name and description as torch's pg_desc, `4:tp`; one of them where the other says nothing."""
    desc = "" if group.desc == "undefined" else group.desc
    return ":".join(filter(None, (group.name, desc))) or "default group"


def group_told(group: JobGroup) -> str:
    """The same with its members: `4:tp (2 members: 0-1)`."""
    return f"{group_label(group)} ({group.size} {'member' if group.size == 1 else 'members'}: {group.members})"
