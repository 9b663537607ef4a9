"""The difference of two looks in lines, from its document: what matters first, equal parts counted only."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Any

from ...ranksets import RankSet

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

__all__ = ["Part", "head_lines", "parts_of", "verdict_said"]

GROUPS_SHOWN = 12
STEPS_SHOWN = 6
MOVES_SHOWN = 12
_INDENT = 4
RANKS_WIDTH = 60
"""Characters of a rank set in a line; the JSON form has all."""

Part = tuple[str, list[str]]
"""A heading and its lines. Texts are not made plain."""


def head_lines(made: Mapping[str, Any]) -> list[str]:
    """Which two looks they are: `A` and `B`."""
    before, after = made["before"], made["after"]
    apart = made["apart_s"]
    later = f"{_duration(abs(apart))} {'later' if apart >= 0 else 'earlier'}" if apart else "at the same instant"
    where = "the same target" if after["target"] == before["target"] else after["target"]
    lines = [f"A  {_look(before, before['target'])}", f"B  {_look(after, where)}, {later}"]
    if before["world_size"] == after["world_size"] and after["world_size"]:
        lines[0] += f", world size {after['world_size']:,}"
    return lines


def verdict_said(made: Mapping[str, Any]) -> str:
    """`moving -> hang`, `hang, as before`."""
    verdict = made["verdict"]
    partial = " (partial)" if made["partial"] else ""
    if verdict["before"] == verdict["after"]:
        return f"{verdict['after']}, as before{partial}"
    return f"{verdict['before']} -> {verdict['after']}{partial}"


def parts_of(made: Mapping[str, Any]) -> list[Part]:
    """All but the verdict, in the order of importance; empty parts are left out."""
    parts = [
        ("findings", list(_findings(made["findings"]))),
        ("ranks", list(_ranks(made["ranks"]))),
        ("flight recorder", list(_motion(made["motion"])) if made["motion"] is not None else []),
        ("stacks", list(_stacks(made["stacks"])) if made["stacks"] is not None else []),
        ("wait counters", list(_counters(made["counters"])) if made["counters"] is not None else []),
        ("notes", list(made["notes"])),
    ]
    return [part for part in parts if part[1]]


def _duration(seconds: float) -> str:
    """`4.2 s`, `75 s`, `12 min`, `3.4 h`, `434 days`."""
    if seconds < 300:
        return f"{seconds:.1f} s" if seconds < 60 else f"{seconds:.0f} s"
    if seconds < 2 * 3600:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h" if seconds < 2 * 86_400 else f"{seconds / 86_400:,.0f} days"


def ranks_in_line(ranks: Sequence[int]) -> str:
    """`rank 3`, `ranks 0-7,12`, long sets cut with their number."""
    written = str(RankSet(ranks))
    if len(written) > RANKS_WIDTH:
        head = written[:RANKS_WIDTH].rpartition(",")[0]
        written = f"{head},... ({len(ranks):,} in all)"
    return f"rank{'' if len(ranks) == 1 else 's'} {written}"


def wrapped(line: str, width: int | None) -> list[str]:
    """The line in as many as it takes, the later ones set in; one line without a width."""
    if width is None or len(line) <= width:
        return [line]
    indent = " " * (len(line) - len(line.lstrip()) + _INDENT)
    return textwrap.wrap(line, max(width, 2 * len(indent), 20), subsequent_indent=indent, break_on_hyphens=False)


def _look(look: Mapping[str, Any], target: str) -> str:
    return f"{target}, look {look['look']} at {look['taken_at']}"


def _findings(findings: Mapping[str, Any]) -> Iterator[str]:
    for finding in findings["came"]:
        yield f"+ {_finding(finding)}: {finding['text']}"
    for finding in findings["gone"]:
        yield f"- {_finding(finding)}: {finding['text']}"
    for pair in findings["changed"]:
        yield f"~ {pair['after']['kind']}: {'; '.join(_judged(pair))}: {pair['after']['text']}"
    if same := findings["same"]:
        kinds = ", ".join(dict.fromkeys(finding["kind"] for finding in same))
        yield f"= {len(same)} as before: {kinds}"


def _finding(finding: Mapping[str, Any]) -> str:
    return f"{finding['kind']} ({finding['severity']}, {finding['confidence']})"


def _judged(pair: Mapping[str, Any]) -> Iterator[str]:
    before, after = pair["before"], pair["after"]
    for name in ("severity", "confidence"):
        if before[name] != after[name]:
            yield f"{before[name]} -> {after[name]}"
    if before["waiting"] != after["waiting"]:
        yield f"{len(before['waiting'])} -> {len(after['waiting'])} waiting"


def _ranks(ranks: Mapping[str, Any]) -> Iterator[str]:
    for change in ranks["classes"]:
        yield f"{ranks_in_line(change['ranks'])}: {change['before']} -> {change['after']}"
    if ranks["came"]:
        yield f"{ranks_in_line(ranks['came'])}: only in B"
    if ranks["went"]:
        yield f"{ranks_in_line(ranks['went'])}: only in A"
    if ranks["readdressed"]:
        yield f"{ranks_in_line(ranks['readdressed'])}: at another address, another process"


def _motion(motion: Mapping[str, Any]) -> Iterator[str]:
    if motion["moved"]:
        yield f"moved   {ranks_in_line(motion['moved'])}"
    if motion["stood"]:
        inside = sorted(set(motion["stood"]) & set(motion["inside"]))
        within = "" if not inside else ", all inside a call" if inside == motion["stood"] else f", {len(inside)} inside"
        yield f"stood   {ranks_in_line(motion['stood'])}{within}"
    if motion["began_anew"]:
        yield f"lower   {ranks_in_line(motion['began_anew'])}: numbers have fallen, so the recorder is another one"
    for which, key in (("A", "only_before"), ("B", "only_after")):
        if motion[key]:
            yield f"only {which}  {ranks_in_line(motion[key])}: no dump in the other look"
    alike = _alike(motion["groups"])
    for members in alike[:GROUPS_SHOWN]:
        yield from _groups(members)
    more = sum(map(len, alike[GROUPS_SHOWN:])) + motion["groups_left_out"]
    if more > 0:
        yield f"and {more:,} more groups in which ranks moved"
    if motion["groups_still"] and motion["groups"]:
        yield f"{motion['groups_still']:,} group{'' if motion['groups_still'] == 1 else 's'} in which nobody moved"


def _alike(groups: Sequence[Mapping[str, Any]]) -> list[list[Mapping[str, Any]]]:
    """Groups of one description in which ranks moved in the same ways, together."""
    found: dict[tuple[object, ...], list[Mapping[str, Any]]] = {}
    for one in groups:
        ways = tuple((*step["seq"], *step["completed"], *step["p2p"], *step["p2p_completed"]) for step in one["steps"])
        desc = one["group"]["desc"]
        alone = one["group"]["name"] if desc in ("", "undefined") or one["steps_left_out"] else ""
        found.setdefault((one["source"], desc, alone, bool(one["stood"]), ways), []).append(one)
    return list(found.values())


def _groups(members: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    first = members[0]
    stood = sorted({rank for one in members for rank in one["stood"]})
    label = _label(first["group"]) if len(members) == 1 else f"{first['group']['desc']} ({len(members)} groups)"
    yield f"{label}{f'; stood: {ranks_in_line(stood)}' if stood else ''}"
    for number, step in enumerate(first["steps"][:STEPS_SHOWN]):
        ranks = sorted({rank for one in members for rank in one["steps"][number]["ranks"]})
        yield f"  {ranks_in_line(ranks)}: {_step(step)}"
    more = len(first["steps"]) + first["steps_left_out"] - STEPS_SHOWN
    if more > 0:
        yield f"  and {more:,} more ways to move"


def _label(group: Mapping[str, Any]) -> str:
    named = [part for part in (group["desc"], group["name"]) if part and part != "undefined"]
    return (f"{named[0]} (group {named[1]})" if len(named) > 1 else f"group {named[0]}") if named else "default group"


def _step(step: Mapping[str, Any]) -> str:
    told = []
    if any(step["seq"]):
        was, now = step["seq"]
        told.append(f"at {_number(now)}" if was == now else f"{_number(was)} -> {_number(now)}")
    if step["p2p"][1] is not None:
        told.append(f"sends and receives {_number(step['p2p'][0])} -> {_number(step['p2p'][1])}")
    told += [f"{step[name]:,} {name}" for name in ("begun", "ended") if step[name] is not None]
    return ", ".join(told) or "calls, how many is not known"


def _number(seq: int | None) -> str:
    return "?" if seq is None else f"#{seq}"


def _stacks(stacks: Mapping[str, Any]) -> Iterator[str]:
    if stacks["recorded"]:
        yield "as the recorders kept them when the calls were made"
    if stacks["same"]:
        yield f"same    {ranks_in_line(stacks['same'])}"
    for move in stacks["moves"][:MOVES_SHOWN]:
        by = " (only the line)" if move["line_only"] else ""
        yield f"{ranks_in_line(move['ranks'])}: {move['before']} -> {move['after']}{by}"
    more = len(stacks["moves"]) + stacks["moves_left_out"] - MOVES_SHOWN
    if more > 0:
        yield f"and {more:,} more different moves"
    for which, key in (("A", "only_before"), ("B", "only_after")):
        if stacks[key]:
            yield f"only {which}  {ranks_in_line(stacks[key])}: no stack in the other look"


def _counters(counters: Mapping[str, Any]) -> Iterator[str]:
    for one in counters["waiting"][:MOVES_SHOWN]:
        told = [f"{sign} {ranks_in_line(one[key])}" for sign, key in (("+", "came"), ("-", "gone")) if one[key]]
        still = f" ({len(one['still'])} still)" if one["still"] else ""
        yield f"waiting now in {one['name']}: {', '.join(told)}{still}"
    more = len(counters["waiting"]) + counters["waiting_left_out"] - MOVES_SHOWN
    if more > 0:
        yield f"and {more:,} more counters in which ranks began or ended to wait"
    for one in counters["rates"]:
        median = one["median_s_per_s"]
        yield (f"{one['name']}: rank {one['rank']} waited {one['waited_s_per_s']:.2f} s a second (median {median:.2f})")
    if counters["began_anew"]:
        yield f"{ranks_in_line(counters['began_anew'])}: counters began anew"
