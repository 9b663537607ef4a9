"""Hooks of MkDocs: what pages link to outside docs/ becomes part of the site.

Pages link to pictures and to files of the checkout as they lie, `../../screenshots/overview.svg`, so that the links
work in any viewer of the repository. A site holds docs/ alone: each linked file is taken in under the path that it has
in the checkout, README.md and its neighbours as pages under project/.
"""

from __future__ import annotations

import posixpath
import re
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files
    from mkdocs.structure.pages import Page

__all__ = ["PROJECT_PAGES", "fetched_from_outside", "on_files", "on_page_markdown", "on_post_page", "with_links"]

ROOT = Path(__file__).parents[1]

PROJECT_PAGES = {
    "README.md": "project/readme.md",
    "CONTRIBUTING.md": "project/contributing.md",
    "SECURITY.md": "project/security.md",
    "CHANGELOG.md": "project/changelog.md",
}
"""Documents of the top level, and what they are in the site."""

_LINK = re.compile(r"(\]\(|^\[[^\]\n]+\]:[ ])(?!\w+:|#|/)([^)#\s]+)", re.M)
_FENCE = re.compile(r"^(```.*?^```)$", re.M | re.S)
_FETCHED = re.compile(r"<(?:script|img|iframe|link)\b[^>]*\b(?:src|href)=[\"']?((?:https?:)?//[^\"'>\s]+)", re.I)


def with_links(markdown: str, page: str, take: Callable[[str], object]) -> str:
    """The text of a page, with links that hold in the site.

    Args:
        markdown: the text as it stands in the checkout.
        page: the page's path in the site's sources, `screens/overview.md`.
        take: called with the path, from the checkout's top, of each existing file outside docs/ that is linked.
    """
    documents = {place: name for name, place in PROJECT_PAGES.items()}
    folder = posixpath.dirname(documents.get(page) or f"docs/{page}")

    def linked(found: re.Match[str]) -> str:
        path = posixpath.normpath(posixpath.join(folder, found[2]))
        if path in PROJECT_PAGES:
            place = PROJECT_PAGES[path]
        elif path.startswith("docs/"):
            place = path.removeprefix("docs/")
        elif (ROOT / path).is_file() and not path.startswith("../"):
            take(path)
            place = path
        else:
            return found[0]
        return found[1] + posixpath.relpath(place, posixpath.dirname(page) or ".")

    pieces = _FENCE.split(markdown)
    return "".join(piece if piece.startswith("```") else _LINK.sub(linked, piece) for piece in pieces)


def fetched_from_outside(html: str) -> list[str]:
    """Addresses of what a browser would fetch from other servers to show a page; links to click are none."""
    return _FETCHED.findall(html)


def on_files(files: Files, *, config: MkDocsConfig) -> Files:
    """README.md and its neighbours as pages."""
    from mkdocs.structure.files import File

    for name, place in PROJECT_PAGES.items():
        files.append(File.generated(config, place, content=(ROOT / name).read_text(encoding="utf-8")))
    return files


def on_page_markdown(markdown: str, *, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Links of a page, and what they lead to."""
    from mkdocs.structure.files import File

    def take(path: str) -> None:
        if files.get_file_from_path(path) is None:
            files.append(File.generated(config, path, abs_src_path=str(ROOT / path)))

    return with_links(markdown, page.file.src_uri, take)


def on_post_page(output: str, *, page: Page, config: MkDocsConfig) -> str:  # noqa: ARG001 - its name is MkDocs'
    """Refuses a page that fetches something from elsewhere.

    Raises:
        mkdocs.exceptions.PluginError: a picture, script or style of the page lies on another server.
    """
    from mkdocs.exceptions import PluginError

    outside = fetched_from_outside(output)
    if outside:
        raise PluginError(
            f"{page.file.src_uri} fetches from outside: {', '.join(outside)}; take a file of the checkout"
        )
    return output
