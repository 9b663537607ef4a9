"""The limits' defaults are what holds without settings."""

from __future__ import annotations

from xpudbg.services.attach_options import AttachOptions
from xpudbg.services.cluster.lanes import FAST_SLOTS
from xpudbg.services.cluster.probes import RECORDERS
from xpudbg.services.dispatch.endpoint import DispatchSettings
from xpudbg.services.looks.book import ANALYSES_MEMORY, LOOKS_KEPT, LOOKS_MEMORY
from xpudbg.services.looks.disk import LOOKS_DISK
from xpudbg.services.settings.shape import Limits

MIB = 1024 * 1024


def test_what_is_not_set_is_as_without_settings() -> None:
    limits = Limits()
    assert (limits.timeout_s, limits.deadline_s) == (AttachOptions().timeout_s, DispatchSettings().deadline_s)
    assert (limits.parallel, limits.answer_mib * MIB) == (FAST_SLOTS, max(probe.max_bytes for probe in RECORDERS))
    assert (limits.looks, limits.looks_memory_mib * MIB) == (LOOKS_KEPT, LOOKS_MEMORY)
    assert (limits.analyses_memory_mib * MIB, limits.looks_disk_mib * MIB) == (ANALYSES_MEMORY, LOOKS_DISK)
