"""An intake into a spool of its own, as the tests ask for it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from xpudbg.services.artifacts.intake import LIMITS, Intake, take_in
from xpudbg.services.artifacts.limits import Limits
from xpudbg.services.spool import Spool

__all__ = ["reasons", "taken"]


@contextmanager
def taken(
    paths: Path | Sequence[Path], tmp_path: Path, *, recursive: bool = False, limits: Limits = LIMITS
) -> Iterator[Intake]:
    """What was found, as long as its spool is there; the spool lies in `tmp_path/spool`."""
    place = tmp_path / "spool"
    place.mkdir(exist_ok=True)
    spool = Spool(place)
    try:
        yield take_in([paths] if isinstance(paths, Path) else paths, recursive=recursive, spool=spool, limits=limits)
    finally:
        spool.close()
        assert list(place.iterdir()) == []


def reasons(intake: Intake, below: Path) -> dict[str, str]:
    """Why files were refused, by name relative to a folder."""
    return {refused.name.removeprefix(f"{below}/"): refused.reason for refused in intake.refused}
