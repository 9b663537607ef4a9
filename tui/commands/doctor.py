"""`xpudbg doctor`: whether a job can be debugged when it hangs, checked before it does."""

from __future__ import annotations

import sys
import time
from queue import Empty
from typing import TYPE_CHECKING, Any

import click

from .completed_words import complete_scenarios, complete_targets
from .demo_choice import demo_as_asked
from .following import end_look, follow_looks
from .interrupts import signals_interrupt, take_event
from .line_width import line_width
from .options import attach_options, read_options, required_target
from .telling import tell_failure, tell_faults

if TYPE_CHECKING:
    from ...services.attach_options import AttachOptions
    from ...services.doctor.recorder_checks import FramesSeen
    from ...services.engine import Engine
    from ...services.session import Session
    from ...services.targets import Target

__all__ = ["doctor"]


@click.command(short_help="Check whether a job can be debugged when it hangs.")
@click.argument("target", nargs=-1, shell_complete=complete_targets)
@click.option("--format", "style", type=click.Choice(["text", "json"]), default="text", show_default=True)
@click.option(
    "--py-spy",
    "py_spy_ranks",
    type=click.IntRange(0, 4096),
    default=1,
    show_default=True,
    metavar="N",
    help="Ranks on which py-spy is tried, each on another host as far as there are; 0: none.",
)
@click.option("--scenario", metavar="NAME", shell_complete=complete_scenarios, help="Scenario of the target `demo`.")
@attach_options
def doctor(target: tuple[str, ...], style: str, py_spy_ranks: int, scenario: str | None, **options: Any) -> None:
    """Check a job before anything hangs: is every rank reached, is its flight recorder on, may py-spy look?

    Each finding says how it is mended. The processes of the job are not paused.

    \b
    xpudbg doctor 10.0.0.5:29500
    xpudbg doctor prod --py-spy 4 --format json

    Exit codes: 0 no problem, 1 a problem found, 2 wrong usage, 3 the target could not be read, 4 ended before all was
    checked.
    """
    chosen = required_target(target)
    chosen, settings = demo_as_asked(chosen, read_options(options), scenario)
    sys.exit(run_doctor(chosen, settings, style, py_spy_ranks))


def run_doctor(target: Target, options: AttachOptions, style: str, py_spy_ranks: int) -> int:
    """Look once, ask what has to be asked, print the checks on standard output and return the exit code."""
    from ...services.doctor.examine import examine
    from ...services.doctor.rendering import WIDTH, render_json, render_text
    from ...services.engine import Engine
    from ...services.session import Session
    from .putting_out import put_out

    session = Session()
    signals_interrupt()
    frames: FramesSeen | None = None
    interrupted = False
    with Engine() as engine:
        try:
            engine.attach(target, options)
            frames = _watch(engine, session, options, py_spy_ranks)
        except KeyboardInterrupt:
            interrupted = True
            if session.latest is None:
                end_look(engine, session)
        checks = examine(session, frames)  # large bodies are there as long as the engine is
    text = render_json(session, checks) if style == "json" else render_text(session, checks, line_width(WIDTH))
    interrupted |= not put_out(text)
    tell_failure(session)
    tell_faults(session)
    return _exit_code(session, checks, interrupted=interrupted, names_workers=_names_workers(target))


def _names_workers(target: Target) -> bool:
    from ...services.targets import WorkersTarget

    return isinstance(target, WorkersTarget)


def _watch(engine: Engine, session: Session, options: AttachOptions, py_spy_ranks: int) -> FramesSeen | None:
    """Follow the first look to its end and ask what the checks need besides."""
    from ...services.doctor.examine import requests
    from ...services.doctor.recorder_checks import FRAMES, read_frames

    if not follow_looks(engine, session) or session.post_mortem:
        return None
    wanted: set[tuple[int, str]] = set()
    longest = 0.0
    for ranks, probe in requests(session, py_spy_ranks):
        engine.ask(ranks, probe)
        wanted |= {(rank, probe.source) for rank in ranks}
        longest = max(longest, options.timeout_s * probe.budgets)
    ends = time.monotonic() + longest + options.timeout_s
    while not wanted <= session.asked.keys() and not session.faults:
        try:
            take_event(engine.events, session.apply, max(ends - time.monotonic(), 0.0))
        except Empty:  # a reply comes at the end of its budget at the latest; this is for a machine that is very busy
            break
    frames = [reply for (_rank, source), reply in session.asked.items() if source == FRAMES.source]
    return read_frames(frames[0]) if frames else None


def _exit_code(session: Session, checks: Any, *, interrupted: bool, names_workers: bool) -> int:
    from ...services.doctor.check import CheckState
    from .report import exit_code

    look = session.latest
    if session.failure or look is None:
        return 4 if interrupted and not session.failure else 3
    if exit_code(session, names_workers=names_workers) == 3:
        return 3
    if any(check.state is CheckState.PROBLEM for check in checks):
        return 1
    return 4 if interrupted or look.cancelled or look.partial or session.faults else 0
