"""Style sheets that are parsed once, not again for each screen that is opened for the first time."""

from __future__ import annotations

from textual.css.stylesheet import Stylesheet

__all__ = ["KeptStylesheet"]


class KeptStylesheet(Stylesheet):
    """Textual's, but what was parsed is thrown away only when the theme's variables are others.

    Textual has its application set the same variables again and parse all sheets again, twice for each mode that is
    new, and once more for the widgets on it.
    """

    def set_variables(self, variables: dict[str, str]) -> None:
        if variables != self._variables:
            super().set_variables(variables)

    def reparse(self) -> None:
        """Parse what is new, or all of it after a change of variables; after an error the rules are those before."""
        self.parse()
