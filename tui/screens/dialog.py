"""What dialogs have in common: the screen that they are about stays visible behind them, fainter than they are."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual.filter import LineFilter

__all__ = ["FaintBehind"]


class FaintBehind:
    """For a modal screen. Its own lines are those of the screen behind, tinted as its background says; where the
    terminal has too few colours for a tint they are made faint another way."""

    def get_line_filters(self) -> Sequence[LineFilter]:
        return self.app.filters_behind()  # type: ignore[attr-defined, no-any-return]  # of the modal screen
