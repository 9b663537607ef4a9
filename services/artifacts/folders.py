"""Files on disk: found in one pass over each folder, opened without ever waiting, and never written to."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path
from typing import TYPE_CHECKING

from ..plain_text import plain
from ..spool import Body
from .archives import HEAD, archive_form, looks_usable, may_matter
from .artifact import Artifact, Refused
from .content import open_regular
from .member_store import FoundFile
from .members import special_kind

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from .archives import Unpacker
    from .limits import Limits

__all__ = ["FileFinder"]

_PATH_LIMIT = 8_192
"""Characters of a path as it is shown; systems end at 4,096 bytes."""
_TELL_EACH = 1_000


class FileFinder:
    """Collects files. What can't be used is refused, never raised."""

    def __init__(
        self,
        unpacker: Unpacker,
        limits: Limits,
        refuse: Callable[[Refused], None],
        note: Callable[[str], None],
        told: Callable[[str], None],
        *,
        recursive: bool,
    ) -> None:
        self.found: list[FoundFile] = []
        self._unpacker = unpacker
        self._limits = limits
        self._refuse = refuse
        self._note = note
        self._told = told
        self._recursive = recursive
        self._base: Path | None = None
        """The one folder that was given: its files are shown by their path within it."""
        self._seen: set[str] = set()
        self._files = 0
        self._folders: set[tuple[int, int]] = set()
        """Device and number of the folders that were gone through."""

    def all_of(self, paths: Sequence[Path]) -> list[Path]:
        """Take the files and folders that were given; those that don't exist are given back."""
        if len(paths) == 1:
            self._base = paths[0]
        return [path for path in paths if not self._path(path)]

    def _path(self, path: Path) -> bool:
        try:
            status = path.stat()
        except (FileNotFoundError, NotADirectoryError):
            if not os.path.lexists(path):
                return False
            self._link(path)
            return True
        except (OSError, ValueError) as error:
            self._refused(path, _reason(error), partial=True)
            return True
        if stat.S_ISDIR(status.st_mode):
            self._folder(path)
        elif stat.S_ISREG(status.st_mode):
            self._file(path)
        else:
            self._refused(path, f"{special_kind(status.st_mode) or 'not a regular file'}; not opened")
        return True

    def gone(self, path: Path) -> None:
        """Say that a path that was given does not exist."""
        self._refused(path, "does not exist", partial=True)

    def _folder(self, top: Path) -> None:
        """A folder means its own files; those of its sub-folders when asked for, or when it has none of use itself."""
        waiting = [(top, 0)]
        while waiting:
            folder, depth = waiting.pop()
            try:
                with os.scandir(folder) as listing:
                    status = os.stat(folder)
                    entries = sorted(listing, key=lambda entry: entry.name)
            except OSError as error:
                self._refused(folder, f"the folder cannot be listed: {error.strerror or error}", partial=True)
                continue
            if (status.st_dev, status.st_ino) in self._folders:
                continue
            self._folders.add((status.st_dev, status.st_ino))
            subfolders: list[Path] = []
            own = False
            for entry in entries:
                if self._files >= self._limits.files:
                    self._refused(
                        top, f"more than {self._limits.files:,} files; the rest is not looked at", partial=True
                    )
                    return
                try:
                    own |= self._entry(entry, subfolders)
                except OSError as error:
                    self._refused(Path(entry.path), _reason(error), partial=True)
            if subfolders and (self._recursive or not own):
                if depth >= self._limits.depth:
                    self._refused(
                        folder, f"more than {self._limits.depth} folders deep; not gone through", partial=True
                    )
                else:
                    waiting += [(one, depth + 1) for one in reversed(subfolders)]
            elif subfolders:
                count = f"{len(subfolders):,} sub-folder{'s' if len(subfolders) > 1 else ''}"
                where = "" if folder == self._base else f"{self._shown(folder)}: "
                self._note(f"{where}{count} left aside, since the folder has files itself (-r takes them too)")

    def _entry(self, entry: os.DirEntry[str], subfolders: list[Path]) -> bool:
        """Take an entry of a folder; True when it is of use by its name or its first bytes."""
        path = Path(entry.path)
        if entry.is_dir(follow_symlinks=False):
            subfolders.append(path)
            return False
        self._files += 1
        if not self._files % _TELL_EACH:
            self._told(f"{self._files:,} files found")
        if entry.name.startswith("."):
            self._refused(path, "a hidden file", partial=False)
        elif entry.is_symlink():
            return self._link(path)
        elif entry.is_file(follow_symlinks=False):
            return self._file(path)
        else:
            kind = special_kind(entry.stat(follow_symlinks=False).st_mode) or "not a regular file"
            self._refused(path, f"{kind}; not opened")
        return False

    def _link(self, path: Path) -> bool:
        try:
            mode = os.stat(path).st_mode
        except OSError as error:
            why = {errno.ENOENT: "a link to nothing", errno.ELOOP: "a link that leads in a circle"}
            self._refused(path, why.get(error.errno or 0, f"a link that cannot be followed: {error.strerror}"))
            return False
        if stat.S_ISREG(mode):
            return self._file(path)
        if stat.S_ISDIR(mode):
            self._refused(path, "a link to a folder; not followed", partial=False)
        else:
            self._refused(path, f"a link to {special_kind(mode) or 'something that is no file'}; not opened")
        return False

    def _file(self, path: Path) -> bool:
        key = os.path.abspath(path)
        if key in self._seen:
            return False
        self._seen.add(key)
        try:
            file, status = open_regular(path)
        except (OSError, ValueError) as error:
            self._refused(path, _reason(error), partial=True)
            return False
        with file:
            name = self._shown(path)
            try:
                head = file.read(min(HEAD, status.st_size))
                form = archive_form(head)
                if form is not None:
                    file.seek(0)
                    folder = self._unpacker.unpack(name, file, status.st_size, form, status.st_mtime_ns, path)
                    chosen, left_aside = folder.chosen(recursive=self._recursive)
                    if left_aside:
                        self._note(f"{name}: {left_aside:,} files in sub-folders left aside (-r takes them too)")
                    self.found += chosen
                    return any(one.usable for one in chosen)
            except OSError as error:
                self._refused(path, _reason(error), partial=True)
                return False
        body = Body(size=status.st_size, path=path)
        usable = looks_usable(path.name, head, whole=status.st_size <= HEAD)
        self.found.append(FoundFile(Artifact(name, body, status.st_mtime_ns, path), usable))
        return usable

    def _refused(self, path: Path, reason: str, *, partial: bool | None = None) -> None:
        self._refuse(Refused(self._shown(path), reason, may_matter(path.name) if partial is None else partial))

    def _shown(self, path: Path) -> str:
        if self._base is not None and self._base in path.parents:
            path = path.relative_to(self._base)
        return plain(str(path), _PATH_LIMIT)


def _reason(error: Exception) -> str:
    if isinstance(error, FileNotFoundError):
        return "gone since it was found"
    if isinstance(error, OSError):
        return f"cannot be read: {error.strerror or error}"
    return f"cannot be read: {plain(str(error), 160)}"
