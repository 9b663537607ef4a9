"""Reads what `wait_counter_values` answered: name -> how often, how long, how many wait now (spec: worker-server.md).

Numbers stay whole numbers of 64 bits, as torch counts them; a field that is missing or no such number is not known.
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

import msgspec

from ..cluster.answers import AnswerError, read_json
from ..snapshot import Outcome

if TYPE_CHECKING:
    from ..snapshot import RankReply

__all__ = ["ABSENT", "FIELDS", "MOST_COUNTERS", "NAME_LIMIT", "NOT_THERE", "Counters", "read_counters"]

FIELDS = ("active_count", "total_time_us", "total_calls", "max_time_us")
"""The fields of a counter, in the order in which they are kept."""
ABSENT = -(2**63)
"""Stands for a number that is not known; no counter of torch reaches it."""
MOST_COUNTERS = 4_096
"""Counters of one rank that are read; torch has some dozens."""
NAME_LIMIT = 512
"""Characters of a counter's name that are kept."""
NOT_THERE = 404
"""Status of a handler that the rank does not have."""

Counters = dict[str, tuple[int, int, int, int]]
"""Name to the values of `FIELDS`; names are as the rank sent them, cut to `NAME_LIMIT`."""


class _Counter(msgspec.Struct):
    active_count: int | None = None
    total_time_us: int | None = None
    total_calls: int | None = None
    max_time_us: int | None = None


def read_counters(reply: RankReply) -> Counters:
    """The wait counters of a rank.

    Raises:
        AnswerError: no answer, or one that is not a JSON object; a plain line says why.
        OSError: a spooled body can't be read.
    """
    if reply.outcome is Outcome.HTTP_ERROR and reply.status == NOT_THERE:
        raise AnswerError("not there: the rank has no wait_counter_values")
    try:
        counters = read_json(reply, dict[str, _Counter])
    except AnswerError:
        return _one_by_one(read_json(reply, dict[str, object]))
    return {
        name[:NAME_LIMIT]: (
            _number(one.active_count),
            _number(one.total_time_us),
            _number(one.total_calls),
            _number(one.max_time_us),
        )
        for name, one in islice(counters.items(), MOST_COUNTERS)
    }


def _one_by_one(answer: dict[str, object]) -> Counters:
    """The same where something in the answer is not as it should be: only that is left out."""
    made: Counters = {}
    for name, fields in islice(answer.items(), MOST_COUNTERS):
        if isinstance(fields, dict):
            values = [_number(fields.get(field)) for field in FIELDS]
            made[name[:NAME_LIMIT]] = (values[0], values[1], values[2], values[3])
        else:
            made[name[:NAME_LIMIT]] = (ABSENT, ABSENT, ABSENT, ABSENT)
    return made


def _number(value: object) -> int:
    if type(value) is int and ABSENT < value < 2**63:
        return value
    return ABSENT
