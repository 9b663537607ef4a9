"""Paints a `TimelineView` line by line: words and ruler above, a line a lane, the call of the cursor below."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from rich.segment import Segment
from textual.geometry import Size
from textual.strip import Strip
from textual.widget import Widget

from ...services.recorder_timeline.cells import CellKind, Cells
from ...services.recorder_timeline.lanes import LaneContent
from ...services.recorder_timeline.sentences import duration_said
from ..recorder.timeline_view import Axis, TimelineView
from .text import cell_len, fit
from .timeline_ruler import instant_said, ruler
from .timeline_signs import COMPONENTS, HOW_LATE, component_of, legend, sign_of
from .timeline_words import Line, arrivals_line, call_line, name_of, numbers_of, statement_line, subject_line, why_empty

if TYPE_CHECKING:
    from rich.style import Style

    from ...services.recorder_timeline.lanes import Lane, Timeline

__all__ = ["TimelineLanes"]

HEAD = 3
"""Lines above the lanes: what is shown, who is last, the ruler."""
GAP = 2
"""Blank cells between label and strip."""
ROOMY = 100
"""From this width on labels have the lateness too."""
SHARE_WIDTH, LATENESS_WIDTH = 5, 10


class TimelineLanes(Widget):
    """Everything of the timeline that is painted."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        *("timeline--label", "timeline--muted", "timeline--title", "timeline--statement", "timeline--ruler"),
        *("timeline--cursor", "timeline--lane"),
        *COMPONENTS,
    }

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.view = TimelineView()
        self._top = 0
        """Place of the first lane on the screen."""
        self._cells: Cells | None = None
        self._made_for = Size(0, 0)
        """The size that the cells are for."""

    # its measures ---------------------------------------------------------------------------------------------

    @property
    def label_width(self) -> int:
        """Cells before the strip: cursor, name, share of the calls, lateness, a gap."""
        timeline, roomy = self.view.timeline, self.size.width >= ROOMY
        lanes: tuple[Lane, ...] = ()
        if timeline is not None:  # ranks ascend, so that the last one is the widest
            lanes = timeline.lanes[-1:] if timeline.group is not None else timeline.lanes
        widest = max((cell_len(name_of(timeline, lane)) for lane in lanes if timeline is not None), default=0)
        numbers = SHARE_WIDTH + (LATENESS_WIDTH if roomy else 0)
        return 2 + min(max(widest, 5), max(self.size.width // 4, 5)) + numbers + GAP

    @property
    def strip_width(self) -> int:
        return max(self.size.width - self.label_width, 8)

    @property
    def foot(self) -> int:
        """Lines below the lanes: the call of the cursor, how ranks came to it, what the signs mean."""
        return 3 if self.size.height >= 12 else 1

    @property
    def page(self) -> int:
        """Lanes that fit."""
        return max(self.size.height - HEAD - self.foot, 1)

    def place_at(self, y: int) -> int | None:
        """The lane on a line of the screen, as place in the order of the view."""
        place = self._top + y - HEAD
        return place if HEAD <= y < HEAD + self.page and place < len(self.view.order) else None

    def paint_anew(self) -> None:
        """Cells of what is on the screen now, with the cursor's lane among it."""
        view = self.view
        if not self._top <= view.place < self._top + self.page:
            self._top = view.place if view.place < self._top else view.place - self.page + 1
        self._top = max(min(self._top, len(view.order) - self.page), 0)
        view.resize(self.strip_width)
        self._made_for = self.size
        self._cells = view.cells([int(lane) for lane in view.order[self._top : self._top + self.page]])
        self.refresh()

    def on_resize(self) -> None:
        self.paint_anew()

    def notify_style_update(self) -> None:
        super().notify_style_update()
        self.refresh()

    # painting -------------------------------------------------------------------------------------------------

    def render_line(self, y: int) -> Strip:
        width = self.size.width
        if self._made_for != self.size:  # it may be painted before it is told of its size
            self.paint_anew()
        if y == 0:
            last = min(self._top + self.page, len(self.view.order))
            return self._words(subject_line(self.view, self._top, last), width)
        if self.view.timeline is None:
            return Strip.blank(width, self.rich_style)
        if y == 1:
            return self._words(statement_line(self.view), width)
        if y == 2:
            return self._ruler()
        place = self.place_at(y)
        if place is not None:
            return self._lane(self.view.timeline, place)
        if y == HEAD + self.page:
            return self._words(call_line(self.view), width)
        if y == HEAD + self.page + 1:
            return self._words(arrivals_line(self.view), width)
        if y == HEAD + self.page + 2:
            return self._legend(width)
        if y == HEAD + 1 and not len(self.view.order):
            return self._words([("  no rank of this group matches the filter", "timeline--muted")], width)
        return Strip.blank(width, self.rich_style)

    def _style(self, component: str) -> Style:
        return self.get_component_rich_style(component) if component else self.rich_style

    def _words(self, line: Line, width: int) -> Strip:
        segments: list[Segment] = []
        left = width
        for text, component in line:
            length = cell_len(text)
            if left <= 0:
                break
            segments.append(Segment(text if length <= left else fit(text, left), self._style(component)))
            left -= length
        return Strip(segments).adjust_cell_length(width, self.rich_style)

    def _ruler(self) -> Strip:
        view, style = self.view, self._style("timeline--ruler")
        numbers = SHARE_WIDTH + (LATENESS_WIDTH if self.size.width >= ROOMY else 0)
        room = self.label_width - numbers - GAP - 2
        by_rank = view.timeline is not None and view.timeline.group is not None
        head = f"  {fit('rank', room, 'right') if by_rank else fit('group', room)}{'last':>{SHARE_WIDTH}}"
        words = ruler(view.window, instant_said if view.axis is Axis.TIME else self._call_said)
        return Strip(
            [
                Segment(fit(head + ("    behind" if numbers > SHARE_WIDTH else ""), self.label_width), style),
                Segment(words, style),
            ]
        ).adjust_cell_length(self.size.width, style)

    def _call_said(self, x: float, _step: float) -> str:
        timeline, timelines = self.view.timeline, self.view.timelines
        if timeline is None or timelines is None or timeline.group is None:
            return f"{x + 1:,.0f}"
        if x >= timeline.places:
            return ""
        call = timelines.calls_of(timeline.group).start + int(x)
        return f"#{timeline.diagnosis.analysis.matched.call_seq[call]}"

    def _lane(self, timeline: Timeline, place: int) -> Strip:
        view, width = self.view, self.size.width
        lane = timeline.lanes[int(view.order[place])]
        here = place == view.place
        numbers = numbers_of(lane, with_lateness=width >= ROOMY)
        name = fit(
            name_of(timeline, lane),
            self.label_width - len(numbers) - GAP - 2,
            "right" if timeline.group is not None else "left",
        )
        label = self._style("timeline--lane" if here else "timeline--label")
        segments = [
            Segment(f"{'>' if here else ' '} {name}", label),
            Segment(numbers + " " * GAP, self._style("timeline--muted")),
        ]
        kinds = () if self._cells is None else self._cells.kind[place - self._top]
        if lane.content is not LaneContent.CALLS and not any(kinds):
            segments.append(Segment(why_empty(timeline, lane), self._style("timeline--muted")))
        elif self._cells is not None:
            segments += self._strip(self._cells, place - self._top, view.column_of_cursor() if here else None)
        return Strip(segments).adjust_cell_length(width, self.rich_style)

    def _strip(self, cells: Cells, row: int, cursor: int | None) -> list[Segment]:
        """The cells of a lane, neighbours of one kind as one segment."""
        by_call = self.view.axis is Axis.CALLS
        segments: list[Segment] = []
        text, before = "", -1
        for column, (kind, level) in enumerate(zip(cells.kind[row].tolist(), cells.level[row].tolist(), strict=True)):
            sign = sign_of(CellKind(kind), level, by_call=by_call)
            if column == cursor:
                if text:
                    segments.append(Segment(text, self._style(component_of(CellKind(before)))))
                segments.append(Segment(sign, self._style("timeline--cursor")))
                text, before = "", -1
                continue
            if kind != before and text:
                segments.append(Segment(text, self._style(component_of(CellKind(before)))))
                text = ""
            text, before = text + sign, kind
        if text:
            segments.append(Segment(text, self._style(component_of(CellKind(before)))))
        return segments

    def _legend(self, width: int) -> Strip:
        kinds = (
            {CellKind(int(kind)) for kind in set(self._cells.kind.ravel().tolist())}
            if self._cells is not None
            else set()
        )
        timeline, by_call = self.view.timeline, self.view.axis is Axis.CALLS
        line: Line = []
        for sign, component, text in legend(kinds, by_call=by_call):
            if sign == HOW_LATE and timeline is not None and timeline.scale_s > 0:
                text += f", to {duration_said(timeline.scale_s)} and more"
            line += [(sign, component), (f" {text}   ", "timeline--muted")]
        return self._words(line, width)
