"""Keys as a tree: every key once, numbers in order, lines that lead to one other only left out."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from xpudbg.services.store_browse.key_tree import KeyBranch, key_tree


def tree(*keys: str) -> KeyBranch:
    return key_tree(sorted(key.encode() for key in keys))


def drawn(branch: KeyBranch, depth: int = 0) -> list[str]:
    lines = []
    for child in branch.children():
        size = "" if child.leaf else f" ({len(child)})"
        lines.append(f"{'  ' * depth}{child.label.decode()}{size}")
        lines += drawn(child, depth + 1)
    return lines


def test_a_job_of_torchrun() -> None:
    keys = [f"debug_server/rank{rank}" for rank in (0, 1, 2, 10)]
    keys += ["default_pg/0//cpu//0/0", "default_pg/0//cpu//0/1", "default_pg/0//tp//cpu//0/0", "none/torchelastic/a/0"]
    assert drawn(tree(*keys, "alone")) == [
        "alone",
        "debug_server/ (4)",
        "  rank0",
        "  rank1",
        "  rank2",
        "  rank10",
        "default_pg/0// (3)",
        "  cpu//0/ (2)",
        "    0",
        "    1",
        "  tp//cpu//0/0",
        "none/torchelastic/a/0",
    ]


def test_odd_slashes() -> None:
    leaves = leaves_of(tree("/a", "/b", "a/", "a/b", "a//c", "//", ""))
    assert sorted(leaves) == sorted([b"/a", b"/b", b"a/", b"a/b", b"a//c", b"//", b""])


def leaves_of(branch: KeyBranch) -> list[bytes]:
    if branch.leaf:
        return [branch.prefix]
    return [leaf for child in branch.children() for leaf in leaves_of(child)]


@given(st.sets(st.text("a/0!", max_size=8).map(str.encode), max_size=30))
def test_every_key_is_there_once_below_what_it_begins_with(keys: set[bytes]) -> None:
    root = key_tree(sorted(keys))
    assert sorted(leaves_of(root)) == sorted(keys)

    def labels_make_up_the_key(branch: KeyBranch, said: bytes) -> None:
        assert branch.prefix == said + branch.label
        assert all(key.startswith(branch.prefix) for key in branch.keys[branch.begin : branch.end])
        for child in branch.children():
            labels_make_up_the_key(child, branch.prefix)

    labels_make_up_the_key(root, b"")


def test_no_keys() -> None:
    assert tree().children() == []
    assert len(tree()) == 0
