"""What the tables call a group."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..flight_recorder.groups import JobGroup

__all__ = ["group_label"]


def group_label(group: JobGroup) -> str:
    """Name and description as torch's pg_desc, `4:tp`; one of them where the other says nothing."""
    desc = "" if group.desc == "undefined" else group.desc
    return ":".join(filter(None, (group.name, desc))) or "default group"
