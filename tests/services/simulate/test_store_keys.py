"""The keys of the simulated store."""

from __future__ import annotations

import json
import struct

from xpudbg.services.simulate.store_keys import StoreKeys


def test_a_rank_that_has_not_registered_has_no_key() -> None:
    keys = StoreKeys(["http://127.0.0.1:1000", None])
    assert keys[b"/debug_server/rank0"] == b"http://127.0.0.1:1000"
    assert b"/debug_server/rank1" not in keys


def test_the_launcher_has_written_the_world_size_for_each_node() -> None:
    keys = StoreKeys([None] * 20)
    assert [json.loads(keys[f"/none/torchelastic/assigned_ranks/{node}".encode()]) for node in range(3)] == [
        [0, 20, 0, 20],
        [8, 20, 8, 20],
        [16, 20, 16, 20],
    ]
    assert json.loads(keys[b"/none/torchelastic/role_info/2"]) == {
        "role": "default",
        "rank": 2,
        "local_world_size": 4,
    }


def test_every_member_of_the_group_has_left_a_binary_value() -> None:
    keys = StoreKeys([None] * 20)
    value = keys[b"/default_pg/0//cpu//0/19"]
    (length,) = struct.unpack_from("<Q", value)
    assert value[8 : 8 + length] == b"node-002"
    assert b"/default_pg/0//cpu//0/20" not in keys


def test_listing_and_counting_agree() -> None:
    keys = StoreKeys(["http://127.0.0.1:1000", None])
    listed = list(keys)
    assert len(listed) == len(set(listed)) == len(keys)
    assert all(key in keys and keys[key] for key in listed)
    assert keys[b"init/"] == b"2"
