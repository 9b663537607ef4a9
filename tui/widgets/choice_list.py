"""A list of choices that keeps its keys on a terminal that leaves it no room."""

from __future__ import annotations

from textual.widgets import OptionList

__all__ = ["ChoiceList", "has_lines"]


def has_lines(choices: OptionList) -> bool:
    """Whether a list has been laid out. Textual 8 knows no line of one without room, and a page of it fails."""
    return bool(choices.scrollable_content_region)


class ChoiceList(OptionList):
    """Without room a page is the whole list."""

    def action_page_up(self) -> None:
        if has_lines(self):
            super().action_page_up()  # type: ignore[no-untyped-call]
        else:
            self.action_first()

    def action_page_down(self) -> None:
        if has_lines(self):
            super().action_page_down()  # type: ignore[no-untyped-call]
        else:
            self.action_last()
