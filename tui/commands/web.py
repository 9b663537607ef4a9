"""`xpudbg web`: the screens in a browser of this machine."""

from __future__ import annotations

import signal
import sys
from typing import TYPE_CHECKING, Any

import click

from ..terminal.on_terminal import screen_options
from .options import Finite, attach_options, read_options, read_target
from .putting_out import put_out

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..web.guard import Guard

__all__ = ["session_command", "web"]

_OWN = ("target", "port", "host", "allow_remote")
"""What is the server's; all else goes to each session."""
_ENDS_S = 20.0


@click.command(short_help="Show a job in a browser; each tab is a session of its own.")
@click.argument("target", nargs=-1)
@click.option("--refresh", "refresh_s", type=Finite(0.5, 86_400), metavar="SECONDS", help="Look again by itself.")
@screen_options
@attach_options
@click.option(
    "--port", type=click.IntRange(0, 65_535), default=0, metavar="N", help="Port to listen on.  [default: a free one]"
)
@click.option("--host", default="127.0.0.1", show_default=True, metavar="ADDRESS", help="Where to listen.")
@click.option(
    "--allow-remote",
    is_flag=True,
    help="Listen beyond this machine. Nothing is encrypted: whoever reads the address on its way acts as you.",
)
@click.pass_context
def web(
    ctx: click.Context, /, target: tuple[str, ...], port: int, host: str, allow_remote: bool, **options: Any
) -> None:
    """Show a job in a browser, until Ctrl-C. Needs `pip install 'xpudbg[web]'`.

    \b
    xpudbg web 10.0.0.5:29500          prints an address with a token; open it
    xpudbg web demo --port 8765        the same port each time, for a tunnel

    From elsewhere: `ssh -L 8765:127.0.0.1:8765 HOST`, then open the address.

    Whoever has the address sees and does what you can with xpudbg. Without the token nothing is answered.

    Exit codes: 0 ended when told to, 2 wrong usage, 3 it could not be started.
    """
    import asyncio

    from ..web.guard import Guard, is_loopback

    if not is_loopback(host) and not allow_remote:
        raise click.UsageError(
            f"--host {host} is reached from other machines, and nothing is encrypted: whoever reads the address on its "
            "way acts as you on this job.\nReach 127.0.0.1 through `ssh -L`, or say --allow-remote."
        )
    read_target(target, executor=options["executor"])
    read_options(options)
    command = session_command(ctx.command, ctx.params)
    guard = Guard(host)
    title = " ".join(("xpudbg", *target))
    try:
        asyncio.run(_serve(guard, command, title, port))
    except ImportError:
        click.echo("xpudbg: the screens in a browser need textual-serve: pip install 'xpudbg[web]'", err=True)
        sys.exit(3)
    except OSError as error:
        click.echo(f"xpudbg: cannot listen on {host}:{port}: {error.strerror or error}", err=True)
        sys.exit(3)


def session_command(command: click.Command, given: dict[str, Any]) -> list[str]:
    """Program and arguments of a session, from what `xpudbg web` was given.

    Args:
        given: the values of the command's options, as read.
    """
    words: list[str] = []
    for option in command.params:
        value = given.get(option.name or "")
        if option.name in _OWN or not isinstance(option, click.Option) or value is None:
            continue
        if option.is_flag:
            names = option.opts if value else option.secondary_opts
            words += names[-1:]
        else:
            values = value if option.multiple else (value,)
            words += [f"{option.opts[-1]}={one}" for one in values if one != ""]
    return [sys.executable, "-P", "-m", "xpudbg.tui.cli", "attach", *words, "--", *given["target"]]


async def _serve(guard: Guard, command: Sequence[str], title: str, port: int) -> None:
    import asyncio

    from aiohttp import web as http

    from ..web.server import make_app

    told = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        loop.add_signal_handler(number, told.set)
    runner = http.AppRunner(make_app(guard, command, title, _tell), access_log=None, shutdown_timeout=_ENDS_S)
    await runner.setup()
    try:
        site = http.TCPSite(runner, guard.host, port)
        await site.start()
        taken = runner.addresses[0][1]
        name = f"[{guard.host}]" if ":" in guard.host else guard.host
        address = f"open http://{name}:{taken}/?token={guard.token}"
        put_out(f"{address}\neach tab is a session of its own; Ctrl-C ends them all\n", what="the address")
        await told.wait()
    finally:
        await runner.cleanup()


def _tell(text: str) -> None:
    from ...services.plain_text import plain_lines

    click.echo(plain_lines(text), err=True)
