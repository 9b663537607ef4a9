"""What is known of bundles that are being written."""

from __future__ import annotations

from pathlib import Path

from xpudbg.services.bundle.events import BundleFailed, BundleProgress, BundleWritten, FolderRotated
from xpudbg.services.bundle.shown import BundlesShown

A, B = Path("a.xpudbg"), Path("b.xpudbg")


def test_one_after_the_other() -> None:
    shown = BundlesShown()
    shown.ordered(A)
    shown.ordered(B)
    assert [shown.under_way, shown.progress] == [[A, B], None]
    shown.apply(BundleProgress(A, 1, 2))
    assert shown.progress == BundleProgress(A, 1, 2)
    written, failed = BundleWritten(A, 10, 1, 2), BundleFailed(B, "the disk is full")
    shown.apply(written)
    assert [shown.under_way, shown.progress] == [[B], None]
    shown.apply(failed)
    assert shown.under_way == []
    assert shown.new_ends() == [written, failed]
    assert shown.new_ends() == []


def test_each_change_is_a_new_revision() -> None:
    shown = BundlesShown()
    seen = [shown.revision]
    shown.ordered(A)
    seen.append(shown.revision)
    for event in (BundleProgress(A, 1, 2), BundleWritten(A, 10, 1, 2), FolderRotated(Path("incidents"))):
        shown.apply(event)
        seen.append(shown.revision)
    assert seen == sorted(set(seen))
