"""What the shell offers for a word that is being typed: named targets, scenarios, op servers, runs, files."""

from __future__ import annotations

from typing import TYPE_CHECKING

from click.shell_completion import CompletionItem

if TYPE_CHECKING:
    from collections.abc import Iterable

    import click

    from ...services.settings.shape import Settings

__all__ = ["complete_files", "complete_runs", "complete_scenarios", "complete_servers", "complete_targets"]


def complete_targets(ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Files, the names of the settings, the demo."""
    named = {name: " ".join(_words(target.words)) for name, target in _settings().targets.items()}
    return [*complete_files(ctx, _param, incomplete), *_items(incomplete, {**named, "demo": "a simulated cluster"})]


def complete_servers(_ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Names of op servers in the settings."""
    return _items(incomplete, {name: one.url for name, one in _settings().endpoints.items()})


def complete_scenarios(_ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Scenarios of the demo."""
    from ...services.simulate.scenarios import SCENARIOS

    return _items(incomplete, {name: one.story for name, one in SCENARIOS.items()})


def complete_runs(_ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """What needs no look into the history."""
    return _items(incomplete, {"last": "the last run", "last-failed": "the last run that failed"})


def complete_files(_ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """The shell's own way with files."""
    return [CompletionItem(incomplete, type="file")]


def _items(incomplete: str, words: dict[str, str]) -> list[CompletionItem]:
    from ...services.plain_text import plain
    from ...services.secrets import without_secrets

    return [
        CompletionItem(word, help=plain(without_secrets(said), 60) or None)
        for word, said in words.items()
        if word.startswith(incomplete)
    ]


def _words(words: str | Iterable[str]) -> Iterable[str]:
    return (words,) if isinstance(words, str) else words


def _settings() -> Settings:
    from ..loaded_settings import loaded_settings

    return loaded_settings().settings
