"""Options that several commands share, and how their words become a target and AttachOptions."""

from __future__ import annotations

import math
import os
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import click

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from ...services.attach_options import AttachOptions
    from ...services.dispatch.endpoint import TlsSettings
    from ...services.targets import Target

__all__ = [
    "MOST_DEMO_RANKS",
    "Finite",
    "ReportCommand",
    "attach_options",
    "read_demo_size",
    "read_options",
    "read_target",
    "read_tls",
    "required_target",
    "tls_options",
]

F = TypeVar("F", bound="Callable[..., Any]")

MOST_DEMO_RANKS = 65_536
"""Ranks that the demo can be asked for; how many it can serve depends on the machine's limit of open files."""


class Finite(click.FloatRange):
    """A range of numbers that has neither nan nor infinity in it."""

    name = "number"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        made = float(super().convert(value, param, ctx))
        if not math.isfinite(made):
            self.fail(f"{value!r} is no number of seconds.", param, ctx)
        return made


class ReportCommand(click.Command):
    """`report`, whose --ranks may stand alone (show every rank) or name the ranks to look at."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for param in self.params:
            if isinstance(param, click.Option) and param.name == "ranks":
                param.help = f"{param.help} Alone: a row for each rank."

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        from ...services.ranksets import RankSet, RankSetError

        made: list[str] = []
        with_ranks = False
        for index, word in enumerate(args):
            if word.startswith("--ranks"):
                with_ranks = True
            if word != "--ranks":
                made.append(word)
                continue
            following = args[index + 1] if index + 1 < len(args) else ""
            try:
                given = bool(RankSet.parse(following))
            except RankSetError:
                given = False
            if given:
                made.append(word)
        rest = super().parse_args(ctx, made)
        ctx.params["with_ranks"] = with_ranks
        return rest


def attach_options(command: F) -> F:
    """Add the options that say which ranks of a job to look at, and how to reach them."""
    options = [
        click.option(
            "--world-size", type=click.IntRange(1, 1_048_576), metavar="N", help="Number of ranks, when known."
        ),
        click.option(
            "--ranks",
            metavar="0-7,12",
            help="Look at these ranks only; 0-62:2 is every second of 0-62.",
        ),
        click.option(
            "--map",
            "maps",
            multiple=True,
            metavar="HOST=ADDR",
            help="Where a host is from here: HOST=ADDR, HOST:PORT=ADDR:PORT or *.a=*.b; repeatable.",
        ),
        click.option(
            "--timeout",
            "timeout_s",
            type=Finite(0.1, 600),
            default=3.0,
            show_default=True,
            metavar="SECONDS",
            help="Time a rank has to answer.",
        ),
        click.option("--proxy", metavar="URL", help="HTTP proxy towards the ranks; none is used unless given here."),
        click.option(
            "--ca",
            "ca_file",
            type=click.Path(exists=True, dir_okay=False, path_type=Path),
            metavar="FILE",
            help="PEM certificates to trust for https:// workers.",
        ),
        click.option("-r", "--recursive", is_flag=True, help="Files: sub-folders too."),
        click.option(
            "--executor",
            default="",
            metavar="tcp://HOST:PORT",
            help="Files: a Dask scheduler whose workers read them where they lie (pip install 'xpudbg[dask]').",
        ),
        click.option("--insecure", is_flag=True, help="Accept any TLS certificate."),
    ]
    for option in reversed(options):
        command = option(command)
    return command


def tls_options(command: F) -> F:
    """Add the options that say how an op server is spoken to over TLS."""
    file = click.Path(exists=True, dir_okay=False, path_type=Path)
    options = [
        click.option("--ca", "--tls-ca", "tls_ca", type=file, metavar="FILE", help="PEM certificates to trust."),
        click.option("--cert", "--tls-cert", "tls_cert", type=file, metavar="FILE", help="Client certificate."),
        click.option("--key", "--tls-key", "tls_key", type=file, metavar="FILE", help="Key of the client certificate."),
        click.option("--tls-skip-verify", is_flag=True, help="Accept a certificate that is issued for another name."),
    ]
    for option in reversed(options):
        command = option(command)
    return command


def read_tls(given: dict[str, Any]) -> TlsSettings:
    """The settings that `tls_options` give; takes its options out of `given`.

    Raises:
        click.UsageError: a certificate without its key, or a key alone.
    """
    from ...services.dispatch.endpoint import TlsSettings

    made = TlsSettings(given.pop("tls_ca"), given.pop("tls_cert"), given.pop("tls_key"), given.pop("tls_skip_verify"))
    if (made.cert_file is None) != (made.key_file is None):
        raise click.UsageError("--cert and --key go together")
    return made


def read_options(given: dict[str, Any]) -> AttachOptions:
    """
    Raises:
        click.UsageError: a value can't be read.
    """
    from ...services.addressing.addresses import AddressMap
    from ...services.attach_options import AttachOptions
    from ...services.ranksets import RankSet, RankSetError
    from ...services.targets import TargetError
    from ..named_targets import given_fields, with_settings

    given = with_settings(given)
    try:
        ranks = None if given["ranks"] is None else RankSet.parse(given["ranks"])
        maps = AddressMap.parse(list(given["maps"]))
    except RankSetError as error:
        raise click.UsageError(f"--ranks: {error}") from error
    except TargetError as error:
        raise click.UsageError(f"--map: {error}; {error.hint}") from error
    made = AttachOptions(
        world_size=given["world_size"],
        ranks=ranks,
        address_map=maps,
        timeout_s=given["timeout_s"],
        proxy=_read_proxy(given["proxy"]),
        ca_file=given["ca_file"],
        recursive=given["recursive"],
        executor=given["executor"],
        insecure=given["insecure"],
    )
    return given_fields(made)


def _read_proxy(text: str | None) -> str | None:
    """
    Raises:
        click.UsageError: not the URL of an HTTP proxy. The message never holds a password.
    """
    if text is None:
        return None
    from ...services.addressing.endpoints import TargetError
    from ..named_targets import proxy_url

    try:
        return proxy_url(text)
    except TargetError as error:
        raise click.UsageError("--proxy wants http://host:port of an HTTP proxy; SOCKS is not spoken") from error


def read_demo_size(text: str) -> int:
    """The number of ranks of the demo.

    Raises:
        click.UsageError: no such number.
    """
    if not 1 <= int(text) <= MOST_DEMO_RANKS:
        raise click.UsageError(f"--ranks: the demo has 1 to {MOST_DEMO_RANKS} ranks")
    return int(text)


def read_target(words: Sequence[str], *, executor: str = "") -> Target | None:
    """
    Args:
        words: as typed.
        executor: of a cluster that reads files; the words are paths then, which need not exist on this machine.

    One word may be a name that the settings give a target.

    Raises:
        click.UsageError: the words are no target.
    """
    if executor and words:
        from pathlib import Path

        from ...services.targets import FilesTarget

        return FilesTarget(tuple(Path(word) for word in words))
    from ...services.targets import TargetError, parse_target
    from ..named_targets import named_words

    try:
        return parse_target(named_words(words), os.environ)
    except TargetError as error:
        raise click.UsageError(f"{error}\n{error.hint}") from error


def required_target(words: Sequence[str], *, executor: str = "") -> Target:
    """What `read_target` reads, where nothing can be done without.

    Raises:
        click.UsageError: the words are no target, or there are none and the environment names none.
    """
    chosen = read_target(words, executor=executor)
    if chosen is None:
        raise click.UsageError(
            "no target: give host:port of the job's TCPStore, a worker's URL, what a job left, or set MASTER_ADDR"
        )
    return chosen
