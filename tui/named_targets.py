"""Targets by the names that the settings give them, with their options: on the command line and on the screen."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from ..services.addressing.endpoints import TargetError
from .loaded_settings import loaded_settings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..services.attach_options import AttachOptions
    from ..services.settings.shape import Limits, Settings, Target
    from ..services.settings.sources import Loaded

__all__ = [
    "RESERVED",
    "Meant",
    "given_fields",
    "named_target",
    "named_words",
    "options_for",
    "proxy_url",
    "summary",
    "what_is_meant",
    "with_limits",
    "with_settings",
]

RESERVED = frozenset(("demo",))
"""Words that always mean the same."""
MIB = 1024 * 1024
_FIELDS = {"maps": "address_map"}
"""Parameters of the command line whose field of AttachOptions is called otherwise."""


@dataclass(frozen=True, slots=True)
class Meant:
    """What words mean."""

    words: tuple[str, ...]
    """Those of the settings for a name, else the ones given."""
    name: str = ""
    """The name that they are; empty where they are none."""
    target: Target | None = None
    """What the settings say of that name."""
    said: str = ""
    """What a person ought to know of it, one line; empty for nothing."""


def what_is_meant(words: Sequence[str], loaded: Loaded) -> Meant:
    """Resolve a name. It wins over a host of that name, also where what the settings say of it can't be used; a file
    that is here wins over both, which `said` tells.

    Raises:
        TargetError: what the settings say of the name can't be used.
    """
    targets = loaded.settings.targets
    problem = loaded.spoilt(f"targets.{words[0]}") if len(words) == 1 else None
    if len(words) != 1 or words[0] in RESERVED or (words[0] not in targets and problem is None):
        return Meant(tuple(words))
    name = words[0]
    if os.path.lexists(name):
        return Meant((name,), said=f"{name} is a file here; the target of that name in the settings is not meant")
    if name not in targets:
        where = loaded.path.name if loaded.path is not None else "the settings"
        hint = f"mend it, or write {name}:29500 for a host of that name"
        raise TargetError(f"{name} is a target of the settings that can't be used: {where}, {problem}", hint=hint)
    try:
        return Meant(targets[name].typed, name, targets[name])
    except ValueError as error:
        hint = "write its words as a list, or close the quotation mark"
        raise TargetError(f"targets.{name}: a quotation mark stands alone", hint=hint) from error


def named_target(words: Sequence[str]) -> Target | None:
    """The target that one word of the command line names; None where it names none, or a file that is here.

    Raises:
        TargetError: what the settings say of it can't be read.
    """
    return what_is_meant(words, loaded_settings()).target


def named_words(words: Sequence[str]) -> Sequence[str]:
    """What is meant by the words of the command line; what is to be said of it goes to standard error.

    Raises:
        TargetError: what the settings say of the name can't be read.
    """
    meant = what_is_meant(words, loaded_settings())
    if said := meant.said or _nearly_named(words):
        print(f"xpudbg: {said}", file=sys.stderr)
    return meant.words


def _nearly_named(words: Sequence[str]) -> str:
    """What is said of one bare word that is no name of a target and is nearly one; empty for others."""
    from ..services.settings.reading import NAME_RULE, near

    targets = loaded_settings().settings.targets
    if len(words) != 1 or words[0] in targets or words[0] in RESERVED or not NAME_RULE.fullmatch(words[0]):
        return ""
    meant = near(words[0], targets)
    is_other = not meant or os.path.lexists(words[0])
    return "" if is_other else f"{words[0]} is no target of the settings, and taken for a host; {meant}"


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


def given_fields(options: AttachOptions) -> AttachOptions:
    """The options of a command with what only the command line knows: the target's name, which fields were typed, and
    the limits of the settings."""
    loaded = loaded_settings()
    made = with_limits(options, loaded.settings.limits)
    context = click.get_current_context(silent=True)
    if context is None:
        return made
    typed = {
        _FIELDS.get(name, name)
        for name in context.params
        if context.get_parameter_source(name) not in (None, ParameterSource.DEFAULT, ParameterSource.DEFAULT_MAP)
    }
    known = {field.name for field in fields(options)}
    name = what_is_meant(context.params.get("target") or (), loaded).name
    return replace(made, name=name, typed=frozenset(typed & known))


def with_limits(options: AttachOptions, limits: Limits) -> AttachOptions:
    """The options with what the settings say of how much may be taken at a time, and kept."""
    from ..services.looks.bounds import LookBounds

    bounds = LookBounds(
        looks=limits.looks,
        memory=limits.looks_memory_mib * MIB,
        analyses=limits.analyses_memory_mib * MIB,
        disk=limits.looks_disk_mib * MIB,
    )
    return replace(options, parallel=limits.parallel, largest_answer=limits.answer_mib * MIB, bounds=bounds)


def options_for(meant: Meant, given: AttachOptions, settings: Settings) -> AttachOptions:
    """The options of a target that is chosen on the screen: what was typed on the command line wins, then what the
    settings say of its name; nothing stays of a target named before.

    Args:
        given: the options of the command line.

    Raises:
        TargetError: an option that the settings give the name can't be read.
    """
    from ..services.addressing.addresses import AddressMap
    from ..services.attach_options import AttachOptions
    from ..services.ranksets import RankSet, RankSetError

    usual = AttachOptions()
    names = {field.name for field in fields(usual)} - {"name", "typed"}
    typed = given.typed
    if typed is None:
        typed = frozenset(name for name in names if getattr(given, name) != getattr(usual, name))
    made: dict[str, Any] = {"timeout_s": settings.limits.timeout_s}
    named = meant.target
    if named is not None:
        where = f"targets.{meant.name}"
        try:
            ranks = None if named.ranks is None else RankSet.parse(named.ranks)
        except RankSetError as error:
            raise TargetError(f"{where}.ranks: {error}", hint="write ranks as 0-7,12") from error
        try:
            address_map = AddressMap.parse(list(named.map))
        except TargetError as error:
            raise TargetError(f"{where}.map: {error}", hint=error.hint) from error
        try:
            proxy = None if named.proxy is None else proxy_url(named.proxy)
        except TargetError as error:
            raise TargetError(f"{where}.proxy: {error}", hint=error.hint) from error
        own = {
            "world_size": named.world_size,
            "ranks": ranks,
            "address_map": address_map if named.map else None,
            "timeout_s": named.timeout_s,
            "proxy": proxy,
            "ca_file": Path(named.ca).expanduser() if named.ca is not None else None,
            "recursive": named.recursive,
            "insecure": named.insecure,
        }
        made |= {name: value for name, value in own.items() if value is not None}
    made |= {name: getattr(given, name) for name in typed & names}
    return with_limits(AttachOptions(**made, name=meant.name, typed=given.typed), settings.limits)


def proxy_url(text: str) -> str:
    """
    Raises:
        TargetError: not the URL of an HTTP proxy. The message never holds a password.
    """
    from ..services.addressing.addresses import parse_worker

    try:
        return parse_worker(text, scheme_needed=True).asked
    except TargetError as error:
        hint = "write http://host:port of an HTTP proxy; SOCKS is not spoken"
        raise TargetError("no URL of an HTTP proxy", hint=hint) from error


def summary(target: Target) -> str:
    """What a named target is, one line without passwords: its words, and which options it has."""
    from ..services.secrets import without_secrets

    words = target.words if isinstance(target.words, str) else " ".join(target.words)
    said = {
        "world size": target.world_size,
        "ranks": target.ranks,
        "map": " ".join(target.map) or None,
        "timeout": f"{target.timeout_s:g} s" if target.timeout_s is not None else None,
        "proxy": target.proxy,
        "ca": target.ca,
    }
    options = [f"{name} {value}" for name, value in said.items() if value is not None]
    options += [word for word, on in (("recursive", target.recursive), ("insecure", target.insecure)) if on]
    return without_secrets("  ".join((words, *((", ".join(options),) if options else ()))))
