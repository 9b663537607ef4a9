"""`xpudbg dispatch`: the dispatch screen without a job."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..terminal.on_terminal import ScreenOptions, check_terminal, screen_options, show
from .completed_words import complete_servers
from .options import Finite, read_tls, tls_options

if TYPE_CHECKING:
    from ...services.dispatch.endpoint import DispatchSettings, OpEndpoint, TlsSettings
    from ..dispatch.desk import DispatchStart

__all__ = ["dispatch", "dispatch_start"]


@click.command(short_help="Run single operators on op servers, on the screen.")
@click.argument("casefiles", nargs=-1, type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option(
    "--server",
    "servers",
    multiple=True,
    metavar="URL|NAME",
    shell_complete=complete_servers,
    help="Op server, host:port, URL or a name of the settings; else XPUDBG_SERVER. Repeatable.",
)
@click.option(
    "--ttk-config",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="FILE",
    help="ttk.conf.yaml whose remote: part names the servers.",
)
@click.option(
    "--deadline", "deadline_s", type=Finite(0.1, 86_400), metavar="SECONDS", help="Time for one run.  [default: 300]"
)
@screen_options
@tls_options
def dispatch(
    casefiles: tuple[Path, ...],
    servers: tuple[str, ...],
    ttk_config: Path | None,
    deadline_s: float | None,
    **options: Any,
) -> None:
    """Open case files (.toml, .json, TTK .csv and .xlsx) on the dispatch screen: run a case, edit it, run it again.

    Every run is kept in the history. With a job attached the same screen is key 8.

    \b
    xpudbg dispatch cases.csv --server 10.0.0.5:9090
    xpudbg dispatch case.toml --server gpu
    """
    from ...services.addressing.endpoints import TargetError

    drawn = ScreenOptions.taken_from(options)
    try:
        start = dispatch_start(casefiles, servers, ttk_config, deadline_s, read_tls(options))
    except TargetError as error:
        raise click.UsageError(f"{error}\n{error.hint}".rstrip()) from error
    check_terminal("`xpudbg run CASEFILE` runs one case without one")
    from ...services.attach_options import AttachOptions
    from ...services.engine import Engine
    from ..app import XpudbgApp
    from ..loaded_settings import loaded_settings
    from ..named_targets import given_fields

    with Engine() as engine:
        code = show(
            XpudbgApp(
                engine, None, given_fields(AttachOptions()), dispatch=start, settings=loaded_settings(), hints=True
            ),
            drawn,
        )
    sys.exit(code)


def dispatch_start(
    paths: tuple[Path, ...],
    servers: tuple[str, ...],
    ttk_config: Path | None,
    deadline_s: float | None,
    tls: TlsSettings,
) -> DispatchStart:
    """What the words of the command line mean.

    Raises:
        TargetError: one is no address, or the configuration names no server.
    """
    from dataclasses import replace

    from ...services.dispatch.endpoint import read_ttk_config
    from ..dispatch.desk import DispatchStart
    from ..dispatch.named_servers import find_server, usual_server, usual_settings

    settings: DispatchSettings = usual_settings()
    chosen: tuple[OpEndpoint, ...]
    if servers:
        chosen = tuple(dict.fromkeys(find_server(text, tls) for text in servers))
    elif ttk_config is not None:
        config = read_ttk_config(ttk_config, tls)
        chosen, settings = config.endpoints, config.settings
    else:
        named = usual_server(tls)
        chosen = (named,) if named is not None else ()
    if deadline_s is not None:
        settings = replace(settings, deadline_s=deadline_s)
    return DispatchStart(paths, chosen, settings)
