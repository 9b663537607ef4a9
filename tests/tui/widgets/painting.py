"""One widget alone in an application, with our styles."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import TYPE_CHECKING

from textual.app import App

from xpudbg.tui.app import XpudbgApp
from xpudbg.tui.themes import register, variable_defaults

if TYPE_CHECKING:
    from textual.app import ComposeResult
    from textual.message import Message
    from textual.widget import Widget

STYLES = Path(inspect.getfile(XpudbgApp)).parent / "styles"


class Alone(App[None]):
    """Shows one widget, and keeps the messages of it that a screen would handle."""

    CSS_PATH = [STYLES.parent / name for name in XpudbgApp.CSS_PATH]  # noqa: RUF012

    def __init__(self, widget: Widget) -> None:
        super().__init__()
        register(self)
        self.widget = widget
        self.messages: list[Message] = []

    def get_theme_variable_defaults(self) -> dict[str, str]:
        return variable_defaults(self.current_theme)

    def compose(self) -> ComposeResult:
        yield self.widget

    def perform(self, name: str) -> None:
        getattr(self.widget, f"do_{name}")()

    def action_perform(self, name: str) -> None:
        self.perform(name)

    def on_rank_grid_selected(self, message: Message) -> None:
        self.messages.append(message)

    on_rank_grid_activated = on_rank_grid_selected
    on_grid_table_selected = on_rank_grid_selected
    on_grid_table_activated = on_rank_grid_selected
    on_grid_table_header_clicked = on_rank_grid_selected
    on_stack_tree_selected = on_rank_grid_selected
    on_stack_tree_refused = on_rank_grid_selected


def line_texts(widget: Widget) -> list[str]:
    """What each line of a line-API widget says."""
    return [widget.render_line(y).text for y in range(widget.size.height)]
