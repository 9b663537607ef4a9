"""The runs of the history, each given to the case of the console that it belongs to.

A run that was begun from a case file is known by the case's key. Of all other runs the history knows the operator: they
belong to the case of their operator that they are most alike.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from ..dispatch.edits import field_text
from ..plain_text import plain
from ..run_history.case_text import case_to_json
from .lines import SAID_LIMIT
from .runs import RunLine

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from ..run_history.records import RunRecord
    from .case import ConsoleCase

__all__ = ["case_fields", "kept_lines", "key_of"]

CANDIDATES = 50
"""Cases of one operator that a run which equals none of them is compared with."""


def key_of(number: int) -> str:
    """The console's key of a run that it knows from the history."""
    return f"#{number}"


def kept_lines(records: Sequence[RunRecord], cases: Sequence[ConsoleCase]) -> dict[str, tuple[RunLine, ...]]:
    """The lines of each case, newest first; runs of other cases, and of operators without a case, are left out.

    Args:
        records: newest first.
    """
    by_title: dict[str, list[tuple[str, dict[str, str]]]] = {}
    exact: dict[tuple[str, str], str] = {}
    by_key: dict[str, tuple[str, dict[str, str]]] = {}
    for case in cases:
        if case.loaded is None:
            continue
        fields = case_fields(case_to_json(case.loaded, _not_kept))
        by_title.setdefault(case.loaded.title, []).append((case.id, fields))
        exact.setdefault((case.loaded.title, _text(fields)), case.id)
        if case.key is not None:
            by_key.setdefault(case.key, (case.id, fields))
    found: dict[str, list[RunLine]] = {}
    for record in records:
        fields = case_fields(record.case)
        if record.case_key is not None:
            alike = [by_key[record.case_key]] if record.case_key in by_key else []
        else:
            alike = by_title.get(record.title, [])
        if not alike:
            continue
        case_id = exact.get((record.title, _text(fields))) if record.case_key is None else alike[0][0]
        if case_id is None:
            case_id = min(alike[:CANDIDATES], key=lambda one: len(one[1].items() ^ fields.items()))[0]
        as_loaded = next(one for known, one in alike if known == case_id)
        found.setdefault(case_id, []).append(_line(record, case_id, as_loaded, fields))
    return {case_id: tuple(lines) for case_id, lines in found.items()}


def case_fields(said: Mapping[str, Any]) -> dict[str, str]:
    """The fields of a case as the history has it, as typed; arrays by dtype and shape."""
    fields = {
        name: plain(str(said[key]), SAID_LIMIT)
        for name, key in (("op", "op_name"), ("op_type", "op_type"), ("api", "api"), ("provider", "provider"))
        if said.get(key) is not None
    }
    fields |= {"mode": str(said.get("mode")), "runtime": str(said.get("runtime"))}
    fields |= {f"attr.{name}": field_text(value) for name, value in said.get("attrs", {}).items()}
    for slot in said.get("inputs", ()):
        leaves = slot.get("leaves")
        text = "none" if leaves is None else ", ".join(_leaf(leaf) for leaf in leaves)
        fields[f"input.{slot.get('name')}"] = plain(f"[{text}]" if slot.get("list") else text, SAID_LIMIT)
    return fields


def _line(record: RunRecord, case_id: str, loaded: Mapping[str, str], fields: Mapping[str, str]) -> RunLine:
    changes = [
        (name, fields.get(name, "taken out")) for name in {**loaded, **fields} if loaded.get(name) != fields.get(name)
    ]
    return RunLine(
        key_of(record.id),
        case_id,
        record.state,
        record.endpoint,
        record.started_ns,
        record.took_s,
        record.passed,
        _said(record),
        record.id,
        tuple((plain(name, 80), value) for name, value in changes),
    )


def _said(record: RunRecord) -> str:
    error = record.error
    if error is not None:
        said = f"{error.exception}: {error.text}" if error.exception and error.text else error.text or error.message
        return plain(said, SAID_LIMIT)
    compared: list[Mapping[str, Any]] = list((record.comparison or {}).values())
    for one in sorted(compared, key=lambda one: bool(one.get("passed"))):
        return plain(str(one.get("sentence", "")), SAID_LIMIT)
    return "" if record.state == "ok" else str(record.state)


def _leaf(leaf: Mapping[str, Any]) -> str:
    if "generate" in leaf:
        return str(leaf["generate"])
    return f"{leaf.get('dtype')}[{','.join(map(str, leaf.get('shape', ())))}] array"


def _text(fields: Mapping[str, str]) -> str:
    return json.dumps(sorted(fields.items()))


def _not_kept(_name: str, _array: NDArray[Any]) -> str:
    """Only dtype and shape count here."""
    return ""
