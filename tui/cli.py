"""The command line: `xpudbg [TARGET]`, `xpudbg report TARGET`, `xpudbg demo`. Heavy modules load when needed."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ..services.version import __version__
from .commands.capture import capture
from .commands.completed_words import complete_files, complete_scenarios, complete_servers, complete_targets
from .commands.completion import completion
from .commands.config import config
from .commands.demo_choice import check_scenario, demo_as_asked
from .commands.diff import diff
from .commands.dispatch import dispatch
from .commands.doctor import doctor
from .commands.group import DefaultCommand
from .commands.log_options import begin_log, log_options
from .commands.opserver import opserver
from .commands.options import (
    MOST_DEMO_RANKS,
    Finite,
    ReportCommand,
    attach_options,
    read_options,
    read_target,
    read_tls,
    required_target,
    tls_options,
)
from .commands.report_styles import STYLES, style_of
from .commands.rerun import rerun
from .commands.runs import runs
from .commands.shrink import repro, shrink
from .commands.table_text import table_text
from .commands.watch import watch
from .commands.web import web
from .terminal.on_terminal import ScreenOptions, check_terminal, screen_options, show

if TYPE_CHECKING:
    from typing import Any

    from ..services.attach_options import AttachOptions
    from ..services.targets import Target

__all__ = ["main"]

SETTINGS = {"help_option_names": ["-h", "--help"], "max_content_width": 110}


@click.group(cls=DefaultCommand, default="attach", context_settings=SETTINGS)
@click.version_option(__version__, "--version", message="xpudbg %(version)s")
@log_options
def main(log: Path | None, log_level: str | None) -> None:
    """Debugger for distributed PyTorch jobs that hang, crawl or compute wrong numbers.

    \b
    xpudbg                        attach to MASTER_ADDR:MASTER_PORT, or choose
    xpudbg 10.0.0.5:29500         attach to the job whose TCPStore is there
    xpudbg http://node-7:41234    look at one worker, or several
    xpudbg ranks.txt              a file with one worker a line (rank3=http://...)
    xpudbg report 10.0.0.5:29500  print what is wrong and leave
    xpudbg diff a.xpudbg b.xpudbg what is different between two looks
    xpudbg watch 10.0.0.5:29500   stay with a job, ring when it stands still
    xpudbg capture 10.0.0.5:29500 keep all of it in one file, to be opened later
    xpudbg doctor 10.0.0.5:29500  check that it can be debugged when it hangs
    xpudbg run torch.add x.npy    run one operator on an op server
    xpudbg rerun last-failed      run one of them again
    xpudbg dispatch cases.csv     edit operators on the screen and run them
    xpudbg opserver               serve operators of this machine
    xpudbg web 10.0.0.5:29500     the screens in a browser
    xpudbg demo                   a simulated cluster, to try it out
    xpudbg config                 what is set, and where it is set
    xpudbg completion bash        completion for the shell
    """
    begin_log(log, log_level)


@main.command(short_help="Show a job on the screen; what is done when no command is named.")
@click.argument("target", nargs=-1, shell_complete=complete_targets)
@click.option("--refresh", "refresh_s", type=Finite(0.5, 86_400), metavar="SECONDS", help="Look again by itself.")
@screen_options
@attach_options
def attach(target: tuple[str, ...], refresh_s: float | None, **options: Any) -> None:
    """Show a job on the screen. The word `attach` can be left out: `xpudbg HOST:PORT`.

    TARGET is host:port of the job's TCPStore (port 29500 when left out), http://host:port of one or several workers, a
    file with one worker a line, files and folders of dumps, a bundle, a name of the settings, or demo. Without one,
    MASTER_ADDR and MASTER_PORT are used.

    \b
    xpudbg 10.0.0.5:29500 --refresh 5
    xpudbg 10.0.0.5:29500 --map "*.cluster.internal=*.example.com" --ranks 0-63
    xpudbg dumps/
    xpudbg prod                   a target of that name in the settings
    """
    drawn = ScreenOptions.taken_from(options)
    _screen(read_target(target, executor=options["executor"]), read_options(options), refresh_s, drawn)


@main.command()
@click.option(
    "--ranks",
    "--world-size",
    "ranks",
    type=click.IntRange(1, MOST_DEMO_RANKS),
    metavar="N",
    help="How many ranks to simulate.",
)
@click.option(
    "--scenario", metavar="NAME", shell_complete=complete_scenarios, help="What is wrong with them; see --list."
)
@click.option("--list", "listing", is_flag=True, help="List the scenarios and their known culprits.")
@click.option("--refresh", "refresh_s", type=Finite(0.5, 86_400), metavar="SECONDS", help="Look again by itself.")
@screen_options
def demo(ranks: int | None, scenario: str | None, listing: bool, refresh_s: float | None, **options: Any) -> None:
    """Simulate a cluster on this machine and look at it.

    \b
    xpudbg demo
    xpudbg demo --list
    xpudbg demo --ranks 256 --scenario stuck-stack
    """
    from ..services.attach_options import AttachOptions
    from ..services.targets import DemoTarget
    from .named_targets import given_fields

    if listing:
        from .commands.putting_out import say

        say(_scenarios())
        return
    check_scenario(scenario)
    _screen(DemoTarget(ranks, scenario), given_fields(AttachOptions()), refresh_s, ScreenOptions.taken_from(options))


@main.command(cls=ReportCommand)
@click.argument("target", nargs=-1, shell_complete=complete_targets)
@click.option(
    "--format",
    "style",
    type=click.Choice(list(STYLES)),
    help="How it is written.  [default: by the ending of -o (.html, .md, .json), else text]",
)
@click.option(
    "-o", "--output", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE", help="Write the report there."
)
@click.option("--looks", type=click.IntRange(1, 1000), default=2, show_default=True, help="How often to look.")
@click.option("--interval", type=Finite(0, 86_400), default=2.0, show_default=True, help="Seconds between looks.")
@click.option("--scenario", metavar="NAME", shell_complete=complete_scenarios, help="Scenario of the target `demo`.")
@click.option(
    "--stacks",
    "stacks_file",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Write the merged stacks: speedscope JSON (.json) or collapsed.",
)
@click.option(
    "--trace",
    "trace_file",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE.json[.gz]",
    help="Write the flight recorders as a trace for Perfetto.",
)
@click.option("--one-clock", is_flag=True, help="Bring the ranks' clocks together in --trace, where calls tell how.")
@click.option("--summary", is_flag=True, help="A line for each TARGET: folders, files, bundles, jobs.")
@click.option("--tables", is_flag=True, help="Print the flight recorder's tables instead of the report.")
@click.option(
    "--table-format",
    type=click.Choice(["plain", "github", "html", "csv", "json"]),
    default="plain",
    show_default=True,
    help="How --tables are drawn.",
)
@attach_options
def report(
    target: tuple[str, ...],
    style: str | None,
    looks: int,
    interval: float,
    scenario: str | None,
    stacks_file: Path | None,
    tables: bool,
    table_format: str,
    output: Path | None,
    trace_file: Path | None,
    one_clock: bool,
    summary: bool,
    **options: Any,
) -> None:
    """Look at a job, print what is wrong, and leave. With --summary at several, one after the other.

    \b
    xpudbg report 10.0.0.5:29500
    xpudbg report dumps/ -o report.html
    xpudbg report prod --looks 5 --interval 10 --format json
    xpudbg report --summary incident-1/ incident-2.xpudbg

    Exit codes: 0 nothing wrong, 1 a problem found, 2 wrong usage, 3 the target could not be read, 4 partial data and
    nothing wrong found.
    """
    from .commands.report import ReportOptions, run_report

    with_ranks = options.pop("with_ranks", False)
    style = style or style_of(output)
    if one_clock and trace_file is None:
        raise click.UsageError("--one-clock goes with --trace only")
    if summary:
        from .commands.summary import SUMMARY_FORMATS, run_summary

        if style not in SUMMARY_FORMATS:
            raise click.UsageError(f"--summary is written as {', '.join(SUMMARY_FORMATS)}")
        if tables or scenario is not None or stacks_file is not None or trace_file is not None:
            raise click.UsageError("--summary goes without --tables, --scenario, --stacks and --trace")
        if not target:
            raise click.UsageError("no target: --summary wants folders, files, bundles or jobs, a word each")
        sys.exit(run_summary(target, read_options(options), style, (looks, interval), output))
    chosen = required_target(target, executor=options["executor"])
    chosen, settings = demo_as_asked(chosen, read_options(options), scenario, options["ranks"])
    table_style = table_format if tables else None
    wanted = ReportOptions(style, looks, interval, with_ranks, stacks_file, table_style, output, trace_file, one_clock)
    sys.exit(run_report(chosen, settings, wanted))


@main.command(name="run")
@click.argument("what", metavar="OP|CASEFILE", shell_complete=complete_files)
@click.argument("files", nargs=-1, metavar="[INPUT.npy]...", shell_complete=complete_files)
@click.option("--input", "-i", "inputs", multiple=True, metavar="NAME=VALUE", help="One input by name; repeatable.")
@click.option("--attr", "-a", "attrs", multiple=True, metavar="NAME=VALUE", help="One attribute, as JSON or text.")
@click.option(
    "--server",
    metavar="URL|NAME",
    shell_complete=complete_servers,
    help="Op server, host:port, URL or a name of the settings; else XPUDBG_SERVER.",
)
@click.option(
    "--ttk-config",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="FILE",
    help="ttk.conf.yaml whose remote: part names the servers.",
)
@click.option("--provider", metavar="NAME", help="Framework on the server.  [default: numpy for numpy.*, else torch]")
@click.option("--mode", metavar="data,perf", help="What to ask for.  [default: data]")
@click.option("--runtime", type=click.IntRange(1, 100), metavar="N", help="Repetitions that the profiler measures.")
@click.option("--spec", metavar="FILE:CLASS", help="Run a class of a local file; its modules are uploaded.")
@click.option(
    "--root",
    "roots",
    multiple=True,
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    metavar="DIR",
    help="Where the spec's modules are looked for, besides its own folder.",
)
@click.option(
    "-o", "--output", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE.npz", help="Write the outputs."
)
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
@click.option(
    "--deadline", "deadline_s", type=Finite(0.1, 86_400), metavar="SECONDS", help="Time for all of it.  [default: 300]"
)
@tls_options
def run_op(**options: Any) -> None:
    """Run one operator on an op server and print what comes back.

    \b
    xpudbg run torch.add x.npy y.npy --server 10.0.0.5:9090
    xpudbg run softmax -i "input=float32[4,8]:uniform(-1,1):seed=7" -a dim=1
    xpudbg run my_op --spec ops/my_op.py:MyOp -i x=x.npy --mode data,perf
    xpudbg run case.toml -o out.npz

    Exit codes: 0 done, 1 the op failed, 2 wrong usage, 3 no server was reached, 4 cancelled, busy or past its deadline.
    """
    from .commands.run import RunOptions, run_operator

    tls = read_tls(options)
    sys.exit(run_operator(RunOptions(**options, tls=tls)))


main.add_command(capture)
main.add_command(completion)
main.add_command(config)
main.add_command(diff)
main.add_command(watch)
main.add_command(web)
main.add_command(doctor)
main.add_command(opserver)
main.add_command(dispatch)
for command in (repro, rerun, runs, shrink):
    main.add_command(command)


def _screen(target: Target | None, options: AttachOptions, refresh_s: float | None, drawn: ScreenOptions) -> None:
    check_terminal("`xpudbg report TARGET` prints without one")
    from ..services.engine import Engine
    from .app import XpudbgApp
    from .loaded_settings import loaded_settings

    with Engine() as engine:
        code = show(
            XpudbgApp(engine, target, options, refresh_s=refresh_s, settings=loaded_settings(), hints=True), drawn
        )
    sys.exit(code)


def _scenarios() -> str:
    from ..services.simulate.scenarios import SCENARIOS

    rows = []
    for scenario in SCENARIOS.values():
        size = scenario.default_ranks
        sick = "; ".join(f"{kind} {ranks}" for kind, ranks in scenario.culprits(size).items())
        rows.append((scenario.name, size, sick or "nobody", scenario.story))
    return table_text(("scenario", "ranks", "culprits", "what happens"), rows, (2, 3))


if __name__ == "__main__":
    main()
