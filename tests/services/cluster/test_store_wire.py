from __future__ import annotations

import pytest

from xpudbg.services.cluster.store_wire import (
    Query,
    check_request,
    get_request,
    int64,
    multi_get_request,
    ping_request,
    uint64,
    validate_request,
)


def test_requests_byte_by_byte() -> None:
    assert validate_request() == bytes.fromhex("00cef7853c")
    assert ping_request(0x01020304) == bytes.fromhex("0d04030201")
    assert get_request(b"a") == bytes.fromhex("03 0200000000000000 2f61")
    assert check_request([b"a", b""]) == bytes.fromhex("05 0200000000000000 0200000000000000 2f61 0100000000000000 2f")
    assert multi_get_request([b"\xff"]) == bytes.fromhex("0a 0100000000000000 0200000000000000 2fff")


def test_numbers() -> None:
    assert uint64(b"\xff" * 8) == 2**64 - 1
    assert int64(b"\xff" * 8) == -1


def test_there_is_no_code_that_writes() -> None:
    assert {query.value for query in Query} == {0, 3, 5, 7, 10, 13, 17}


def test_a_key_that_no_store_accepts() -> None:
    with pytest.raises(ValueError, match="longest has 8,192"):
        get_request(b"x" * 8_193)
