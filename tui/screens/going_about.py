"""From screen to screen, to a place by its name or by a label, and to the dialogs that all numbered screens have."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from ..file_words import unused_text
from .answer import AnswerScreen
from .bundle_request import ask_for_bundle
from .column_choice import ColumnChoice
from .doctor import DoctorScreen
from .dump_file_request import ask_for_dump_files
from .go_request import ask_where_to
from .handler_request import ask_for_handler
from .jump import JumpScreen, places_on
from .watch_request import switch_watch

if TYPE_CHECKING:
    from ..app import XpudbgApp
    from ..widgets.grid_table import GridTable
    from .job import JobScreen

__all__ = ["GoesAbout"]


class GoesAbout:
    """What a job screen leads to."""

    app: XpudbgApp

    @property
    def _here(self) -> JobScreen:
        return cast("JobScreen", self)

    # screens --------------------------------------------------------------------------------------------------

    def do_overview(self) -> None:
        self.app.go_to("overview")

    def do_ranks(self) -> None:
        self.app.go_to("ranks")

    def do_stacks(self) -> None:
        self.app.go_to("stacks")

    def do_recorder(self) -> None:
        self.app.go_to("recorder")

    def do_dispatch(self) -> None:
        self.app.go_to("dispatch")

    def do_store(self) -> None:
        self.app.go_to("store")

    def do_profiler(self) -> None:
        self.app.go_to("profiler")

    def do_counters(self) -> None:
        self.app.go_to("counters")

    def on_grid_table_columns_asked(self, message: GridTable.ColumnsAsked) -> None:
        table = message.table
        if table.table_name and table.source is not None:
            self.app.push_screen(ColumnChoice(table))
        else:
            self.app.say("the columns of this table stay as they are")

    def do_last_place(self) -> None:
        self.app.go_last()

    def do_target(self) -> None:
        self.app.choose_target()

    # places ---------------------------------------------------------------------------------------------------

    def do_go_to(self) -> None:
        ask_where_to(self._here)

    def do_jump(self) -> None:
        places = places_on(self._here)
        if places:
            self.app.push_screen(JumpScreen(self._here, places))
        else:
            self.app.say("there is nothing to jump to here")

    # dialogs --------------------------------------------------------------------------------------------------

    def do_bundle(self) -> None:
        ask_for_bundle(self._here)

    def do_watch(self) -> None:
        switch_watch(self._here)

    def do_call_handler(self) -> None:
        ask_for_handler(self._here)

    def do_unused_files(self) -> None:
        title, text = unused_text(self.app.session)
        self.app.push_screen(AnswerScreen(title, text, wrap=True))

    def do_doctor(self) -> None:
        self.app.push_screen(DoctorScreen())

    def do_dump_file(self) -> None:
        ask_for_dump_files(self._here)
