"""`xpudbg diff`: what is different between two looks, of one target or of two."""

from __future__ import annotations

import sys
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import click

from .completed_words import complete_scenarios, complete_targets
from .demo_choice import check_scenario
from .following import follow_looks
from .interrupts import signals_interrupt
from .options import Finite, attach_options, read_options, read_target
from .telling import tell_faults

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...services.attach_options import AttachOptions
    from ...services.looks.choice import LookChoice
    from ...services.looks.difference.values import LookDifference
    from ...services.looks.record import LookRecord
    from ...services.session import Session
    from ...services.targets import Target

__all__ = ["diff"]


@click.command(short_help="Show what is different between two looks.")
@click.argument("a", metavar="A", shell_complete=complete_targets)
@click.argument("b", metavar="[B]", required=False, shell_complete=complete_targets)
@click.option("--format", "style", type=click.Choice(["text", "json", "markdown"]), default="text", show_default=True)
@click.option("--look", type=click.IntRange(1), metavar="N", help="The look of A and B that is meant; else the last.")
@click.option(
    "--looks", type=click.IntRange(1, 1000), default=2, show_default=True, help="How often to look at a living job."
)
@click.option("--interval", type=Finite(0, 86_400), default=2.0, show_default=True, help="Seconds between looks.")
@click.option("--scenario", metavar="NAME", shell_complete=complete_scenarios, help="Scenario of the target `demo`.")
@attach_options
def diff(
    a: str,
    b: str | None,
    style: str,
    look: int | None,
    looks: int,
    interval: float,
    scenario: str | None,
    **options: Any,
) -> None:
    """Compare two looks: the verdict, findings that came and went, ranks that moved, stacks, wait counters.

    A and B are targets as everywhere: a folder, a file, an incident bundle, host:port of a living job. The last look of
    each is compared; A#2 is look 2 of A. Without B, or when both are the same target, its first look is compared with
    its last.

    \b
    xpudbg diff before.xpudbg after.xpudbg
    xpudbg diff incident/            the first look and the last one of a folder
    xpudbg diff x.xpudbg#1 x.xpudbg#4
    xpudbg diff healthy.xpudbg 10.0.0.5:29500

    Exit codes: 0 no difference that matters (no finding came, the verdict is the same), 1 they differ, 2 wrong usage,
    3 a look could not be read, 4 partial data and no difference found.
    """
    from ...services.looks.choice import LookChoice, parse_named_look

    settings = read_options(options)
    named = [parse_named_look(word) for word in (a, b) if word is not None]
    targets = [_target(one.word, scenario, settings) for one in named]
    numbers = [one.look or look for one in named]
    if len(named) == 1 and numbers[0] is not None:
        raise click.UsageError(f"one look alone has no difference: name another one as well, as {named[0].word}#1")
    together = len(named) == 1 or targets[0] == targets[1]
    sides = [
        Side(targets[0], LookChoice(numbers[0], first=together)),
        Side(targets[-1], LookChoice(numbers[-1])),
    ]
    if together and sides[0].choice.look is not None and sides[0].choice.look == sides[1].choice.look:
        raise click.UsageError(f"both are look {sides[0].choice.look} of one target")
    if any(_is_demo(one.target) for one in sides):
        settings = replace(settings, world_size=None)
    sys.exit(run_diff(sides, settings, DiffOptions(style, looks, interval)))


@dataclass(frozen=True, slots=True)
class Side:
    """One of the two looks."""

    target: Target
    choice: LookChoice


@dataclass(frozen=True, slots=True)
class DiffOptions:
    """How the looks are taken and shown."""

    style: str
    looks: int
    interval_s: float
    """Seconds between two looks at a living job."""


class LookMissingError(Exception):
    """A look that is wanted is not there; the message says which and why. What was read may be partial."""

    def __init__(self, message: str, hint: str = "", *, interrupted: bool = False) -> None:
        super().__init__(message)
        self.hint = hint
        self.interrupted = interrupted


def run_diff(sides: Sequence[Side], options: AttachOptions, wanted: DiffOptions) -> int:
    """Take the looks, print their difference on standard output and return the exit code."""
    from ...services.looks.difference.difference import difference
    from ...services.looks.difference.rendering import render_json, render_markdown, render_text
    from ...services.plain_text import plain
    from .putting_out import put_out

    signals_interrupt()
    try:
        before, after = _looks(sides, options, wanted)
    except LookMissingError as error:
        hint = f"\n  {plain(error.hint)}" if error.hint else ""
        print(f"xpudbg: {plain(str(error))}{hint}", file=sys.stderr)
        return 4 if error.interrupted else 3
    made = difference(before, after)
    renderers = {"text": render_text, "json": render_json, "markdown": render_markdown}
    written = put_out(renderers[wanted.style](made))
    return exit_code(made, complete=written)


def exit_code(made: LookDifference, *, complete: bool = True) -> int:
    """0 no difference that matters, 1 they differ, 4 partial and no difference found.

    Args:
        complete: the difference could be written whole.
    """
    if made.differs:
        return 1
    return 4 if made.partial or not complete else 0


def _looks(sides: Sequence[Side], options: AttachOptions, wanted: DiffOptions) -> tuple[LookRecord, LookRecord]:
    """The two looks, each target opened once, one after the other.

    Raises:
        LookMissingError: one of them is not there.
    """
    first, second = sides
    if first.target == second.target:
        before, after = _read(first.target, (first.choice, second.choice), options, wanted)
        if before.snapshot.id == after.snapshot.id:
            raise LookMissingError(
                f"{first.target.label} has one look only: nothing to compare it with",
                "name another target, or look at a living job more than once: --looks 2",
            )
        return before, after
    (before,) = _read(first.target, (first.choice,), options, wanted)
    (after,) = _read(second.target, (second.choice,), options, wanted)
    return before, after


def _read(
    target: Target, choices: Sequence[LookChoice], options: AttachOptions, wanted: DiffOptions
) -> tuple[LookRecord, ...]:
    from ...services.engine import Engine
    from ...services.session import Session

    session, kept = Session(), Kept(choices)
    numbers = [one.look for one in choices if one.look is not None]
    looks = max([*numbers, *([wanted.looks] if len(numbers) < len(choices) else [])])
    interrupted = False
    with Engine() as engine:
        try:
            engine.attach(target, options)
            follow_looks(
                engine, session, looks, wanted.interval_s, lambda event: kept.take(session.book.get(event.look_id))
            )
        except KeyboardInterrupt:
            interrupted = True
    tell_faults(session)
    return kept.found(target.label, session, interrupted=interrupted)


class Kept:
    """The looks that are wanted, as they come."""

    def __init__(self, choices: Sequence[LookChoice]) -> None:
        self._choices = choices
        self._first: LookRecord | None = None
        self._last: LookRecord | None = None
        self._numbered: dict[int, LookRecord] = {}
        self._seen: list[int] = []

    def take(self, record: LookRecord | None) -> None:
        """Keep a look that has closed, when it may be wanted; None of one that the session let go of at once."""
        if record is None:
            return
        self._first = self._first or record
        self._last = record
        self._seen.append(record.snapshot.id)
        if any(one.look == record.snapshot.id for one in self._choices):
            self._numbered[record.snapshot.id] = record

    def found(self, label: str, session: Session, *, interrupted: bool) -> tuple[LookRecord, ...]:
        """The looks wanted, in the order of the choices.

        Raises:
            LookMissingError: one of them did not come.
        """
        made = []
        for one in self._choices:
            record = self._numbered.get(one.look) if one.look is not None else self._first if one.first else self._last
            if record is None:
                if session.failure:
                    raise LookMissingError(session.failure, session.hint)
                there = f"there {'is look' if len(self._seen) == 1 else 'are looks'} {_numbers(self._seen)}"
                raise LookMissingError(
                    f"{label} has no {one.said().removeprefix('the ')}: {there if self._seen else 'no look has ended'}",
                    interrupted=interrupted,
                )
            made.append(record)
        return tuple(made)


def _numbers(seen: Sequence[int]) -> str:
    from ...services.ranksets import RankSet  # the notation of runs is the same

    return str(RankSet(seen))


def _target(word: str, scenario: str | None, settings: AttachOptions) -> Target:
    from ...services.targets import DemoTarget

    chosen = read_target([word])
    assert chosen is not None
    if isinstance(chosen, DemoTarget):
        check_scenario(scenario)
        return DemoTarget(settings.world_size or chosen.ranks, scenario or chosen.scenario)
    return chosen


def _is_demo(target: Target) -> bool:
    from ...services.targets import DemoTarget

    return isinstance(target, DemoTarget)
