"""Names that stand for paths: torch's and Python's own files keep theirs below the import root, others get a number.

The analyses tell code of the runtime by these paths, so a redacted bundle gives the same verdict.
"""

from __future__ import annotations

import re
import sys

__all__ = ["PathNames"]

_SUFFIX = re.compile(r"\.[A-Za-z0-9]{1,6}$")
_SITE = re.compile(r"(?:^|/)((?:site|dist)-packages/(?:torch|torchcomms|torchgen|triton|functorch|numpy)/.*)$")
_TORCH = re.compile(
    r"(?:^|/)(torch/(?:(?:distributed|nn|autograd|optim|_dynamo|_inductor|_functorch|_higher_order_ops|_library|fx|cuda|"
    r"xpu|accelerator|amp|jit|multiprocessing|profiler|utils|csrc)/.*|"
    r"(?:__init__|_ops|_tensor|_utils|_compile|_classes|functional|hub|random|serialization|storage)\.py))$"
)
_STDLIB = re.compile(r"/((?:python3(?:\.\d+)?t?|Lib)/([A-Za-z0-9_]+)(?:/.*|\.py))$")
_KEPT = re.compile(r"/(?:dev|proc|sys)(?:/|$)|/handler(?:/|$)|<")
"""Paths that say nothing: of the kernel, of a worker server; and names of code that is in no file."""
_NO_MORE = r"\s\"'<>|:;,()\[\]{}\\`*"
_WITHIN = re.compile(
    rf"(?<![\w./~*-])(?:~[\w.-]*|[A-Za-z]:)?/(?!/)[^{_NO_MORE}]+|(?<![\w.:/~-])\.{{1,2}}/[^{_NO_MORE}]+"
)
_SLASHED = re.compile(rf"(?<![\w./:~-])(?=[^{_NO_MORE}]*[A-Za-z_])[^{_NO_MORE}=/]+/[^{_NO_MORE}]+")
_FILE = re.compile(
    rf"(?<![\w./~-])[^{_NO_MORE}=/]+(?:/[^{_NO_MORE}=/]+)*\.(?:py|pyx|pyc|so|cpp|cc|cu|cuh|hpp|h|c|ipynb|sh|ya?ml|toml|"
    r"json|pkl|pickle|pt|bin|log|txt)(?![\w])"
)
"""A file that is named without its root."""
_MADE_FOLDER = re.compile(r"/dir-[0-9]+")
_MADE_FILE = re.compile(r"file-[0-9]+(?:\.[A-Za-z0-9]{1,6})?")
_LIBRARY = re.compile(
    r"(?:lib(?:torch|c10|nccl|rccl|hccl|cuda|cudart|cublas|cudnn|gloo|python|stdc\+\+|pthread|gomp|gcc_s|c|m|dl)(?:[_.-][\w.+-]*)?"
    r"\.so|ld-linux[\w-]*\.so)(?:\.[0-9]+)*"
)
"""Libraries by whose names native frames are told."""
_WHOLE = re.compile(r"(?:~[\w.-]*|[A-Za-z]:)?[/\\][^\n]*|\.{1,2}/[^\n]*")


class PathNames:
    """The same folder has the same name, the same file too."""

    def __init__(self) -> None:
        self._folders: dict[str, str] = {}
        self._files: dict[str, str] = {}

    @staticmethod
    def is_path(text: str) -> bool:
        """Whether a whole text is a path from the root, blanks in it or not."""
        return len(text) <= 4_096 and _WHOLE.fullmatch(text) is not None and not text.startswith("//")

    def name(self, path: str) -> str:
        """What stands for a whole path."""
        path = path.replace("\\", "/")
        if not path or _KEPT.match(path):
            return path
        for marker in (_SITE, _TORCH):
            if found := marker.search(path):
                return self._below(path[: found.start(1)], found[1])
        rooted = path.startswith(("/", "~")) or path[1:3] == ":/"
        if rooted and (found := _STDLIB.search(path)) and found[2] in sys.stdlib_module_names:
            return self._below(path[: found.start(1)], found[1])
        first = path.partition("/")[0]
        if not rooted and first.removesuffix(".py") in sys.stdlib_module_names:
            return path
        folder, slash, file = path.rpartition("/")
        if not file:
            return self._folder(folder) + "/" if folder else path
        return (self._folder(folder) if folder else "") + slash + self._file(file)

    def within(self, text: str, *, any_slash: bool = False) -> str:
        """A text with the paths in it replaced.

        Args:
            any_slash: whatever has a slash in it is a path, `runs/job-1` too; else only what begins at a root, and
                names of files.
        """
        if "/" in text:
            text = _WITHIN.sub(lambda match: self._found(match[0]), text)
            if any_slash:
                text = _SLASHED.sub(lambda match: self._found(match[0]), text)
        return _FILE.sub(lambda match: self._named(match[0]), text) if "." in text else text

    def _found(self, path: str) -> str:
        end = len(path.rstrip(".!?"))
        return self.name(path[:end]) + path[end:] if end > 1 else path

    def _named(self, path: str) -> str:
        return path if _LIBRARY.fullmatch(path) else self.name(path)

    def _below(self, root: str, rest: str) -> str:
        root = root.rstrip("/")
        if not root.strip("./"):
            return f"{root}/{rest}" if root else rest
        return f"{self._folder(root)}/{rest}"

    def _folder(self, folder: str) -> str:
        if _MADE_FOLDER.fullmatch(folder):  # the text has been gone through before
            return folder
        return self._folders.setdefault(folder, f"/dir-{len(self._folders) + 1}")

    def _file(self, file: str) -> str:
        if _MADE_FILE.fullmatch(file) or _LIBRARY.fullmatch(file):
            return file
        suffix = _SUFFIX.search(file)
        return self._files.setdefault(file, f"file-{len(self._files) + 1}{suffix[0] if suffix else ''}")
