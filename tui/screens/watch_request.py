"""Switches the watch over the job on and off: how long it may stand, how often to look, where files go."""

from __future__ import annotations

import math
import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ...services.plain_text import plain
from ...services.watch.folder import IncidentFolder
from ...services.watch.incident_watch import WatchOptions
from ...services.watch.policy import Rules
from ..suggesters.paths import PathSuggester
from .form_request import FormRequest, RefusedError, field

if TYPE_CHECKING:
    from collections.abc import Iterator

    from textual.widget import Widget

    from .job import JobScreen

__all__ = ["KEEP", "MAX_SIZE", "WatchRequest", "switch_watch"]

STALL_S = 60.0
EVERY_S = 10.0
KEEP = 50
"""Incident files that are kept in the folder."""
MAX_SIZE = 20 * 1024**3
"""Bytes that they may take together."""
LONGEST_S = 86_400.0
_TEXT = (
    "Looks at the job at an interval. When it stands still, a critical finding comes or ranks die, the terminal rings "
    "and a bundle of the newest looks goes into the folder; once more right before the watchdog's timeout strikes. The "
    f"newest {KEEP} files are kept, 20 GiB at most, and the first of each incident."
)


@dataclass(frozen=True, slots=True)
class _Wanted:
    options: WatchOptions
    folder: IncidentFolder | None


def switch_watch(screen: JobScreen) -> None:
    """Ask, and begin to watch; or end the watch that is under way."""
    app, attachment = screen.app, screen.app.attachment
    if attachment.watch is not None:
        attachment.end_watch()
        interval = f"looks go on every {attachment.refresh_s:g} s" if attachment.refresh_s else "no looks by themselves"
        app.say(f"not watching any more; {interval}")
        screen.show_all()
        return

    def go(wanted: _Wanted | None) -> None:
        if wanted is not None and attachment.session is of:
            attachment.begin_watch(wanted.options, wanted.folder)
            screen.show_all()

    of = attachment.session
    app.push_screen(WatchRequest(attachment.refresh_s or EVERY_S), go)


class WatchRequest(FormRequest[_Wanted]):
    """Seconds of a stall, seconds between looks, the folder."""

    BEGINS = "watch"

    def __init__(self, every_s: float) -> None:
        """
        Args:
            every_s: seconds between looks that are offered.
        """
        super().__init__("Watch", _TEXT)
        self._every_s = every_s

    def fields(self) -> Iterator[Widget]:
        yield field("watch-stall", "stall", f"{STALL_S:g}", "seconds in which nobody gets on", short=True)
        yield field("watch-every", "every", f"{self._every_s:g}", "seconds between looks", short=True)
        yield field("watch-folder", "folder", "incidents", "empty: no files", PathSuggester(("/",)))

    def read(self) -> _Wanted:
        stall_s = self._seconds("watch-stall", 1.0)
        every_s = self._seconds("watch-every", 0.5)
        folder = self._folder()
        return _Wanted(WatchOptions(Rules(stall_s=stall_s), every_s), folder)

    def _seconds(self, field_id: str, least: float) -> float:
        try:
            seconds = float(self.typed(field_id).removesuffix("s"))
        except ValueError:
            seconds = math.nan
        if not least <= seconds <= LONGEST_S:
            raise RefusedError(field_id, f"write seconds, from {least:g} to {LONGEST_S:,.0f}")
        return seconds

    def _folder(self) -> IncidentFolder | None:
        typed = self.typed("watch-folder")
        if not typed:
            return None
        try:
            return IncidentFolder(Path(os.path.expanduser(typed)), keep=KEEP, max_size=MAX_SIZE)
        except FileExistsError:
            raise RefusedError("watch-folder", f"{plain(typed)} is a file, no folder") from None
        except OSError as error:
            raise RefusedError("watch-folder", f"{plain(typed)}: {error.strerror or error}") from error
        except ValueError:
            raise RefusedError("watch-folder", "no folder can have such a name") from None
