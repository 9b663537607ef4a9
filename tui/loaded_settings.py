"""The settings of this start of the program: read once, complained about once."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from ..services.settings.sources import Loaded

__all__ = ["loaded_settings"]

_KEY = "xpudbg.settings"


def loaded_settings() -> Loaded:
    """The settings. What can't be used of them is said in one line on standard error, and the rest holds."""
    context = click.get_current_context(silent=True)
    if context is not None and _KEY in context.meta:
        found: Loaded = context.meta[_KEY]
        return found
    from ..services.settings.sources import load_settings

    made = load_settings(os.environ)
    if context is not None:
        context.meta[_KEY] = made
        if (told := made.told()) and not context.resilient_parsing:
            print(f"xpudbg: {told}", file=sys.stderr)
    return made
