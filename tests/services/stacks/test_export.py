"""Round trips through readers of the two formats that are written here from their published facts."""

from __future__ import annotations

import json

import jsonschema
from hypothesis import given
from hypothesis import strategies as st

from xpudbg.services.stacks.export import SPEEDSCOPE_SCHEMA, to_collapsed, to_speedscope
from xpudbg.services.stacks.model import Frame
from xpudbg.services.stacks.tree import MergedStacks, merge

from .building import ALL_REDUCE, LOADER, dump, main, thread
from .test_tree import hostile

# The sampled form of the format: jlfwong/speedscope, file-format-spec.ts.
SAMPLED = {
    "type": "object",
    "required": ["version", "$schema", "shared", "profiles"],
    "properties": {
        "$schema": {"const": SPEEDSCOPE_SCHEMA},
        "version": {"type": "string"},
        "exporter": {"type": "string"},
        "name": {"type": "string"},
        "activeProfileIndex": {"type": "integer", "minimum": 0},
        "shared": {
            "type": "object",
            "required": ["frames"],
            "properties": {
                "frames": {
                    "type": "array",
                    "items": {
                        "type": "object",
                        "required": ["name"],
                        "additionalProperties": False,
                        "properties": {
                            "name": {"type": "string"},
                            "file": {"type": "string"},
                            "line": {"type": "number"},
                            "col": {"type": "number"},
                        },
                    },
                }
            },
        },
        "profiles": {
            "type": "array",
            "minItems": 1,
            "items": {
                "type": "object",
                "required": ["type", "name", "unit", "startValue", "endValue", "samples", "weights"],
                "additionalProperties": False,
                "properties": {
                    "type": {"const": "sampled"},
                    "name": {"type": "string"},
                    "unit": {"enum": ["none", "nanoseconds", "microseconds", "milliseconds", "seconds", "bytes"]},
                    "startValue": {"type": "number"},
                    "endValue": {"type": "number"},
                    "samples": {
                        "type": "array",
                        "items": {"type": "array", "items": {"type": "integer", "minimum": 0}},
                    },
                    "weights": {"type": "array", "items": {"type": "number"}},
                },
            },
        },
    },
}

any_text = st.text(st.characters(), max_size=20)
some_frames = st.builds(Frame, any_text, any_text, st.none() | st.integers(0, 10**6))
jobs = st.dictionaries(st.integers(0, 9), st.lists(some_frames, min_size=1, max_size=5).map(tuple), max_size=6)


def merged_of(job: dict[int, tuple[Frame, ...]]) -> MergedStacks:
    return merge({rank: dump(thread(frames=frames)) for rank, frames in job.items()}, show_boring=True)


@given(jobs)
def test_speedscope_keeps_every_stack_and_its_number_of_ranks(job: dict[int, tuple[Frame, ...]]) -> None:
    merged = merged_of(job)
    data = to_speedscope(merged, "job [x] \x1b")
    assert data.isascii()
    document = json.loads(data)
    jsonschema.validate(document, SAMPLED)
    (profile,) = document["profiles"]
    assert len(profile["samples"]) == len(profile["weights"])
    assert profile["endValue"] == sum(profile["weights"]) == len(job)
    frames = [Frame(one["name"], one.get("file", ""), one.get("line")) for one in document["shared"]["frames"]]
    assert len(set(frames)) == len(frames)
    read = {
        tuple(frames[index] for index in reversed(sample)): weight
        for sample, weight in zip(profile["samples"], profile["weights"], strict=True)
    }
    assert read == {one.frames: len(one.ranks) for one in merged.classes}


@given(jobs)
def test_collapsed_stacks_keep_depth_order_and_counts(job: dict[int, tuple[Frame, ...]]) -> None:
    merged = merged_of(job)
    text = to_collapsed(merged)
    lines = text.split("\n")
    assert lines.pop() == ""
    assert len(lines) == len(merged.classes)
    for line, one in zip(lines, merged.classes, strict=True):
        stack, _, count = line.rpartition(" ")
        assert int(count) == len(one.ranks)
        assert len(stack.split(";")) == len(one.frames)
        assert all(char == " " or char.isprintable() for char in line)


def test_a_collapsed_line_reads_as_usual() -> None:
    merged = merge({0: main(*ALL_REDUCE), 1: main(*ALL_REDUCE), 2: main(*LOADER)})
    torch = "/venv/lib/python3.11/site-packages/torch"
    assert to_collapsed(merged) == (
        "<module> (/job/train.py:300);batches (/job/train.py:200);read (/job/data/loader.py:88) 1\n"
        "<module> (/job/train.py:300);train_step (/job/train.py:211);"
        f"all_reduce ({torch}/distributed/distributed_c10d.py:3252) 2\n"
    )


def test_hostile_text_is_data_in_both() -> None:
    merged = merge({0: dump(thread(frames=hostile()))})
    names = [one["name"] for one in json.loads(to_speedscope(merged, "x"))["shared"]["frames"]]
    assert names == [frame.function for frame in reversed(hostile())]
    (line,) = to_collapsed(merged).splitlines()
    assert "\\x1b[2J" in line
    assert "\\u202e" in line
    assert "[/rank0]" in line
    assert line.count(";") == len(hostile()) - 1


def test_native_frames_name_their_library() -> None:
    merged = merge({0: dump(thread(frames=(Frame("ncclGroupEnd", library="libnccl.so.2"),)))})
    assert json.loads(to_speedscope(merged, "x"))["shared"]["frames"] == [
        {"name": "ncclGroupEnd", "file": "libnccl.so.2"}
    ]
    assert to_collapsed(merged) == "ncclGroupEnd (libnccl.so.2) 1\n"


def test_nothing_merged_is_an_empty_but_whole_file() -> None:
    document = json.loads(to_speedscope(merge({}), "x"))
    jsonschema.validate(document, SAMPLED)
    assert to_collapsed(merge({})) == ""
