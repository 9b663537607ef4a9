"""The settings as types: what can be set, which values are taken, what holds when nothing is said.

The docstring under a field is its line in the example file; each has one.
"""

from __future__ import annotations

import shlex
from typing import Annotated, Literal

import msgspec

__all__ = ["Endpoint", "Keys", "Limits", "Settings", "Table", "Target"]

Keys = str | tuple[str, ...]
Text = Annotated[str, msgspec.Meta(max_length=4_096)]


class Target(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A job under a short name, with the options that it needs."""

    words: str | tuple[str, ...]
    """What would be typed: host:port, workers, files."""
    world_size: Annotated[int, msgspec.Meta(ge=1, le=1_048_576)] | None = None
    ranks: Text | None = None
    map: tuple[str, ...] = ()
    timeout_s: Annotated[float, msgspec.Meta(ge=0.1, le=600)] | None = None
    proxy: Text | None = None
    ca: Text | None = None
    recursive: bool | None = None
    insecure: bool | None = None

    @property
    def typed(self) -> tuple[str, ...]:
        """The words as the command line would have them.

        Raises:
            ValueError: a quotation mark stands alone.
        """
        return tuple(shlex.split(self.words)) if isinstance(self.words, str) else self.words


class Endpoint(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An op server under a short name."""

    url: Text
    """host:port, http://host:port or https://host:port."""
    ca: Text | None = None
    cert: Text | None = None
    key: Text | None = None
    skip_verify: bool = False


class Table(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Columns of one table, by their keys."""

    shown: tuple[str, ...] = ()
    """These first, in this order; the others after them."""
    hidden: tuple[str, ...] = ()
    """These not at all."""
    widths: dict[str, Annotated[int, msgspec.Meta(ge=1, le=1_000)]] = {}
    """Cells that a column may take at most."""


class Limits(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How long things may take, and how much."""

    timeout_s: Annotated[float, msgspec.Meta(ge=0.1, le=600)] = 3.0
    """Seconds that a rank has to answer."""
    deadline_s: Annotated[float, msgspec.Meta(ge=0.1, le=86_400)] = 300.0
    """Seconds for one run of an operator, uploads and waits included."""
    parallel: Annotated[int, msgspec.Meta(ge=1, le=1_024)] = 128
    """Requests on their way to ranks at one time; those not answered at once wait beside them."""
    answer_mib: Annotated[int, msgspec.Meta(ge=1, le=256)] = 256
    """MiB at which an answer of a rank is given up; lower caps of small requests hold, profiles have their own."""
    looks: Annotated[int, msgspec.Meta(ge=2, le=100_000)] = 2_000
    """Looks kept, the oldest goes first."""
    looks_memory_mib: Annotated[int, msgspec.Meta(ge=8, le=65_536)] = 256
    """MiB of memory for looks kept, the newest two beside it."""
    analyses_memory_mib: Annotated[int, msgspec.Meta(ge=8, le=65_536)] = 256
    """MiB of memory for what was made of looks kept; older ones are read again when shown."""
    looks_disk_mib: Annotated[int, msgspec.Meta(ge=64, le=1_048_576)] = 4_096
    """MiB of replies of looks in the temporary folder; with little room half of what is free."""


class Settings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """All of them."""

    theme: Annotated[str, msgspec.Meta(max_length=100)] = ""
    """Colours, by the name of the theme; empty: the one chosen last on the screen, else the program's own."""
    refresh: Annotated[float, msgspec.Meta(ge=0, le=86_400)] = 0.0
    """Seconds between looks on the screen; 0: only when `r` is pressed, otherwise 0.5 or more."""
    mouse: bool = True
    """Whether the screens take the mouse; without it the terminal's own selection works."""
    ascii: bool = False
    """Draw with ASCII signs only (true), or never so (false); where nothing is said the locale decides."""
    server: Text = ""
    """Op server where none is named: one of [endpoints], or host:port."""
    log: Text = ""
    """File that the program's log goes to; empty: none is kept."""
    log_level: Literal["debug", "info", "warning", "error"] = "info"
    """Least important messages that the log takes: debug, info, warning, error."""
    limits: Limits = Limits()
    """How long things may take, and how much."""
    targets: dict[str, Target] = {}
    """Jobs by name: `xpudbg prod`."""
    endpoints: dict[str, Endpoint] = {}
    """Op servers by name: `--server gpu`."""
    keys: dict[str, Keys] = {}
    """Keys of actions, in place of the usual ones."""
    columns: dict[str, Table] = {}
    """Columns of tables."""
