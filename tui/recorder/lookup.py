"""Rows of the flight recorder's tables by what they are about, and back."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .spots import Spot, Tab, find_group, group_id

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ...services.flight_recorder.diagnosis import FlightFinding
    from ...services.recorder_tables.browser import RecorderTables
    from ...services.recorder_tables.table import BrowseTable

__all__ = ["count_of", "mask_of", "row_of", "spot_of", "table_of"]


def table_of(tables: RecorderTables, tab: Tab) -> BrowseTable:
    """The table of a tab that has one; made when it is first asked for."""
    match tab:
        case Tab.FINDINGS:
            return tables.findings
        case Tab.COLLECTIVES:
            return tables.collectives
        case Tab.CALLS:
            return tables.calls
        case Tab.GROUPS:
            return tables.groups
        case Tab.MEMBERSHIPS:
            return tables.memberships
    raise ValueError(f"{tab} has no table")


def count_of(tables: RecorderTables, tab: Tab) -> int:
    """Rows of a tab's table, known before it is made."""
    analysis = tables.diagnosis.analysis
    match tab:
        case Tab.FINDINGS:
            return len(_findings(tables))
        case Tab.COLLECTIVES:
            return len(analysis.matched.call_seq)
        case Tab.CALLS:
            return len(tables.lines)
        case Tab.GROUPS:
            return len(analysis.job.groups)
        case Tab.MEMBERSHIPS:
            return len(tables.members)
    raise ValueError(f"{tab} has no table")


def spot_of(tables: RecorderTables, tab: Tab, row: int) -> Spot:
    """What a row is about."""
    groups, lines, members = tables.diagnosis.analysis.job.groups, tables.lines, tables.members
    match tab:
        case Tab.FINDINGS:
            return Spot(finding=_key(_findings(tables)[row]))
        case Tab.COLLECTIVES:
            call, matched = int(lines.order[row]), lines.matched
            group = groups[int(matched.call_group[call])]
            return Spot(group_id(group), None, bool(matched.call_p2p[call]), int(matched.call_seq[call]))
        case Tab.CALLS:
            group = groups[int(lines.group[row])]
            return Spot(group_id(group), int(lines.rank[row]), bool(lines.p2p[row]), int(lines.sequence[row]))
        case Tab.GROUPS:
            return Spot(group_id(groups[row]))
        case Tab.MEMBERSHIPS:
            return Spot(group_id(groups[int(members.group[row])]), int(members.rank[row]))
    raise ValueError(f"{tab} has no table")


def row_of(tables: RecorderTables, tab: Tab, spot: Spot) -> int | None:
    """The row of a spot; None when this look has none."""
    found = np.flatnonzero(mask_of(tables, tab, spot))
    return int(found[0]) if len(found) else None


def mask_of(tables: RecorderTables, tab: Tab, spot: Spot) -> NDArray[np.bool_]:
    """Which rows of a tab agree with a spot, shape (rows,)."""
    lines, members = tables.lines, tables.members
    group = find_group(tables.diagnosis.analysis.job.groups, spot.group) if spot.group is not None else None
    mask = np.ones(count_of(tables, tab), dtype=np.bool_)
    if spot.group is not None and group is None:
        mask[:] = False
        return mask
    match tab:
        case Tab.FINDINGS:
            mask[:] = [_key(finding) == spot.finding for finding in _findings(tables)]
        case Tab.COLLECTIVES:
            matched, order = lines.matched, lines.order
            _keep(mask, matched.call_group[order], group)
            _keep(mask, matched.call_p2p[order], spot.p2p)
            _keep(mask, matched.call_seq[order], spot.seq)
        case Tab.CALLS:
            _keep(mask, lines.group, group)
            _keep(mask, lines.rank, spot.rank)
            _keep(mask, lines.p2p, spot.p2p)
            _keep(mask, lines.sequence, spot.seq)
            if spot.seq is not None:  # entries of a group of that name before a restart are no part of the call
                mask &= lines.row >= 0
        case Tab.GROUPS:
            _keep(mask, np.arange(len(mask)), group)
        case Tab.MEMBERSHIPS:
            _keep(mask, members.group, group)
            _keep(mask, members.rank, spot.rank)
        case _:
            raise ValueError(f"{tab} has no table")
    return mask


def _keep(mask: NDArray[np.bool_], column: NDArray[np.generic], value: int | None) -> None:
    if value is not None:
        mask &= column == value


def _findings(tables: RecorderTables) -> tuple[FlightFinding, ...]:
    """In the order of the rows."""
    return (*tables.diagnosis.findings, *tables.diagnosis.passing)


def _key(finding: FlightFinding) -> tuple[object, ...]:
    group = finding.group
    named = (group.name, group.members) if group is not None else None
    return finding.kind, finding.culprits, named, finding.op, finding.seq
