"""`xpudbg completion`: the script that lets a shell complete commands, options, scenarios, targets and files."""

from __future__ import annotations

import click

from .putting_out import say

__all__ = ["completion"]

PROGRAM = "xpudbg"
VARIABLE = "_XPUDBG_COMPLETE"
"""By it the script asks the program for what fits; the name is the one that `click` looks at."""


@click.command(short_help="Print a script for completion in bash, zsh or fish.")
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion(shell: str) -> None:
    """Print the script that completes commands, options, scenarios, named targets and files.

    \b
    bash: in ~/.bashrc
      eval "$(xpudbg completion bash)"
    zsh: in ~/.zshrc, after compinit
      eval "$(xpudbg completion zsh)"
    fish:
      xpudbg completion fish > ~/.config/fish/completions/xpudbg.fish

    Exit codes: 0 printed, 2 wrong usage.
    """
    from click.shell_completion import get_completion_class

    kind = get_completion_class(shell)
    root = click.get_current_context().find_root().command
    assert kind is not None
    made = kind(root, {}, PROGRAM, VARIABLE)
    say(made.source_template % made.source_vars())
