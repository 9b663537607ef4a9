"""`xpudbg rerun`: a run of the history once more, perhaps changed."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from .completed_words import complete_runs, complete_servers
from .options import Finite, read_tls, tls_options

if TYPE_CHECKING:
    from ...services.dispatch.case import OpCase
    from ...services.dispatch.endpoint import OpEndpoint, TlsSettings

__all__ = ["rerun"]


@click.command(short_help="Run an operator again as it ran before, or changed.")
@click.argument("run", metavar="RUN|last|last-failed", shell_complete=complete_runs)
@click.option(
    "--set",
    "changes",
    multiple=True,
    metavar="FIELD=VALUE",
    help="attr.NAME, input.NAME, provider, mode, runtime, api or op; repeatable.",
)
@click.option("--unset", "removed", multiple=True, metavar="FIELD", help="Leave attr.NAME or input.NAME out.")
@click.option("--server", metavar="URL|NAME", shell_complete=complete_servers, help="Another op server than before.")
@click.option(
    "-o", "--output", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE.npz", help="Write the outputs."
)
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
@click.option(
    "--deadline", "deadline_s", type=Finite(0.1, 86_400), metavar="SECONDS", help="Time for all of it.  [default: 300]"
)
@tls_options
def rerun(
    run: str,
    changes: tuple[str, ...],
    removed: tuple[str, ...],
    server: str | None,
    output: Path | None,
    as_json: bool,
    deadline_s: float | None,
    **options: Any,
) -> None:
    """Run an operator again with the inputs and attributes that it had, on the server where it ran.

    \b
    xpudbg rerun last-failed
    xpudbg rerun 12 --set attr.dim=1 --set "input.x=float32[4,8]:ones"
    xpudbg rerun last --server 10.0.0.6:9090

    Exit codes: 0 done, 1 the op failed, 2 wrong usage, 3 no server was reached or the history can't be read, 4
    cancelled, busy or past its deadline.
    """
    from dataclasses import replace

    from ..dispatch.named_servers import usual_settings
    from .run import RunOptions, interruptible, run_case

    tls = read_tls(options)
    settings = usual_settings()
    if deadline_s is not None:
        settings = replace(settings, deadline_s=deadline_s)
    shown = RunOptions(run, output=output, as_json=as_json)

    def work() -> int:
        case, endpoint, key = _chosen(run, changes, removed, server, tls)
        return run_case(case, endpoint, settings, shown, key)

    sys.exit(interruptible(work))


def _chosen(
    run: str, changes: tuple[str, ...], removed: tuple[str, ...], server: str | None, tls: TlsSettings
) -> tuple[OpCase, OpEndpoint, str | None]:
    """The case as it is to run, where, and its key in the history."""
    from dataclasses import replace

    from ...services.addressing.endpoints import TargetError
    from ...services.dispatch.edits import changed, edit, field_text, remove
    from ...services.dispatch.errors import CaseError
    from ...services.run_history.errors import HistoryError, NotKeptError, UnknownRunError
    from ...services.run_history.history import RunHistory
    from ..dispatch.named_servers import find_server
    from .runs import history_failed, say_interrupted

    try:
        history = RunHistory()
        try:
            say_interrupted(history)
            record = history.find(run)
            fields = [text.partition("=")[0].strip() for text in (*changes, *removed)]
            replaced = frozenset(field.removeprefix("input.") for field in fields if field.startswith("input."))
            before = history.case(record.id, replaced)
            endpoint = find_server(server, tls) if server is not None else history.endpoint(record.id)
            if server is None and tls.used:
                endpoint = replace(endpoint, tls=tls)
        finally:
            history.close()
        case = before
        for field in removed:
            case = remove(case, field)
        for text in changes:
            case = edit(case, text, Path())
    except (UnknownRunError, NotKeptError, CaseError, TargetError) as error:
        raise click.UsageError(f"{error}\n{error.hint}".rstrip()) from error
    except HistoryError as error:
        history_failed(error)
    for one in changed(before, case):
        was, now = one.before or "nothing", one.after or "nothing"
        click.echo(f"{field_text(one.field)}: {was} -> {now}", err=True)
    return case, endpoint, record.case_key
