"""The source files that a spec needs, found by reading import statements; nothing is imported or run.

All functions read files: call them in a thread.
"""

from __future__ import annotations

import ast
import hashlib
import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ..plain_text import plain
from .errors import CaseError, DependencyMissingError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from .case import SpecSource

__all__ = ["SourceFile", "SpecModules"]

PACKAGE_FILES = 500
"""A package of more files is not sent whole, only the modules that are imported."""
SIZE_LIMIT = 64 << 20
"""Bytes of source that one spec may bring."""
WALK_LIMIT = 20_000
"""Folder entries looked at when a module is searched by its file name alone."""
_NONE: Mapping[str, Path] = {}
_SKIPPED = frozenset(("__pycache__", "site-packages", "dist-packages", "node_modules"))


@dataclass(frozen=True, slots=True)
class SourceFile:
    """One file to upload, as it is now."""

    path: str
    """Relative, with `/`: its module's place on the server."""
    file: Path
    content: bytes
    sha256: str
    """Hex."""


@dataclass(slots=True)
class SpecModules:
    """The modules of one spec: the file itself, its package, and what these import from the roots.

    Raises:
        CaseError: no such file, or one that can't be a module.
    """

    spec: SpecSource
    module: str = field(init=False)
    """Dotted name by which the server imports the spec."""
    roots: tuple[Path, ...] = field(init=False)
    """The folder that the spec's module name starts from, then the search roots."""
    _extra: dict[str, Path] = field(default_factory=dict)
    """Asked for by the server: path on the server to file."""

    def __post_init__(self) -> None:
        file = self.spec.file.absolute()
        label = plain(file.name, 80)
        if not _is_file(file):
            raise CaseError(f"spec {label}: there is no such file")
        if file.suffix != ".py":
            raise CaseError(f"spec {label}: not a .py file; a server takes no other")
        parts = [] if file.name == "__init__.py" else [file.stem]
        folder = file.parent
        if self.spec.module is not None:
            wanted = self.spec.module.split(".")
            ups = wanted[:-1] if parts else wanted
            for name in reversed(ups):
                if folder.name != name:
                    raise CaseError(f"spec {label}: it is not where a module {self.spec.module} would be")
                folder = folder.parent
            if parts and wanted[-1] != file.stem:
                raise CaseError(f"spec {label}: its module can't be called {self.spec.module}")
            self.module = self.spec.module
        else:
            while _is_file(folder / "__init__.py") and folder.parent != folder:
                parts.insert(0, folder.name)
                folder = folder.parent
            self.module = ".".join(parts)
        if not all(part.isidentifier() for part in self.module.split(".")):
            raise CaseError(f"spec {label}: {self.module!r} can't be imported; rename the file")
        self.roots = tuple(dict.fromkeys((folder, *(root.absolute() for root in self.spec.roots))))

    def files(self, known: Mapping[str, Path] = _NONE) -> dict[str, SourceFile]:
        """All files as they are now, by their path on the server.

        Args:
            known: what the server was sent before; those that are still there come along, whoever needs them.

        Raises:
            CaseError: a file can't be read or can't be sent, or they are too large together.
        """
        found: dict[str, SourceFile] = {}
        before = [(path, file) for path, file in known.items() if _is_file(file)]
        waiting: list[tuple[str, Path]] = [*before, *self._chain(self.module), *self._extra.items()]
        size = 0
        while waiting:
            path, file = waiting.pop()
            if path in found:
                continue
            source = _read(path, file)
            found[path] = source
            size += len(source.content)
            if size > SIZE_LIMIT:
                raise CaseError(
                    f"spec {plain(self.spec.file.name, 80)}: its modules are larger than {SIZE_LIMIT:,} bytes"
                )
            for name in _imports(source):
                waiting.extend(self._chain(name))
        return found

    def add_missing(self, name: str) -> None:
        """Add a module that the server asked for.

        Raises:
            DependencyMissingError: it is not under the roots, or not alone.
        """
        shown = plain(name, 200)
        if not all(part.isidentifier() for part in name.split(".")):
            raise DependencyMissingError(
                f"the server asks for a module called {shown!r}, which is no name", missing=name
            )
        chain = list(self._chain(name))
        if not chain:
            chain = self._by_file_name(name)
        self._extra.update(chain)

    def _chain(self, name: str) -> Iterator[tuple[str, Path]]:
        """Files of a dotted name under the first root that has its first part, packages on the way included."""
        parts = name.split(".")
        for root in self.roots:
            top = root / parts[0]
            if _is_file(root / f"{parts[0]}.py") and not _is_file(top / "__init__.py"):
                yield f"{parts[0]}.py", root / f"{parts[0]}.py"
                return
            if whole := _package(top):
                if len(whole) <= PACKAGE_FILES:
                    yield from ((_relative(file, root), file) for file in whole)
                    return
                yield from ((_relative(file, root), file) for file in _steps(root, parts))
                return

    def _by_file_name(self, name: str) -> list[tuple[str, Path]]:
        """A module somewhere under the roots, known by its file's name only."""
        shown = plain(name, 200)
        wanted = f"{name.rpartition('.')[2]}.py"
        found = sorted({file for root in self.roots for file in _walk(root, wanted)})
        if not found:
            raise DependencyMissingError(
                f"the server can't import {shown}, and no file of that name is under {_names(self.roots)}",
                missing=name,
                hint=f"a package that is not installed on the server? pip install it there, or give --root DIR "
                f"with the folder that holds {shown}",
            )
        if len(found) > 1:
            places = plain(", ".join(map(str, found[:4])), 400)
            raise DependencyMissingError(
                f"the server can't import {shown}, and {len(found)} files could be it: {places}",
                missing=name,
                hint="give --root DIR with the folder that holds the right one",
            )
        return [(name.replace(".", "/") + ".py", found[0])]


def _is_file(path: Path) -> bool:
    """Whether a file is there and can be; a name that no file can have is none."""
    try:
        return path.is_file()
    except OSError:
        return False


def _read(path: str, file: Path) -> SourceFile:
    if ".." in path:
        raise CaseError(f"spec module {plain(path, 200)}: a server refuses .. in a path; rename the file")
    try:
        if file.stat().st_size > SIZE_LIMIT:
            raise CaseError(f"spec module {plain(path, 200)}: larger than {SIZE_LIMIT:,} bytes")
        content = file.read_bytes()
    except OSError as error:
        raise CaseError(f"spec module {plain(path, 200)}: can't be read: {error.strerror}") from error
    return SourceFile(path, file, content, hashlib.sha256(content).hexdigest())


def _imports(source: SourceFile) -> set[str]:
    """Dotted names that a file imports, relative ones resolved; none of a file that is no Python."""
    try:
        tree = ast.parse(source.content)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return set()
    parts = source.path.removesuffix(".py").split("/")
    package = parts[:-1]
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            up = package[: len(package) - node.level + 1] if node.level else []
            if node.level > len(package):
                continue
            base = [*up, *(node.module.split(".") if node.module else [])]
            if base:
                names.add(".".join(base))
            names.update(".".join((*base, alias.name)) for alias in node.names if alias.name != "*")
    return names


def _package(top: Path) -> list[Path]:
    """Every .py file of a package's folder, sorted; one more than PACKAGE_FILES when there are more."""
    found: list[Path] = []
    for folder, folders, names in os.walk(top):
        folders[:] = sorted(name for name in folders if name not in _SKIPPED and not name.startswith("."))
        found.extend(top.__class__(folder, name) for name in sorted(names) if name.endswith(".py"))
        if len(found) > PACKAGE_FILES:
            return found[: PACKAGE_FILES + 1]
    return found


def _steps(root: Path, parts: Sequence[str]) -> Iterator[Path]:
    """`__init__.py` of each package on the way to a module, and the module."""
    folder = root
    for at, part in enumerate(parts):
        module = folder / f"{part}.py"
        folder = folder / part
        if _is_file(folder / "__init__.py"):
            yield folder / "__init__.py"
        elif at and _is_file(module):
            yield module
            return


def _walk(root: Path, wanted: str) -> Iterator[Path]:
    seen = 0
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(name for name in folders if name not in _SKIPPED and not name.startswith("."))
        seen += len(names) + len(folders)
        if wanted in names:
            yield root.__class__(folder, wanted)
        if seen > WALK_LIMIT:
            return


def _relative(file: Path, root: Path) -> str:
    return file.relative_to(root).as_posix()


def _names(roots: Sequence[Path]) -> str:
    return plain(", ".join(map(str, roots)), 400)
