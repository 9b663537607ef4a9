"""What had to be mended in a trace, counted by kind, so that a person knows what a summary rests on."""

from __future__ import annotations

from collections import Counter
from enum import StrEnum

__all__ = ["Repair", "Repairs"]


class Repair(StrEnum):
    """One kind of damage; `{}` stands for how often it was met."""

    CUT = "the file ends in the middle: what came before it was read"
    CUT_GZIP = "the compressed data end too early: what came before was read"
    BAD_GZIP = "the compressed data are damaged: what came before was read"
    GZIP_INSIDE = "it is gzip, though its name does not say so"
    NOT_GZIP = "it is no gzip, though its name says so"
    NO_EVENTS = "it holds no list of events"
    TOO_LARGE = "a part larger than any event was met: what came before it was read"
    TOO_BROKEN = "too many events are broken: the rest was left out"
    HEADER = "{} parts of the header could not be read"
    CONTROL = "{} events had control bytes in them"
    NOT_A_NUMBER = "{} events had NaN or Infinity in them"
    NOT_UTF8 = "{} events were not UTF-8"
    ARGUMENTS_LOST = "{} events were broken inside: read without their arguments"
    LOST = "{} events could not be read"
    COMMA = "{} commas between events were missing"
    NEGATIVE = "{} events had a negative duration: taken as 0"
    NO_DURATION = "{} events had no duration: taken as 0"
    NO_TIME = "{} events had no time: left out"
    NO_BEGINNING = "{} ends had no beginning: left out"
    NO_END = "{} beginnings had no end: taken as lasting to the end of the trace"
    MANY_NAMES = "{} events have one of too many different names: counted together"
    MANY_EVENTS = "{} events were too many: left out"


class Repairs:
    """Counts by kind."""

    def __init__(self) -> None:
        self.counts: Counter[Repair] = Counter()

    def add(self, kind: Repair, times: int = 1) -> None:
        if times:
            self.counts[kind] += times

    def sentences(self) -> tuple[str, ...]:
        """One plain line for each kind, in the order of `Repair`."""
        return tuple(_said(kind, self.counts[kind]) for kind in Repair if self.counts[kind])


def _said(kind: Repair, times: int) -> str:
    said = kind.value.format(f"{times:,}")
    if times == 1:
        said = said.replace("1 events were", "1 event was").replace("1 events have", "1 event has")
        said = said.replace("1 events", "1 event").replace("1 commas between events were", "1 comma between events was")
        said = said.replace("1 parts", "1 part").replace("1 ends", "1 end").replace("1 beginnings", "1 beginning")
        said = said.replace("without their", "without its")
    return said
