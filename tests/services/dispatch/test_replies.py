"""Replies of a run, checked against themselves."""

from __future__ import annotations

import json
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from tests.fakes.op_servers import npz
from xpudbg.services.dispatch.case import Mode
from xpudbg.services.dispatch.errors import BadReplyError
from xpudbg.services.dispatch.replies import Output, Perf, ReplyReader, RunReply

x = np.arange(6, dtype=np.float32).reshape(2, 3)


def read(schema: list[Any], *arrays: np.ndarray, mode: int = 1, body: bytes | None = None, **headers: Any) -> RunReply:
    made = {"x-output-count": str(len(schema)), "x-output-schema": json.dumps(schema)}
    made |= {name.replace("_", "-"): text for name, text in headers.items()}
    reader = ReplyReader({name: text for name, text in made.items() if text != "-"}, Mode(mode))
    reader.feed(npz(*arrays) if body is None else body)
    return reader.finish()


def only(reply: RunReply) -> Output:
    (output,) = reply.outputs
    assert isinstance(output, Output)
    return output


def test_slots_lists_and_none() -> None:
    reply = read(
        [{"index": 0, "dtype": "float32"}, {"index": None, "dtype": None}, {"indices": [1, 2], "dtype": "int64"}],
        x,
        np.arange(3),
        np.arange(2),
        x_api="torch.something",
        x_output_shapes="[[2,3],[3],[2]]",
    )
    first, nothing, many = reply.outputs
    assert isinstance(first, Output)
    assert isinstance(many, tuple)
    assert np.array_equal(first.array, x)
    assert nothing is None
    assert [output.array.tolist() for output in many] == [[0, 1, 2], [0, 1]]
    assert reply.api == "torch.something"


@pytest.mark.parametrize(
    ("dtype", "wire", "seen"),
    [
        ("bfloat16", np.array([0x3F80], np.int16), "bfloat16"),
        ("float8_e4m3fn", np.array([0x38], np.uint8), "float8_e4m3fn"),
        ("float8_e8m0fnu", np.array([0x7F], np.uint8), "float8_e8m0fnu"),
        ("float8_e8m0", np.array([0x7F], np.uint8), "float8_e8m0fnu"),
    ],
)
def test_bits_are_seen_as_what_they_are(dtype: str, wire: np.ndarray, seen: str) -> None:
    output = only(read([{"index": 0, "dtype": dtype}], wire))
    assert output.dtype == seen
    assert output.array.astype(np.float32).tolist() == [1.0]


def test_complex32_stays_pairs() -> None:
    output = only(read([{"index": 0, "dtype": "complex32"}], np.ones((3, 2), np.float16)))
    assert (output.dtype, output.array.shape) == ("complex32", (3, 2))


def test_an_unknown_dtype_stays_raw_and_is_said() -> None:
    reply = read([{"index": 0, "dtype": "hifloat8\x1b"}], np.zeros(2, np.uint8))
    assert only(reply).dtype == "hifloat8\\x1b"
    assert "not known here" in reply.notes[0]


def test_two_raw_bytes_without_a_name_are_not_guessed() -> None:
    reply = read([{"index": 0, "dtype": None}], np.ones(2, ml_dtypes.bfloat16))
    assert only(reply).array.dtype.kind == "V"
    assert "2-byte raw, dtype unknown" in reply.notes[0]


def test_the_dtype_of_a_list_is_its_last_ones() -> None:
    reply = read([{"indices": [0, 1], "dtype": "bfloat16"}], x, np.array([0x3F80], np.int16))
    (many,) = reply.outputs
    assert isinstance(many, tuple)
    assert [output.dtype for output in many] == ["float32", "bfloat16"]


def test_older_servers_send_dtypes() -> None:
    reply = read([{}, {}], x, x, x_output_schema="-", x_output_dtypes='["float32", "float32"]')
    assert len(reply.outputs) == 2


def test_an_empty_list_of_outputs() -> None:
    assert read([]).outputs == ()


def test_perf_only_has_no_arrays() -> None:
    reply = read([], mode=2, body=b"", x_perf='{"device_us": 12.5, "peak_memory_mb": "NA"}', x_output_schema="-")
    assert (reply.outputs, reply.perf, reply.notes) == ((), Perf(12.5, None), ())


@pytest.mark.parametrize("text", ["nonsense", "[]", '{"device_us": -1}', '{"device_us": true}', "{}", "[" * 5000])
def test_perf_that_is_none_does_not_lose_the_outputs(text: str) -> None:
    reply = read([{"index": 0, "dtype": "float32"}], x, mode=3, x_perf=text)
    assert only(reply).array.shape == (2, 3)
    assert reply.notes


@pytest.mark.parametrize(
    ("schema", "arrays", "headers", "says"),
    [
        ([{"index": 0, "dtype": "float32"}], [x, x], {}, "the archive has 2"),
        ([{"index": 0, "dtype": "float32"}], [], {}, "the archive has 0"),
        ([{"index": 1, "dtype": "float32"}], [x, x], {}, "leaves some out"),
        ([{"index": 0}, {"index": 0}], [x], {}, "twice"),
        ([{"index": 0, "dtype": "int64"}], [x], {}, "said to be int64, but holds float32"),
        ([{"index": 0, "dtype": "bfloat16"}], [x], {}, "said to be bfloat16"),
        ([{"index": 0}], [x], {"x_output_shapes": "[[3,2]]"}, "differ"),
        ([{"index": 0}], [x], {"x_output_count": "2"}, "says 2 outputs, the schema has 1"),
        ([{"index": 0}], [x], {"x_output_count": "-"}, "no op server"),
        ([{"index": 0}], [x], {"x_output_count": "1e3"}, "not a number"),
        ([{"index": 0}], [x], {"x_output_schema": "-"}, "in no header"),
        ([{"index": 0}], [x], {"x_output_schema": "{]"}, "X-Output-Schema can't be read"),
        ([{"index": 0}], [x], {"x_output_shapes": "7"}, "X-Output-Shapes can't be read"),
    ],
)
def test_replies_that_contradict_themselves(
    schema: list[Any], arrays: list[np.ndarray], headers: dict[str, Any], says: str
) -> None:
    with pytest.raises(BadReplyError, match=says):
        read(schema, *arrays, **headers)


@pytest.mark.parametrize(
    "body",
    [b"", b"<html>log in</html>", npz(x)[:-30], npz(x)[: len(npz(x)) // 2], npz(np.array([{}], dtype=object))],
    ids=["empty", "page", "no end", "half", "pickle"],
)
def test_bodies_that_are_no_archive(body: bytes) -> None:
    with pytest.raises(BadReplyError, match="outputs can't be read"):
        read([{"index": 0, "dtype": "float32"}], body=body)
