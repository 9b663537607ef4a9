"""What keys are for, by their names alone."""

from __future__ import annotations

import pytest

from xpudbg.services.store_browse.purposes import branch_purpose, key_purpose


@pytest.mark.parametrize(
    ("key", "part"),
    [
        (b"debug_server/rank12", "address of rank 12's debug server"),
        (b"attempt_2/debug_server/rank0", "address of rank 0's debug server"),
        (b"none/torchelastic/assigned_ranks/3", "world size of node 3"),
        (b"none/torchelastic/role_info/0", "processes of node 0"),
        (b"none/torchelastic/agent/terminal_state/num_members", "barrier at the end"),
        (b"torch.rendezvous.job.0/MASTER_ADDR", "MASTER_ADDR"),
        (b"torch.rendezvous.job", "never loaded"),
        (b"MASTER_PORT", "MASTER_PORT"),
        (b"default_pg/0//cpu//0/7", "where rank 7 is reached"),
        (b"default_pg/0//tp//cpu//0/1", "member of group tp"),
        (b"default_pg/0//cuda//0", "unique id of communicator 0"),
        (b"default_pg/0//cuda//0:1", "pair 0:1"),
        (b"default_pg/0//cuda//timeout_dump", "watchdog"),
        (b"store_based_barrier_key:2", "group 2 is made"),
        (b"store_based_barrier_key:2:last_worker", "last rank"),
        (b"my/barrier/num_members", "how many have come"),
        (b"default_pg/0//strange", "of a process group"),
    ],
    ids=lambda given: given.decode() if isinstance(given, bytes) else "",
)
def test_known_names(key: bytes, part: str) -> None:
    assert part in key_purpose(key)


@pytest.mark.parametrize("key", [b"", b"loss", b"debug_server/rankx", b"x" * 100_000, b"\xff\x00"], ids=range(5))
def test_other_names_say_nothing(key: bytes) -> None:
    assert key_purpose(key) == ""


def test_a_branch_is_for_something_when_its_ends_are_for_the_same() -> None:
    assert branch_purpose(b"debug_server/rank0", b"debug_server/rank9") == "addresses of debug servers"
    assert branch_purpose(b"debug_server/rank0", b"default_pg/0//cuda//0") == ""
    assert branch_purpose(b"a", b"b") == ""
