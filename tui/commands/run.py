"""`xpudbg run`: one operator on an op server, through the same engine as the screens."""

from __future__ import annotations

import json
import os
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ...services import events
from ...services.addressing.endpoints import TargetError
from ...services.dispatch import progress
from ...services.dispatch.case import OpCase, SpecSource, parse_mode, usual_provider
from ...services.dispatch.case_file import is_case_file, parse_attribute, parse_input, read_case
from ...services.dispatch.endpoint import (
    PLAIN_HTTP,
    SERVER_VARIABLE,
    choose_endpoint,
    read_ttk_config,
)
from ...services.dispatch.errors import (
    BadReplyError,
    CaseError,
    ConnectionFailedError,
    DeadlinePassedError,
    DispatchError,
    OpFailedError,
    RunCancelledError,
    ServerBusyError,
)
from ...services.dispatch.run_result import run_as_json, run_as_text, write_outputs
from ...services.engine import Engine
from ...services.plain_text import plain
from ...services.run_history.case_key import case_key
from ...services.run_history.recorder import Recorder
from ..dispatch.named_servers import find_server, usual_server, usual_settings
from .interrupts import signals_interrupt, take_event
from .putting_out import put_out

if TYPE_CHECKING:
    from collections.abc import Callable

    from ...services.dispatch.endpoint import DispatchSettings, OpEndpoint, TlsSettings
    from ...services.dispatch.run_loop import OpRun

__all__ = ["RunOptions", "exit_code", "interruptible", "run_case", "run_operator"]

_RUN = "run"
ERASE = "\r\x1b[K"


@dataclass(frozen=True, slots=True)
class RunOptions:
    """The words of the command line, as they were given."""

    what: str
    files: tuple[str, ...] = ()
    inputs: tuple[str, ...] = ()
    attrs: tuple[str, ...] = ()
    server: str | None = None
    ttk_config: Path | None = None
    tls: TlsSettings = PLAIN_HTTP
    provider: str | None = None
    mode: str | None = None
    runtime: int | None = None
    spec: str | None = None
    roots: tuple[Path, ...] = ()
    output: Path | None = None
    as_json: bool = False
    deadline_s: float | None = None


def run_operator(options: RunOptions) -> int:
    """Run the case, print what came of it and return the exit code.

    Raises:
        click.UsageError: the words make no case, or name no server.
    """
    return interruptible(lambda: _run(options))


def interruptible(work: Callable[[], int]) -> int:
    """Do something that Ctrl-C, SIGTERM and SIGHUP end in good order, and return its exit code."""
    signals_interrupt()
    try:
        return work()
    except KeyboardInterrupt:  # while inputs were read, or a second one while the first is obeyed
        print("xpudbg: cancelled", file=sys.stderr)
        return 4


def _run(options: RunOptions) -> int:
    try:
        case = _case(options)
        case.check()
        endpoint, settings = _server(options, case.provider)
    except (CaseError, TargetError) as error:
        raise click.UsageError(f"{error}\n{error.hint}".rstrip()) from error
    key = case_key(Path(options.what)) if is_case_file(options.what) else None
    return run_case(case, endpoint, settings, options, key)


def run_case(
    case: OpCase,
    endpoint: OpEndpoint,
    settings: DispatchSettings,
    options: RunOptions,
    key: str | None = None,
) -> int:
    """Run a case, keep the run in the history, print what came of it and return the exit code.

    Args:
        options: how it is printed, and where the outputs go.
        key: of the case, in the history (`case_key`).
    """
    with Engine(recorder=Recorder()) as engine:
        ended = _follow(engine, case, endpoint, settings, key)
    if ended.history_note:
        print(f"xpudbg: {ended.history_note}", file=sys.stderr)
    if ended.run is not None:
        return _finished(ended.run, options)
    assert ended.error is not None
    _failed(ended.error, case, endpoint, options)
    return exit_code(ended.error)


def exit_code(error: DispatchError) -> int:
    """The exit code of a run that gave no result (design, "Decisions").

    Returns:
        1 the op failed, 2 the case can't be sent, 3 no server was reached or understood, 4 cancelled, too late or busy.
    """
    match error:
        case CaseError():
            return 2
        case ConnectionFailedError() | BadReplyError():
            return 3
        case DeadlinePassedError() | RunCancelledError() | ServerBusyError():
            return 4
        case _:
            return 1


def _case(options: RunOptions) -> OpCase:
    here = Path()
    if is_case_file(options.what):
        case = read_case(Path(options.what))
    elif options.spec is not None:
        case = OpCase(op_name=options.what)
    else:
        api = options.what if "." in options.what else None
        name = None if api else options.what
        case = OpCase(api=api, op_name=name, provider=usual_provider(api))
    positional = [
        parse_input(word, here) if "=" in word else parse_input(word, here, f"x{at}")
        for at, word in enumerate(options.files, 1)
    ]
    given = [*positional, *(parse_input(word, here) for word in options.inputs)]
    names = [slot.name for slot in given]
    kept = {slot.name: slot for slot in case.inputs} | {slot.name: slot for slot in given}
    if len(set(names)) != len(names):
        raise CaseError("two inputs have the same name", hint="name each once: --input x=... --input y=...")
    case = replace(
        case,
        inputs=tuple(kept.values()),
        attrs={**case.attrs, **dict(map(parse_attribute, options.attrs))},
        provider=options.provider or case.provider,
        mode=parse_mode(options.mode) if options.mode is not None else case.mode,
        runtime=options.runtime if options.runtime is not None else case.runtime,
    )
    if options.spec is not None:
        file, colon, name = options.spec.rpartition(":")
        if not colon or not file or not name:
            raise CaseError("--spec wants FILE.py:CLASS")
        case = replace(case, api=None, spec=SpecSource(Path(file), name, None, options.roots))
    elif options.roots and case.spec is not None:
        case = replace(case, spec=replace(case.spec, roots=(*options.roots, *case.spec.roots)))
    elif options.roots:
        raise CaseError("--root goes with a spec only")
    return case


def _server(options: RunOptions, provider: str) -> tuple[OpEndpoint, DispatchSettings]:
    settings = usual_settings()
    endpoint: OpEndpoint | None
    if options.server is not None:
        endpoint = find_server(options.server, options.tls)
    elif options.ttk_config is not None:
        config = read_ttk_config(options.ttk_config, options.tls)
        endpoint, settings = choose_endpoint(config.endpoints, provider), config.settings
    else:
        endpoint = usual_server(options.tls)
    if endpoint is None:
        raise TargetError(
            "no op server is named", hint=f"give --server HOST:PORT, --ttk-config FILE, or set {SERVER_VARIABLE}"
        )
    if options.deadline_s is not None:
        settings = replace(settings, deadline_s=options.deadline_s)
    return endpoint, settings


def _follow(
    engine: Engine, case: OpCase, endpoint: OpEndpoint, settings: DispatchSettings, key: str | None
) -> events.OpEnded:
    """Wait for the end, with progress on a terminal; an interrupt cancels the run."""
    shown = sys.stderr.isatty()
    ended: list[events.OpEnded] = []

    def apply(event: events.Event) -> None:
        match event:
            case events.OpEnded():
                ended.append(event)
            case events.OpProgressed(_, latest) if shown:
                sys.stderr.write(f"{ERASE}{progress_line(latest)[: _columns() - 1]}")
                sys.stderr.flush()
            case events.EngineFailed():
                sys.stderr.write(f"{ERASE if shown else ''}xpudbg failed while {event.doing}:\n{event.trace}")

    def until_ended() -> events.OpEnded:
        while not ended:
            take_event(engine.events, apply)
        return ended[0]

    try:
        engine.run_op(_RUN, case, endpoint, settings, key)
        return until_ended()
    except KeyboardInterrupt:
        engine.cancel_op(_RUN)
        return until_ended()
    finally:
        if shown:
            sys.stderr.write(ERASE)
            sys.stderr.flush()


def progress_line(latest: progress.Progress) -> str:
    """One line for a person."""
    match latest:
        case progress.Connecting(attempt):
            return "connecting" if attempt == 1 else f"connecting, attempt {attempt}"
        case progress.Syncing(files, size):
            return f"uploading {len(files)} source files, {size:,} bytes"
        case progress.Uploading(sent, total):
            return f"uploading {_share(sent, total)}"
        case progress.Running():
            return "running"
        case progress.Downloading(received, total):
            return f"downloading {_share(received, total)}"
        case progress.Busy(refused, allowed, wait_s):
            return f"the server is busy ({refused} of {allowed}), again in {wait_s:.1f} s"
        case progress.Reconnecting(failed, allowed, wait_s, reason):
            return f"{plain(reason)} ({failed} of {allowed}), again in {wait_s:.1f} s"


def _share(done: int, total: int | None) -> str:
    return f"{done:,} bytes" if not total else f"{100 * done // total} % of {total:,} bytes"


def _columns() -> int:
    try:
        return os.get_terminal_size(sys.stderr.fileno()).columns
    except OSError:
        return 80


def _finished(run: OpRun, options: RunOptions) -> int:
    written = None
    if options.output is not None:
        try:
            written = write_outputs(options.output, run)
        except OSError as error:
            print(f"xpudbg: {options.output} could not be written: {error.strerror}", file=sys.stderr)
            return 2
    said = json.dumps(run_as_json(run, written), ensure_ascii=True) if options.as_json else run_as_text(run, written)
    return 0 if put_out(f"{said}\n", what="the result") else 4


def _failed(error: DispatchError, case: OpCase, endpoint: OpEndpoint, options: RunOptions) -> None:
    if options.as_json:
        said: dict[str, Any] = {
            "op": case.title,
            "server": str(endpoint),
            "ok": False,
            "error": {"type": type(error).__name__.removesuffix("Error"), "message": str(error), "hint": error.hint},
        }
        if isinstance(error, OpFailedError):
            said["error"] |= {"status": error.status, "exception": error.kind, "text": error.text}
        put_out(f"{json.dumps(said, ensure_ascii=True)}\n", what="the error")
    print(f"xpudbg: {error}" + (f"\n  {error.hint}" if error.hint else ""), file=sys.stderr)
