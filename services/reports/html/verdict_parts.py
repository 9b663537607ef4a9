"""The parts that come first: the verdict, the findings with their evidence, what limits the report."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...findings import Severity, VerdictValue
from ...ranksets import RankSet
from ...version import __version__
from .elements import Element, el, ranks_text, table

if TYPE_CHECKING:
    from ...flight_recorder.dump import Dump
    from ...session import Session

__all__ = ["end_part", "findings_part", "left_out", "looks_part", "notes_part", "verdict_part"]

MOST_FINDINGS = 200
MOST_NOTES = 200
MOST_LOOKS = 50

_VERDICT_TONES = {
    VerdictValue.OK.value: "good",
    VerdictValue.MOVING.value: "good",
    VerdictValue.SLOW.value: "warn",
    VerdictValue.UNKNOWN.value: "warn",
}
_SEVERITY_TONES = {Severity.CRITICAL.value: "bad", Severity.WARNING.value: "warn", Severity.INFO.value: "info"}


def verdict_part(made: dict[str, Any]) -> Element:
    """The word, the sentence, what was looked at and when."""
    tone = _VERDICT_TONES.get(made["verdict"], "bad")
    words = [el("span", f"tag {tone}", made["verdict"])]
    if made["partial"]:
        words.append(el("span", "tag warn", "partial"))
    facts = [made["target"] or "no target"]
    if made["world_size"]:
        facts.append(f"world size {made['world_size']:,}")
    if made["looks"]:
        last = made["looks"][-1]
        facts.append(f"look {last['id']} at {last['taken_at']}, {last['took_s']:.1f} s")
    parts: list[Element] = [el("div", "", *words), el("h1", "", made["summary"]), el("p", "facts", ", ".join(facts))]
    if made["missing"]:
        missing = RankSet(made["missing"])
        parts.append(el("p", "facts", f"Not known: {_ranks(missing)} ({len(missing):,})"))
    if made["error"]:
        parts.append(el("p", "", el("b", "", "Not read: "), f"{made['error']['message']}. {made['error']['hint']}"))
    return el("header", f"top {tone}", *parts)


def findings_part(made: dict[str, Any]) -> Element | None:
    """One article a finding, in the order of the verdict."""
    found = made["findings"]
    if not found:
        return None
    parts = [_finding(number, one) for number, one in enumerate(found[:MOST_FINDINGS], 1)]
    return el(
        "section",
        "",
        el("h2", "", f"Findings ({len(found):,})"),
        *parts,
        left_out(len(found), MOST_FINDINGS, "finding"),
    )


def _finding(number: int, one: dict[str, Any]) -> Element:
    facts: list[tuple[str, str | Element]] = []
    culprits, waiting = RankSet(one["culprits"]), RankSet(one["waiting"])
    if culprits:
        facts.append(("about", f"{_ranks(culprits)} ({len(culprits):,})"))
    if waiting:
        facts.append(("waiting", f"{_ranks(waiting)} ({len(waiting):,})"))
    if one["op"]:
        group = f" of {one['group']['desc'] or one['group']['name']}" if one["group"] else ""
        seq = f" #{one['seq']}" if one["seq"] is not None else ""
        facts.append(("call", f"{one['op']}{seq}{group}"))
    if one["group"]:
        members = RankSet(one["group"]["ranks"])
        facts.append(("group", f"{one['group']['name']} {one['group']['desc']}: {_ranks(members)} ({len(members):,})"))
    if one["evidence"]:
        facts.append(("evidence", el("ul", "", *(el("li", "", text) for text in evidence_lines(one)))))
    facts.append(("next", one["advice"]))
    facts.append(("refuted if", one["refutation"]))
    listed = el("dl")
    for label, fact in facts:
        listed.append(el("dt", "", label))
        listed.append(el("dd", "", fact))
    return el(
        "article",
        "",
        el("h3", "", f"{number}. {one['text']}"),
        el(
            "div",
            "",
            el("span", f"tag {_SEVERITY_TONES[one['severity']]}", one["severity"]),
            el("span", "tag", one["confidence"]),
            el("code", "", one["kind"]),
        ),
        listed,
    )


def evidence_lines(one: dict[str, Any]) -> list[str]:
    """One line for each different fact, with the ranks it was seen on; then how many culprits have none."""
    ranks: dict[tuple[str, str], list[int]] = {}
    for item in one["evidence"]:
        seen_on = ranks.setdefault((item["source"], item["text"]), [])
        if item["rank"] is not None:
            seen_on.append(item["rank"])
    lines = [
        f"{_ranks(RankSet(seen_on)) + ', ' if seen_on else ''}{source}: {text}"
        for (source, text), seen_on in ranks.items()
    ]
    more = len(set(one["culprits"]) - {item["rank"] for item in one["evidence"]})
    return [*lines, f"and {more:,} more ranks alike"] if more and one["evidence"] else lines


def looks_part(made: dict[str, Any]) -> Element | None:
    """When the job was looked at."""
    if not made["looks"]:
        return None
    shown = made["looks"][-MOST_LOOKS:]
    rows = [
        (
            str(look["id"]),
            look["taken_at"],
            f"{look['took_s']:.1f} s",
            f"{look['replies']:,}",
            "cancelled" if look["cancelled"] else "",
        )
        for look in shown
    ]
    return el(
        "section",
        "",
        el("h2", "", f"Looks ({len(made['looks']):,})"),
        table(("look", "at", "took", "replies", ""), rows, numeric=(0, 2, 3)),
        left_out(len(made["looks"]), MOST_LOOKS, "earlier look"),
    )


def notes_part(made: dict[str, Any]) -> Element | None:
    """What limits the report, and defects of xpudbg itself."""
    lines = [el("li", "", note) for note in made["notes"][:MOST_NOTES]]
    lines += [
        el("li", "", f"xpudbg failed while {fault['doing']}: {fault['error']}") for fault in made["faults"][:MOST_NOTES]
    ]
    if not lines:
        return None
    more = left_out(max(len(made["notes"]), len(made["faults"])), MOST_NOTES, "note")
    return el("section", "", el("h2", "", "Notes"), el("ul", "", *lines), more)


def end_part(made: dict[str, Any], session: Session) -> Element:
    """What wrote this, and what the recorders are."""
    versions: dict[str, str] = {}
    for source, diagnosis in session.recorder.diagnoses.items():
        known = {_format_of(dump) for dump in diagnosis.analysis.job.dumps}
        versions[source] = ", ".join(sorted(known)[:8])
    told = [f"xpudbg {__version__}, {made['schema']}", *(f"{source}: {text}" for source, text in versions.items())]
    return el("footer", "", *(el("p", "facts", text) for text in told))


def _format_of(dump: Dump) -> str:
    version = ".".join(map(str, dump.version)) or "no version"
    return f"{version} ({', '.join(filter(None, (dump.format.value, dump.library)))})"


def left_out(found: int, shown: int, noun: str) -> Element | None:
    """How many are not shown; None when all are."""
    more = found - shown
    if more <= 0:
        return None
    return el("p", "left-out", f"and {more:,} more {noun if more == 1 else noun + 's'}, left out here")


def _ranks(ranks: RankSet) -> str:
    return f"{'rank' if len(ranks) == 1 else 'ranks'} {ranks_text(ranks)}"
