"""One line of the tree of keys: as wide as it should be, whatever stands in it."""

from __future__ import annotations

import pytest
from rich.cells import cell_len
from rich.style import Style

from xpudbg.services.store_browse.key_tree import key_tree
from xpudbg.services.store_browse.values import StoreValue
from xpudbg.tui.widgets.store_label import StoreStyles, store_label

STYLES = StoreStyles(Style(), Style(), Style(), Style())
KEYS = sorted([b"debug_server/rank0", b"debug_server/rank1", "键/[/x]\x1b".encode(), b"long" * 60])


@pytest.mark.parametrize("width", [30, 44, 80, 200])
def test_lines_fit(width: int) -> None:
    for branch in key_tree(KEYS).children():
        for value in (
            None,
            StoreValue(branch.prefix, b"[bold]\x1b" * 90, 630, 1),
            StoreValue(branch.prefix, gone=True),
        ):
            line = store_label(branch, value, width, width // 3, STYLES)
            assert cell_len(line.plain) == width
            assert "\x1b" not in line.plain


def test_what_stands_in_them() -> None:
    branches = {branch.label: branch for branch in key_tree(KEYS).children()}
    servers = branches[b"debug_server/"]
    assert store_label(servers, None, 80, 30, STYLES).plain.split() == (
        ["debug_server/", "2", "keys", "addresses", "of", "debug", "servers"]
    )
    leaf = servers.children()[1]
    value = StoreValue(leaf.prefix, b"http://a:1", 10, 1)
    assert store_label(leaf, value, 60, 20, STYLES).plain.split() == ["rank1", "10", "B", "http://a:1"]
    assert store_label(leaf, None, 60, 20, STYLES).plain.split() == ["rank1", "…"]
    failed = StoreValue(leaf.prefix, error="refused", read_at=1)
    assert store_label(leaf, failed, 60, 20, STYLES).plain.split() == ["rank1", "?", "refused"]


def test_a_key_of_no_bytes_and_many_keys() -> None:
    (nameless,) = key_tree([b""]).children()
    assert "(empty name)" in store_label(nameless, StoreValue(b"", b"x", 1, 1), 60, 20, STYLES).plain
    (many,) = key_tree(sorted(b"many/%d" % number for number in range(100_000))).children()
    assert store_label(many, None, 60, 20, STYLES).plain.split() == ["many/", "100,000"]
