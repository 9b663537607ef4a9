"""`xpudbg opserver`: a server that runs single operators on this machine."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from .putting_out import put_out

if TYPE_CHECKING:
    from ...services.opserver.serve import RunningOpServer

__all__ = ["opserver"]

_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)
_MIB = 1024 * 1024


@click.command(short_help="Serve operators of NumPy and PyTorch on this machine.")
@click.option("--port", type=click.IntRange(0, 65_535), default=9090, show_default=True, help="0 takes any free one.")
@click.option("--bind", "host", default="127.0.0.1", show_default=True, metavar="ADDRESS", help="Where to listen.")
@click.option("--workers", type=click.IntRange(1, 256), metavar="N", help="Runs at one time.  [default: one a core]")
@click.option(
    "--python",
    metavar="PATH",
    help="Interpreter that runs the operators, so that its PyTorch is used.  [default: xpudbg's own]",
)
@click.option(
    "--allow-code",
    is_flag=True,
    help="Take code: spec files and any importable function. Whoever reaches the port then runs code as you.",
)
@click.option("--deadline", type=click.FloatRange(0.1, 86_400), default=300.0, show_default=True, metavar="SECONDS")
@click.option(
    "--memory",
    type=click.IntRange(0, 1 << 24),
    default=8192,
    show_default=True,
    metavar="MIB",
    help="What one run may take; 0: no limit.",
)
@click.option("--tls-ca", type=_FILE, metavar="FILE", help="PEM of the CA that clients' certificates must come from.")
@click.option("--tls-cert", type=_FILE, metavar="FILE", help="PEM of the server's certificate.")
@click.option("--tls-key", type=_FILE, metavar="FILE", help="PEM of its key.")
@click.option("--insecure-bind", is_flag=True, help="Listen beyond this machine without TLS.")
def opserver(
    port: int,
    host: str,
    workers: int | None,
    python: str | None,
    allow_code: bool,
    deadline: float,
    memory: int,
    tls_ca: Path | None,
    tls_cert: Path | None,
    tls_key: Path | None,
    insecure_bind: bool,
) -> None:
    """Serve single operators to `xpudbg run` and to TTK, until Ctrl-C.

    NumPy is always there, PyTorch when the interpreter has it. Each run is a process of its own. Functions that only
    compute are served; --allow-code lifts that.

    \b
    xpudbg opserver
    xpudbg opserver --python ~/venvs/torch/bin/python --workers 2
    xpudbg opserver --bind 0.0.0.0 --tls-ca ca --tls-cert cert --tls-key key

    Exit codes: 0 ended when told to, 2 wrong usage, 3 it could not be started.
    """
    from ...services.opserver.children import TemplateError
    from ...services.opserver.serve import run_server
    from ...services.opserver.settings import ServerSettings, ServerSettingsError, TlsFiles

    given: dict[str, Any] = {"host": host, "port": port, "allow_code": allow_code, "insecure_bind": insecure_bind}
    given |= {"deadline_s": deadline, "memory_bytes": memory * _MIB}
    if workers is not None:
        given["workers"] = workers
    if python is not None:
        given["python"] = python
    if tls_ca is not None and tls_cert is not None and tls_key is not None:
        given["tls"] = TlsFiles(tls_ca, tls_cert, tls_key)
    elif tls_ca or tls_cert or tls_key:
        raise click.UsageError("--tls-ca, --tls-cert and --tls-key go together: only mutual TLS is served")
    try:
        run_server(ServerSettings(**given), _started, _log)
    except ServerSettingsError as error:
        raise click.UsageError(str(error)) from None
    except TemplateError as error:
        click.echo(f"xpudbg: {error}", err=True)
        sys.exit(3)


def _started(server: RunningOpServer) -> None:
    put_out(f"serving {', '.join(server.providers)} on {server.url}; Ctrl-C ends it\n", what="the address")


def _log(text: str) -> None:
    from ...services.plain_text import plain_lines

    click.echo(plain_lines(text.rstrip("\n")), err=True)
