"""What a person has set, as the screens use it: keys, colours, the interval between looks; and what is told of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..services.logs import logger
from ..services.settings.reading import near
from ..services.settings.sources import Loaded
from ..services.settings.statements import Problem
from .keys.keymap import use_keymap
from .keys.keymap_reading import read_keymap
from .tables.column_settings import Tables, use_tables

if TYPE_CHECKING:
    from collections.abc import Collection

    from ..services.settings.state import Remembered

__all__ = ["Preferences"]

_LOG = logger(__name__)


class Preferences:
    """Settings and what was remembered, for one application."""

    def __init__(self, loaded: Loaded | None, remembered: Remembered) -> None:
        """
        Args:
            loaded: the settings; the defaults when None.
        """
        self.loaded = loaded or Loaded()
        self.remembered = remembered
        given = self.loaded.settings
        self.keymap, problems = read_keymap(given.keys, self.loaded.lines)
        self._problems: list[Problem] = []
        for problem in (*self.loaded.problems, *problems):
            self._note(problem)
        use_keymap(self.keymap)
        self.tables = Tables(given.columns, remembered)
        """How the tables are arranged."""
        use_tables(self.tables)

    def _note(self, problem: Problem) -> None:
        self._problems.append(problem)
        _LOG.warning("settings: %s", problem)

    @property
    def refresh_s(self) -> float | None:
        """Seconds between looks; None: they are not taken by themselves."""
        return self.loaded.settings.refresh or None

    def theme(self, known: Collection[str]) -> str | None:
        """The theme to begin with; None: the program's own.

        Args:
            known: names of the themes that there are.
        """
        wanted = self.loaded.settings.theme
        if wanted and wanted not in known:
            line = None if self.loaded.source("theme").startswith("XPUDBG") else self.loaded.lines.get("theme")
            self._note(Problem(line, f"theme: there is none called {wanted!r}", near(wanted, known)))
            wanted = ""
        wanted = wanted or self.remembered.theme
        return wanted if wanted in known else None

    def keep_theme(self, name: str) -> str:
        """Remember the theme that was chosen; what has to be said of it, empty for nothing."""
        self.remembered.keep_theme(name)
        source = self.loaded.source("theme")
        if self.loaded.settings.theme not in ("", name) and source != "default":
            return f"for now only: {source} says theme = {self.loaded.settings.theme!r}"
        return self.remembered.problem

    def told(self) -> str:
        """What is wrong with the settings, one line; empty when nothing is."""
        return Loaded(path=self.loaded.path, problems=tuple(self._problems)).told()
