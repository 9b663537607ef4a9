"""The site: each page stands in its list once, links out of docs/ hold in it, nothing is fetched from elsewhere."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from docs.site_hook import PROJECT_PAGES, fetched_from_outside, with_links

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"


def settings() -> dict[str, Any]:
    loaded: dict[str, Any] = yaml.safe_load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"))
    return loaded


def pages_of(nav: list[Any]) -> list[str]:
    """The pages of a part of the list, in order."""
    found: list[str] = []
    for entry in nav:
        place = next(iter(entry.values())) if isinstance(entry, dict) else entry
        found += pages_of(place) if isinstance(place, list) else [place]
    return found


def test_each_page_stands_in_the_list_once() -> None:
    there = {path.relative_to(DOCS).as_posix() for path in DOCS.rglob("*.md")} | set(PROJECT_PAGES.values())
    listed = pages_of(settings()["nav"])
    assert sorted(listed) == sorted(there)


def test_the_entry_page_leads_to_each_page() -> None:
    text = (DOCS / "index.md").read_text(encoding="utf-8")
    linked = set(re.findall(r"\]\(([a-z/-]+\.md)", text))
    wanted = {page for page in pages_of(settings()["nav"]) if page != "index.md" and not page.startswith("project/")}
    assert wanted - linked == set()


def test_a_link_that_leads_nowhere_ends_the_build() -> None:
    made = settings()
    assert made["strict"] is True
    kinds = {name: what for part in made["validation"].values() for name, what in part.items()}
    assert {name for name, what in kinds.items() if what != "warn"} == set()
    assert {"not_found", "anchors", "omitted_files"} <= set(kinds)
    build = re.search(r"^docs:.*\n\t(.*)$", (ROOT / "Makefile").read_text(encoding="utf-8"), re.M)
    assert build
    assert "--strict" in build[1]
    assert "--quiet" not in build[1]  # what is not logged counts for nothing


def test_the_site_has_no_font_of_another_server() -> None:
    assert settings()["theme"]["font"] is False


@pytest.mark.parametrize(
    ("page", "link", "in_the_site", "taken"),
    [
        ("screens/ranks.md", "../../screenshots/ranks.svg", "../screenshots/ranks.svg", ["screenshots/ranks.svg"]),
        ("keys.md", "../screenshots/ranks.svg", "screenshots/ranks.svg", ["screenshots/ranks.svg"]),
        ("index.md", "../README.md", "project/readme.md", []),
        ("tasks/extend.md", "../../CONTRIBUTING.md#add-a-screen", "../project/contributing.md#add-a-screen", []),
        ("tasks/slow.md", "../doctor.md#json", "../doctor.md#json", []),
        ("project/readme.md", "docs/watch.md", "../watch.md", []),
        ("project/readme.md", "SECURITY.md", "security.md", []),
        ("project/readme.md", "LICENSE", "../LICENSE", ["LICENSE"]),
        ("index.md", "../screenshots/absent.svg", "../screenshots/absent.svg", []),
        ("index.md", "../../outside.svg", "../../outside.svg", []),
        ("index.md", "https://a.org/README.md", "https://a.org/README.md", []),
        ("index.md", "#reference", "#reference", []),
    ],
)
def test_links_hold_in_the_site(page: str, link: str, in_the_site: str, taken: list[str]) -> None:
    took: list[str] = []
    assert with_links(f"a [b]({link}) c", page, took.append) == f"a [b]({in_the_site}) c"
    assert took == taken


def test_links_by_number_hold_and_code_stays() -> None:
    text = "[1]: ../README.md\n\n```sh\n[a](../README.md)\n```\n"
    took: list[str] = []
    assert with_links(text, "index.md", took.append) == "[1]: project/readme.md\n\n```sh\n[a](../README.md)\n```\n"


@pytest.mark.parametrize(
    ("html", "outside"),
    [
        ('<img src="https://a.org/x.svg">', ["https://a.org/x.svg"]),
        ('<script async src="//a.org/x.js"></script>', ["//a.org/x.js"]),
        ('<link rel="stylesheet" href="https://a.org/x.css">', ["https://a.org/x.css"]),
        ('<a href="https://a.org/">read</a>', []),
        ('<img src="../screenshots/x.svg"><script src="a.js"></script>', []),
    ],
)
def test_what_a_page_fetches_is_seen(html: str, outside: list[str]) -> None:
    assert fetched_from_outside(html) == outside


def test_the_architecture_names_files_that_exist() -> None:
    text = (DOCS / "architecture.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`((?:services|tui|tests|docs|accuracy)/[\w/.]*)`", text)) | {"README.md", "SECURITY.md"}
    assert len(named) > 30
    assert {name for name in named if not (ROOT / name).exists()} == set()


def test_the_diagram_names_folders_and_files_that_exist() -> None:
    text = (DOCS / "architecture.svg").read_text(encoding="utf-8")
    said = " ".join(re.findall(r"<text[^>]*>([^<]*)<", text))
    named = set(re.findall(r"\b[a-z_]+(?:/|\.py)", said))
    named -= {"tui/"}
    assert len(named) > 10
    assert {name for name in named if not (ROOT / "services" / name).exists()} == set()
    assert "http" not in text.replace('xmlns="http://www.w3.org/2000/svg"', "")
