"""The tables of one flight recorder of a look, each made when it is first asked for."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from ..judging.witness import UNSEEN, Witness
from ..looks.recorders import DUMP_FILE
from .calls import CallRows
from .collectives import CollectiveRows
from .findings import FindingRows, NameRanks
from .groups import GroupRows
from .lines import Lines
from .members import Members
from .memberships import MembershipRows

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..flight_recorder.diagnosis import Diagnosis
    from ..looks.recorders import RecorderLook
    from ..ranksets import RankSet
    from .table import BrowseTable

__all__ = ["RecorderTables", "source_name", "sources_of"]

_NAMES = {
    "dump_nccl_trace_json": "NCCL",
    "fr_trace_json": "CPU (Gloo)",
    "torchcomms_fr_trace_json": "torchcomms",
    DUMP_FILE: "dump files",
}


def source_name(source: str) -> str:
    """What people call a recorder by the name of its handler."""
    return _NAMES.get(source, source)


def sources_of(look: RecorderLook) -> tuple[tuple[str, str], ...]:
    """The recorders of a look that hold something, as (source, name for people), the one that counts most first."""
    return tuple((source, source_name(source)) for source in look.diagnoses)


class RecorderTables:
    """What one recorder of a look says, to browse. Only `source` is looked at; a look may have several."""

    def __init__(
        self,
        look: RecorderLook,
        source: str,
        *,
        hosts: Mapping[int, str] | None = None,
        name_ranks: NameRanks | None = None,
        beside: Witness = UNSEEN,
    ) -> None:
        """
        Args:
            source: one of `look.diagnoses`.
            hosts: host of each rank; those that the dumps name are known without.
            name_ranks: how sentences name ranks, with their hosts for example; else by number alone.
            beside: what is known of the ranks beside their recorders, so that findings read as in the verdict.

        Raises:
            KeyError: the look has no such source.
        """
        self.look = look
        self.source = source
        self.diagnosis: Diagnosis = look.diagnoses[source]
        self._hosts = dict(hosts or {})
        self._name_ranks = name_ranks or _numbers
        self._beside = beside

    @cached_property
    def lines(self) -> Lines:
        """The columns that the tables share."""
        return Lines(self.diagnosis.analysis)

    @cached_property
    def members(self) -> Members:
        return Members(self.diagnosis.analysis)

    @cached_property
    def findings(self) -> FindingRows:
        return FindingRows(self.diagnosis, self.collectives, self._name_ranks, self._beside, self.source)

    @cached_property
    def collectives(self) -> CollectiveRows:
        return CollectiveRows(self.lines, self.members)

    @cached_property
    def calls(self) -> CallRows:
        return CallRows(self.collectives)

    @cached_property
    def groups(self) -> GroupRows:
        return GroupRows(self.collectives)

    @cached_property
    def memberships(self) -> MembershipRows:
        return MembershipRows(self.members, self.hosts, self.look.coordinates)

    @cached_property
    def hosts(self) -> Mapping[int, str]:
        """The host of each rank where it is known, by the dumps and by whoever made this."""
        dumps = self.diagnosis.analysis.job.dumps
        return {dump.rank: dump.host for dump in dumps if dump.host} | self._hosts

    @property
    def all(self) -> tuple[BrowseTable, ...]:
        """All five, in the order in which they are shown."""
        return (self.findings, self.collectives, self.calls, self.groups, self.memberships)


def _numbers(ranks: RankSet) -> str:
    return f"{'rank' if len(ranks) == 1 else 'ranks'} {ranks}"
