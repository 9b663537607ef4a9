"""The group of all commands: its first word may be a target, its errors are one line and a hint."""

from __future__ import annotations

import difflib
import errno
import sys
from typing import TYPE_CHECKING

import click

from ...services.logs import logger
from ...services.plain_text import plain

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from click.shell_completion import CompletionItem

__all__ = ["DefaultCommand", "say_error"]

PROGRAM = "xpudbg"
CANCELLED = 4
_MEANT = "xpudbg.meant"
"""Where a context keeps the command that its first word is nearly called like."""
_ALIKE = 0.75


class DefaultCommand(click.Group):
    """A group whose first word, when it is no command, belongs to a default command."""

    def __init__(self, *args: Any, default: str, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._default = default

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        at = self._own_words(ctx, args)
        first = args[at] if at < len(args) else None
        if first not in self.commands and not (first is None and ctx.resilient_parsing):
            args = [*args[:at], self._default, *args[at:]]
            if meant := self._meant(first or ""):
                ctx.meta[_MEANT] = meant
        return super().parse_args(ctx, args)

    def _meant(self, word: str) -> str:
        """The command that is nearly called so, one of the same letters first; empty when there is none."""
        shown = [name for name, command in self.commands.items() if not command.hidden]
        close = difflib.get_close_matches(word, shown, n=3, cutoff=_ALIKE)
        return min(close, key=lambda name: sorted(name) != sorted(word), default="")

    def _own_words(self, ctx: click.Context, args: list[str]) -> int:
        """How many words at the beginning are the group's own options and their values."""
        takes_value = {
            name: isinstance(one, click.Option) and not one.is_flag
            for one in self.get_params(ctx)
            for name in one.opts
            if not getattr(one, "is_eager", False)
        }
        eager = {name for one in self.get_params(ctx) if one.is_eager for name in one.opts}
        at = 0
        while at < len(args):
            name, equals, _ = args[at].partition("=")
            if name in eager:
                at += 1
            elif name in takes_value:
                at += 1 if equals or not takes_value[name] else 2
            else:
                break
        return min(at, len(args))

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Commands and what the default command takes."""
        default = self.commands[self._default]
        below = default.make_context(self._default, [], parent=ctx, resilient_parsing=True)
        made = super().shell_complete(ctx, incomplete)
        if incomplete.startswith("-"):
            return [*made, *default.shell_complete(below, incomplete)]
        arguments = [one for one in default.get_params(below) if isinstance(one, click.Argument)]
        offered = [item for one in arguments for item in one.shell_complete(below, incomplete)]
        return [*(item for item in offered if item.value not in self.commands), *made]

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        **extra: Any,
    ) -> Any:
        """Carry the command line out. Errors are said in one line with a hint; the exit code is 2 for wrong usage."""
        if not standalone_mode:
            return super().main(args, prog_name, complete_var, standalone_mode=False, **extra)
        code: Any = 0
        try:
            code = super().main(args, prog_name, complete_var, standalone_mode=False, **extra)
        except click.Abort:
            print(f"{PROGRAM}: cancelled", file=sys.stderr)
            code = CANCELLED
        except click.ClickException as error:
            say_error(error)
            code = error.exit_code
        except SystemExit as error:
            code = error.code
            raise
        except OSError as error:
            if error.errno != errno.ENOSPC:
                raise
            logger("xpudbg.tui.cli").exception("a full disk ended the program")
            print(f"{PROGRAM}: something could not be written: {error.strerror}", file=sys.stderr)
            code = CANCELLED
        except Exception:
            logger("xpudbg.tui.cli").exception("a defect ended the program")
            raise
        finally:
            logger("xpudbg.tui.cli").info("ended: %s", code or 0)
        sys.exit(code if isinstance(code, int) else 0)


def say_error(error: click.ClickException) -> None:
    """One line on standard error, and one with a hint."""
    said, *hints = error.format_message().splitlines() or ["wrong usage"]
    print(f"{PROGRAM}: {plain(said)}", file=sys.stderr)
    context = getattr(error, "ctx", None)
    if not hints and context is not None:
        words = context.command_path.split()
        names = [word for word in words if word in getattr(context.find_root().command, "commands", ())]
        hints = [f"see `{' '.join((PROGRAM, *names[:1]))} --help`"]
    meant = context.meta.get(_MEANT) if context is not None else None
    for hint in (*([f"did you mean `{PROGRAM} {meant}`?"] if meant else ()), *hints):
        print(f"  {plain(hint.strip())}", file=sys.stderr)
