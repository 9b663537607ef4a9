"""The report of a session: one document as JSON, text for a terminal, or Markdown for a ticket.

`document` makes plain values once (the JSON form, described in docs/report.md); the text forms show that document.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from .counters.in_report import counters_in_report
from .instants import utc_text
from .judging.stack_findings import place_of
from .markdown_text import Piece, joined, unmarked
from .plain_text import plain
from .ranksets import RankSet
from .snapshot import RankClass
from .version import __version__

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from .artifacts.artifact import Refused
    from .findings import Finding
    from .looks.stacks import StackLook
    from .session import Session
    from .snapshot import RankState, Snapshot

__all__ = ["SCHEMA", "document", "render_json", "render_markdown", "render_text"]

SCHEMA = "xpudbg.report/1"

FILES_SHOWN = 1_000
"""Files that could not be used, of each kind, in the JSON; the others are counted."""
STACKS_SHOWN = 100
"""Different stacks in the JSON; the others are counted."""
_STACKS_IN_TEXT = 5
"""Different stacks in the text forms; more would bury the verdict."""
_FILES_IN_TEXT = 10
"""Files left aside in the text forms."""
_FRAMES_IN_TEXT = 8
_FENCED = 300
"""Characters of a line of a stack in Markdown."""

_RANK_COLUMNS = ("rank", "host", "class", "since UTC", "ping ms", "stuck", "where", "reason")


def document(session: Session, *, with_ranks: bool = False) -> dict[str, Any]:
    """The report as plain values: ranks as lists of int, durations in seconds, instants as ISO 8601 in UTC.

    Args:
        session: what is known; the closed look that is shown, else the newest one, is reported.
        with_ranks: add one entry for each rank.
    """
    look = session.look
    verdict = session.verdict
    made: dict[str, Any] = {
        "schema": SCHEMA,
        "version": __version__,
        "target": session.label,
        "world_size": session.world_size,
        "verdict": verdict.value.value,
        "summary": verdict.summary,
        "partial": verdict.partial or (look is not None and (look.cancelled or look.partial)),
        "missing": list(verdict.missing),
        "findings": [_finding(finding) for finding in verdict.findings],
        "classes": {
            rank_class.value: ranks
            for rank_class in RankClass
            if (ranks := [rank for rank, state in session.ranks.items() if state.rank_class is rank_class])
        },
        "looks": [_look(look) for look in session.looks],
        "stacks": _stacks(session.stacks) if session.stacks.look_id else None,
        "counters": counters_in_report(session.counters) if session.counters.look_id else None,
        "notes": [
            *session.notes,
            *session.asides,
            *(look.notes if look else ()),
            *([session.secure] if session.secure else []),
        ],
        "error": {"message": session.failure, "hint": session.hint} if session.failure else None,
        "faults": [{"doing": fault.doing, "error": fault.error} for fault in session.faults],
    }
    if session.post_mortem:
        made["files"] = _files(session.unused)
    if with_ranks:
        made["ranks"] = [_rank(state, session.stacks) for state in session.ranks.values()]
    return made


def render_json(session: Session, *, with_ranks: bool = False) -> str:
    """The document as JSON text, one line at the end; lone surrogates and controls are escaped."""
    return json.dumps(document(session, with_ranks=with_ranks), indent=2, ensure_ascii=True) + "\n"


def render_text(session: Session, *, with_ranks: bool = False) -> str:
    """The document for a terminal: plain text without colour, every foreign text made visible."""
    made = document(session, with_ranks=with_ranks)
    lines = [_title(made), ""]
    lines += [f"verdict  {made['verdict']}{' (partial)' if made['partial'] else ''}", f"  {made['summary']}", ""]
    for number, finding in enumerate(made["findings"], 1):
        lines += _finding_lines(number, finding)
    if not session.post_mortem:  # files tell nothing of processes
        lines += _class_lines(made)
    lines += _stack_lines(made["stacks"])
    lines += [f"note     {note}" for note in made["notes"]]
    lines += [f"aside    {line}" for line in _aside_lines(made)]
    lines += [f"fault    xpudbg failed while {fault['doing']}: {fault['error']}" for fault in made["faults"]]
    text = "\n".join(plain(line) for line in lines).rstrip() + "\n"
    if with_ranks and made["ranks"]:
        text += "\n" + _rank_table(made["ranks"], "plain") + "\n"
    return text


def render_markdown(session: Session, *, with_ranks: bool = False) -> str:
    """The document for a ticket: GitHub's Markdown, no longer than GitHub takes; foreign text stands in code spans or
    escaped. What there is no room for is left out, the verdict and the first findings never, and that is said."""
    made = document(session, with_ranks=with_ranks)
    title = [
        f"## xpudbg: {unmarked(made['verdict'])}",
        "",
        unmarked(_title(made)),
        "",
        f"**{unmarked(made['summary'])}**",
    ]
    pieces = [Piece("verdict", "\n".join([*title, ""]))]
    for number, finding in enumerate(made["findings"], 1):
        kind = f"{finding['kind']}** ({finding['severity']}, {finding['confidence']})"
        lines = [f"{number}. **{kind}: {unmarked(finding['text'])}"]
        lines += [f"   - next: {unmarked(finding['advice'])}", f"   - refuted if: {unmarked(finding['refutation'])}"]
        lines += [f"   - evidence: {unmarked(text)}" for text in _evidence_lines(finding)]
        pieces.append(Piece("finding", "\n".join(lines)))
    if made["classes"] and not session.post_mortem:
        head = "\n| class | ranks | which |\n|---|---:|---|"
        pieces += [
            Piece("class of ranks", f"| {name} | {len(ranks)} | {unmarked(str(RankSet(ranks)))} |", head)
            for name, ranks in made["classes"].items()
        ]
    if stack_lines := _stack_lines(made["stacks"]):
        fenced = (plain(line, _FENCED).replace("```", "` ` `") for line in stack_lines[:-1])
        pieces.append(Piece("list of stacks", "\n".join(["", "```", *fenced, "```"])))
    pieces += [Piece("note", f"- note: {unmarked(note)}", head="") for note in made["notes"]]
    pieces += [Piece("note", f"- left aside: {unmarked(line)}", head="") for line in _aside_lines(made)]
    if with_ranks and made["ranks"]:
        head, rule, *rows = _rank_table(made["ranks"], "github").split("\n")
        pieces += [Piece("row of the table of ranks", row, f"\n{head}\n{rule}") for row in rows]
    return joined(pieces)


# values -------------------------------------------------------------------------------------------------------


def _finding(finding: Finding) -> dict[str, Any]:
    group = finding.group
    return {
        "kind": finding.kind,
        "severity": finding.severity.value,
        "confidence": finding.confidence.value,
        "text": finding.text,
        "culprits": list(finding.culprits),
        "waiting": list(finding.waiting),
        "group": None if group is None else {"name": group.name, "desc": group.desc, "ranks": list(group.ranks)},
        "op": finding.op,
        "seq": finding.seq,
        "evidence": [{"source": item.source, "rank": item.rank, "text": item.text} for item in finding.evidence],
        "advice": finding.advice,
        "refutation": finding.refutation,
    }


def _look(look: Snapshot) -> dict[str, Any]:
    return {
        "id": look.id,
        "taken_at": utc_text(look.taken_at),
        "took_s": round(look.took_s, 3),
        "replies": len(look.replies),
        "cancelled": look.cancelled,
    }


def _files(unused: Sequence[Refused]) -> dict[str, Any]:
    """Files of the target that could not be used: the job's own, and what lies beside them."""
    failed, aside = ([one for one in unused if one.partial is wanted] for wanted in (True, False))
    return {
        "could_not_be_used": [{"name": one.name, "reason": one.reason} for one in failed[:FILES_SHOWN]],
        "left_aside": [{"name": one.name, "reason": one.reason} for one in aside[:FILES_SHOWN]],
        "left_out": sum(max(len(some) - FILES_SHOWN, 0) for some in (failed, aside)),
    }


def _stacks(look: StackLook) -> dict[str, Any]:
    """Main threads that stand at the same place, the odd ones first."""
    classes = look.merged.classes
    return {
        "look": look.look_id,
        "classes": [
            {"ranks": list(one.ranks), "frames": [str(frame) for frame in one.frames]} for one in classes[:STACKS_SHOWN]
        ],
        "left_out": max(len(classes) - STACKS_SHOWN, 0),
        "missing": [{"rank": rank, "reason": reason} for rank, reason in sorted(look.missing.items())],
    }


def _rank(state: RankState, stacks: StackLook) -> dict[str, Any]:
    main = stacks.main(state.rank)
    return {
        "rank": state.rank,
        "host": state.host,
        "address": state.address.registered,
        "class": state.rank_class.value,
        "reason": state.reason,
        "since": None if state.since is None else utc_text(state.since),
        "seen_at": None if state.seen_at is None else utc_text(state.seen_at),
        "ping_s": None if state.ping_s is None else round(state.ping_s, 6),
        "stuck": list(state.stuck),
        "where": None if main is None or not main.frames else place_of(main.frames),
    }


# texts --------------------------------------------------------------------------------------------------------


def _title(made: dict[str, Any]) -> str:
    parts = [made["target"] or "no target"]
    if made["world_size"]:
        parts.append(f"world size {made['world_size']}")
    if made["looks"]:
        last = made["looks"][-1]
        parts.append(f"look {last['id']} at {last['taken_at']}, {last['took_s']:.1f} s")
    return ", ".join(parts)


def _finding_lines(number: int, finding: dict[str, Any]) -> list[str]:
    lines = [
        f"{number}. {finding['kind']}  {finding['severity']}, {finding['confidence']}",
        f"   {finding['text']}",
        f"   next     {finding['advice']}",
        f"   refuted  {finding['refutation']}",
    ]
    lines += [f"   saw      {text}" for text in _evidence_lines(finding)]
    more = len(finding["culprits"]) - len(finding["evidence"])
    if more > 0:
        lines.append(f"            and {more} more alike")
    return [*lines, ""]


def _evidence_lines(finding: dict[str, Any]) -> list[str]:
    """One line for each different fact, with the ranks it was seen on."""
    ranks: dict[tuple[str, str], list[int]] = {}
    for item in finding["evidence"]:
        seen_on = ranks.setdefault((item["source"], item["text"]), [])
        if item["rank"] is not None:
            seen_on.append(item["rank"])
    lines = []
    for (source, text), seen_on in ranks.items():
        where = "" if not seen_on else f"rank{'s' if len(seen_on) > 1 else ''} {RankSet(seen_on)}, "
        lines.append(f"{where}{source}: {text}")
    return lines


def _class_lines(made: dict[str, Any]) -> list[str]:
    if not made["classes"]:
        return []
    widest = max(len(name) for name in made["classes"])
    lines = [f"{name:<{widest}}  {len(ranks):>6}  {RankSet(ranks)}" for name, ranks in made["classes"].items()]
    return [*lines, ""]


def _stack_lines(stacks: dict[str, Any] | None) -> list[str]:
    """Where the main threads are, the odd ones first; nothing when several ranks are all at one place."""
    classes = stacks["classes"] if stacks is not None else []
    if stacks is None or not classes or (len(classes) == 1 and len(classes[0]["ranks"]) > 1):
        return []
    lines = ["stacks of main threads, the odd ones first"]
    for one in stacks["classes"][:_STACKS_IN_TEXT]:
        lines.append(f"  {len(one['ranks'])} x  rank{'s' if len(one['ranks']) > 1 else ''} {RankSet(one['ranks'])}")
        lines += [f"      {frame}" for frame in one["frames"][:_FRAMES_IN_TEXT]]
        more = len(one["frames"]) - _FRAMES_IN_TEXT
        if more > 0:
            lines.append(f"      and {more} more frames")
    left_out = len(stacks["classes"]) + stacks["left_out"] - _STACKS_IN_TEXT
    if left_out > 0:
        lines.append(f"  and {left_out} more different stacks")
    return [*lines, ""]


def _aside_lines(made: dict[str, Any]) -> list[str]:
    """Files that have nothing to do with the job, a line each; of many the first ones."""
    aside = made["files"]["left_aside"] if "files" in made else []
    lines = [f"{one['name']}: {one['reason']}" for one in aside[:_FILES_IN_TEXT]]
    more = len(aside) - len(lines)
    return [*lines, f"{more:,} more files"] if more > 0 else lines


def _rank_table(ranks: Sequence[dict[str, Any]], style: str) -> str:
    from tabulate import tabulate

    shown = unmarked if style == "github" else plain
    rows = [[shown(str(cell)) for cell in _rank_row(rank)] for rank in ranks]
    return tabulate(rows, headers=_RANK_COLUMNS, tablefmt=style, disable_numparse=True, colalign=_RANK_ALIGN)


_RANK_ALIGN = ("right", "left", "left", "right", "right", "left", "left", "left")


def _rank_row(rank: dict[str, Any]) -> Iterable[object]:
    ping = "" if rank["ping_s"] is None else f"{rank['ping_s'] * 1000:.1f}"
    return (
        rank["rank"],
        rank["host"],
        rank["class"],
        "" if rank["since"] is None else rank["since"][11:19],
        ping,
        ",".join(rank["stuck"]),
        rank["where"] or "",
        rank["reason"],
    )
