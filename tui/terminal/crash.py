"""What is left of a defect that ends the program: its trace in a file, without values, and two lines to read."""

from __future__ import annotations

import traceback
from typing import TYPE_CHECKING, Final

from ...services.logs import logger
from ...services.plain_text import plain, plain_lines
from ...services.version import __version__

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["FILE_NAME", "crash_message", "write_crash"]

FILE_NAME: Final = "crash.txt"


def write_crash(error: BaseException, folder: Path | None = None) -> Path | None:
    """Write the trace of `error` in place of an earlier one.

    Args:
        folder: where to; the user's folder for logs when None.

    Returns:
        The file; None when it cannot be written.
    """
    trace = plain_lines("".join(traceback.format_exception(error)))
    logger(__name__).critical("a defect ended the screens\n%s", trace)
    try:
        path = (folder or _log_folder()) / FILE_NAME
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"xpudbg {__version__}\n{trace}", encoding="utf-8")
    except (OSError, RuntimeError):  # a full disk, or no home folder
        return None
    return path


def crash_message(error: BaseException, path: Path | None) -> str:
    """What is said on the terminal."""
    said = plain(f"{type(error).__name__}: {error}", 300)
    where = f"The trace is in {plain(str(path))}." if path is not None else "The trace could not be written to a file."
    return f"xpudbg ended because of a defect of its own: {said}\n{where} Please report it."


def _log_folder() -> Path:
    import platformdirs

    return platformdirs.user_log_path("xpudbg", appauthor=False)
