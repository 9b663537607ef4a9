"""Targets by the names that the settings give them, with their options."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from .loaded_settings import loaded_settings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..services.settings.shape import Target

__all__ = ["RESERVED", "named_target", "named_words", "with_settings"]

RESERVED = frozenset(("demo",))
"""Words that always mean the same."""


def named_target(words: Sequence[str]) -> Target | None:
    """The target that one word names; None where it names none, or a file that is here."""
    if len(words) != 1 or words[0] in RESERVED:
        return None
    found = loaded_settings().settings.targets.get(words[0])
    return found if found is not None and not Path(words[0]).exists() else None


def named_words(words: Sequence[str]) -> Sequence[str]:
    """What is meant by the words of the command line: those of the settings for a name, else they themselves.

    A name wins over a host of that name; a file that is here wins over both, which is said on standard error.
    """
    found = named_target(words)
    if found is not None:
        return found.typed
    if len(words) == 1 and words[0] not in RESERVED and words[0] in loaded_settings().settings.targets:
        said = f"{words[0]} is a file here; the target of that name in the settings is not meant"
        print(f"xpudbg: {said}", file=sys.stderr)
    return words


def with_settings(given: dict[str, Any]) -> dict[str, Any]:
    """The options of `attach_options`, with those of the named target and the settings where nothing was typed."""
    context = click.get_current_context(silent=True)
    if context is None:
        return given
    named = named_target(context.params.get("target") or ())
    wanted: dict[str, Any] = {"timeout_s": loaded_settings().settings.limits.timeout_s}
    if named is not None:
        own = {
            "world_size": named.world_size,
            "ranks": named.ranks,
            "maps": named.map or None,
            "timeout_s": named.timeout_s,
            "proxy": named.proxy,
            "ca_file": Path(named.ca).expanduser() if named.ca is not None else None,
            "recursive": named.recursive,
            "insecure": named.insecure,
        }
        wanted |= {name: value for name, value in own.items() if value is not None}
    typed = {name for name in wanted if context.get_parameter_source(name) is not ParameterSource.DEFAULT}
    return given | {name: value for name, value in wanted.items() if name not in typed}
