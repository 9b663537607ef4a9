"""Groups and calls of the flight recorder by what people call them: `group tp`, `#311`, `tp #311`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ...services.plain_text import plain

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ...services.flight_recorder.diagnosis import Diagnosis
    from ...services.flight_recorder.groups import JobGroup
    from ...services.session import Session

__all__ = ["ToCall", "ToGroup", "call_of", "group_of", "group_words"]

NAMED = 8
"""Groups that an error names."""


@dataclass(frozen=True, slots=True)
class ToGroup:
    """To the members of a group."""

    source: str
    """The flight recorder."""
    group: int
    """Index into `Job.groups`."""


@dataclass(frozen=True, slots=True)
class ToCall:
    """To one call of a group, in the table of collectives."""

    source: str
    group: int
    seq: int
    p2p: bool
    beside: str = ""
    """Which group was taken, when others have a call of that number too."""


def group_of(session: Session, text: str) -> ToGroup | str:
    """The group that is meant, or what is wrong with it. Of several that fit, the selected rank's."""
    found = _groups(session, text)
    if isinstance(found, str):
        return found
    source, groups = found[0]
    return ToGroup(source, _best(groups, session.selected).index)


def call_of(session: Session, seq: int, text: str = "") -> ToCall | str:
    """The call with a sequence number, or what is wrong with it.

    Of several groups that have one, that of a finding is taken, else one of the selected rank.

    Args:
        text: the group; empty when any is meant.
    """
    wanted = _groups(session, text)
    if isinstance(wanted, str):
        return wanted
    for source, groups in wanted:
        diagnosis = session.recorder.diagnoses[source]
        matched = diagnosis.analysis.matched
        rows = np.flatnonzero(matched.call_seq == seq)
        there = {(int(matched.call_group[row]), bool(matched.call_p2p[row])) for row in rows}
        having = [group for group in groups if {(group.index, False), (group.index, True)} & there]
        if having:
            break
    else:
        source, groups = wanted[0]
        diagnosis = session.recorder.diagnoses[source]
        of = f" of {plain(text, 60)}" if text else ""
        return f"the flight recorder has no call #{seq}{of}{_span(diagnosis, groups)}"
    accused = [one.group.index for one in diagnosis.findings if one.group is not None and one.seq == seq]
    chosen = next((group for group in having if group.index in accused), None) or _best(having, session.selected)
    others = len(having) - 1
    beside = f"#{seq} of {plain(chosen.label, 60)}; {others} other groups have one" if others else ""
    return ToCall(source, chosen.index, seq, (chosen.index, False) not in there, beside)


def group_words(session: Session, most: int) -> Iterator[str]:
    """What groups can be called, for completion."""
    for diagnosis in session.recorder.diagnoses.values():
        labels = dict.fromkeys(plain(group.label, 60) for group in diagnosis.analysis.job.groups[:most])
        yield from (label if label.startswith("group ") else f"group {label}" for label in labels)


def _groups(session: Session, text: str) -> list[tuple[str, Sequence[JobGroup]]] | str:
    """The recorders and their groups that fit: called so, else those whose name begins so, else contains it."""
    diagnoses = session.recorder.diagnoses
    if not diagnoses:
        return session.reading_again or "no flight recorder has been read yet"
    wanted = text.strip().casefold()
    if not wanted:
        every: list[tuple[str, Sequence[JobGroup]]] = [
            (source, one.analysis.job.groups) for source, one in diagnoses.items() if one.analysis.job.groups
        ]
        return every or "no group is recorded"
    for fits in (str.__eq__, str.startswith, str.__contains__):
        fitting: list[tuple[str, Sequence[JobGroup]]] = []
        for source, diagnosis in diagnoses.items():
            groups = [
                group
                for group in diagnosis.analysis.job.groups
                if any(fits(name.casefold(), wanted) for name in (group.label, group.desc, group.name))
            ]
            if groups:
                fitting.append((source, groups))
        if fitting:
            return fitting
    labels = list(dict.fromkeys(plain(g.label, 60) for d in diagnoses.values() for g in d.analysis.job.groups))
    more = f" and {len(labels) - NAMED} more" if len(labels) > NAMED else ""
    return f"no group is called {plain(text, 60)}: there are {', '.join(labels[:NAMED])}{more}"


def _best(groups: Sequence[JobGroup], rank: int | None) -> JobGroup:
    """The one that the selected rank is in, else the first."""
    return next((group for group in groups if rank is not None and rank in group.members), groups[0])


def _span(diagnosis: Diagnosis, groups: Sequence[JobGroup]) -> str:
    """Which sequence numbers there are."""
    matched = diagnosis.analysis.matched
    seqs = matched.call_seq[np.isin(matched.call_group, [group.index for group in groups])]
    return f": it has #{int(seqs.min())} to #{int(seqs.max())}" if len(seqs) else ""
