"""Labels over the places of a screen: typing one goes there. Nothing moves: they are painted over a still picture."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, ClassVar

from rich.segment import Segment
from textual.screen import ModalScreen
from textual.strip import Strip
from textual.widget import Widget
from textual.widgets import Input

from ..actions.registry import Scope, bindings
from ..moving.jump_labels import Jumpable, Place, labels, spread
from ..widgets.footer import KeyFooter

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from textual import events
    from textual.app import ComposeResult
    from textual.screen import Screen

    from ..app import XpudbgApp

__all__ = ["JumpScreen", "places_on"]


def places_on(screen: Screen[None]) -> list[Place]:
    """What can be gone to on a screen: the places of the widget that has the keys, tabs, findings, other panes."""
    found: list[Place] = []
    for widget in screen.query("*"):
        if not widget.region or isinstance(widget, Input):
            continue
        seen = widget.content_region.intersection(screen.find_widget(widget).clip)
        if isinstance(widget, Jumpable) and (widget.has_focus or not widget.focusable):
            left, top = widget.content_region.offset
            spots = [Place(left + spot.x, top + spot.y, spot.go, spot.before) for spot in widget.jump_spots()]
            found += [place for place in spots if seen.contains(place.x, place.y)]
        elif widget.focusable and seen and not widget.has_focus:
            found.append(Place(*seen.offset, partial(screen.set_focus, widget)))
    return spread(found)


class JumpLabels(Widget):
    """The screen as it was, with the labels that are left."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {"jump--label", "jump--typed"}

    def __init__(self, picture: Sequence[Strip], places: Mapping[str, Place]) -> None:
        super().__init__()
        self._picture = picture
        self._places = places
        self.typed = ""

    def render_line(self, y: int) -> Strip:
        width = self.size.width
        strip = self._picture[y] if y < len(self._picture) else Strip.blank(width)
        label, typed = (self.get_component_rich_style(f"jump--{name}") for name in ("label", "typed"))
        here = sorted((place.x, text) for text, place in self._places.items() if place.y == y)
        parts: list[Segment] = []
        end = 0
        for x, text in here:
            if not text.startswith(self.typed):
                continue
            parts += strip.crop(end, x)
            letters = [Segment(self.typed, typed)] if self.typed else []
            parts += [*letters, Segment(text[len(self.typed) :].upper(), label)]
            end = x + len(text)
        return Strip([*parts, *strip.crop(end, max(width, end))]).adjust_cell_length(width)


class JumpScreen(ModalScreen[None]):
    """Closes with the last letter of a label, and goes there; with any other key it closes, and stays."""

    app: XpudbgApp
    BINDINGS = bindings(Scope.JUMP)
    SCOPES = (Scope.JUMP,)

    def __init__(self, below: Screen[None], places: Sequence[Place]) -> None:
        """
        Args:
            below: the screen that the places are on.
            places: as `spread` leaves them.
        """
        super().__init__()
        self.places = {label: place.under(label) for label, place in zip(labels(len(places)), places, strict=True)}
        self._below = below
        self._size_then = below.size
        self._picture = below._compositor.render_strips()

    def compose(self) -> ComposeResult:
        yield JumpLabels(self._picture, self.places)
        yield KeyFooter(self.SCOPES)

    def on_mount(self) -> None:
        self.query_one(KeyFooter).show(self.app.session)

    def on_key(self, event: events.Key) -> None:
        event.stop()
        event.prevent_default()
        shown = self.query_one(JumpLabels)
        typed = shown.typed + (event.character or "").casefold()
        if typed in self.places:
            self._leave(self.places[typed])
        elif typed != shown.typed and any(label.startswith(typed) for label in self.places):
            shown.typed = typed
            shown.refresh()
        else:
            self._leave()

    def on_click(self, event: events.Click) -> None:
        event.stop()
        x, y = event.screen_x, event.screen_y
        under = (place for label, place in self.places.items() if place.y == y and 0 <= x - place.x < len(label))
        self._leave(next(under, None))

    def on_resize(self, event: events.Resize) -> None:
        """Of another size the places are elsewhere."""
        if event.size != self._size_then:
            self._leave()

    def _leave(self, place: Place | None = None) -> None:
        if not self.is_current:
            return
        self.dismiss(None)
        if place is not None:
            self._below.call_later(place.go)  # once that screen has taken up the keys again

    def do_leave_jump(self) -> None:
        self._leave()
