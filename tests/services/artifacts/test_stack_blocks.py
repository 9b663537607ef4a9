"""Where stacks begin and end among other lines of one process."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from xpudbg.services.artifacts.rank_stacks import FAULTHANDLER, PYSPY
from xpudbg.services.artifacts.stack_blocks import BLOCK_LIMIT, Block, BlockFinder, may_begin
from xpudbg.services.stacks import faulthandler, pyspy

from .log_texts import faulthandler_text, pyspy_text

JOBS = Path(__file__).parents[2] / "data" / "stacks" / "jobs"
NOISE = "step 100 loss=3.1\n"


def found(text: str, at: int | None = None) -> list[Block]:
    finder = BlockFinder()
    blocks = []
    lines = text.encode().splitlines(keepends=True)
    for number, line in enumerate(lines, 1):
        blocks += finder.take(line.rstrip(b"\n"), number, at, whole=line.endswith(b"\n"))
    return blocks + finder.close()


@pytest.mark.parametrize("path", sorted(JOBS.glob("*.txt")), ids=lambda path: path.stem)
def test_recorded_stacks_are_found_whole_among_other_lines(path: Path) -> None:
    text = path.read_text()
    (block,) = found(NOISE * 3 + text + NOISE * 20)
    parse = faulthandler.parse if "faulthandler" in path.name else pyspy.parse
    assert parse(block.data) == parse(text.encode())
    assert block.line == 4


@pytest.mark.parametrize(
    ("text", "source"), [(faulthandler_text(1, 2), FAULTHANDLER), (pyspy_text(1), PYSPY)], ids=[FAULTHANDLER, PYSPY]
)
def test_the_text_is_kept_byte_by_byte(text: str, source: str) -> None:
    assert found(text) == [Block(source, text.encode(), 1, None)]
    assert found(text + "\n\n" + NOISE) == [Block(source, text.encode(), 1, None)]
    indented = "".join(f" {line}\n" for line in text.splitlines())
    assert found(indented, at=7) == [Block(source, text.encode(), 1, 7)]


@pytest.mark.parametrize("text", [faulthandler_text(1, 2), pyspy_text(1)], ids=[FAULTHANDLER, PYSPY])
def test_lines_of_another_thread_in_the_middle_are_left_out(text: str) -> None:
    lines = text.splitlines(keepends=True)
    middle = len(lines) - 1
    (block,) = found("".join(lines[:middle]) + NOISE * 3 + "".join(lines[middle:]) + NOISE)
    assert block.data.decode() == text


@pytest.mark.parametrize("text", [faulthandler_text(1, 2), pyspy_text(1)], ids=[FAULTHANDLER, PYSPY])
def test_several_dumps_of_one_process_are_several_blocks(text: str) -> None:
    blocks = found(text + text + NOISE * 20 + text)
    assert [block.data.decode() for block in blocks] == [text] * 3


def test_the_timer_tells_its_interval_and_the_end_of_a_process_its_reason() -> None:
    timer = "Timeout (0:01:30.250000)!\n" + faulthandler_text(1)
    fatal = "Fatal Python error: Aborted\n\n" + faulthandler_text(1)
    one, other = found(timer + fatal)
    assert (one.data.decode(), one.every_ns) == (timer, 90_250_000_000)
    assert (other.data.decode(), other.every_ns) == (fatal, None)


def test_children_of_a_process_belong_to_its_dump() -> None:
    text = pyspy_text(1) + "-------- \n".replace(" ", "") + pyspy_text(2)
    (block,) = found(text)
    assert block.data.decode() == text
    assert len(pyspy.parse(block.data).subprocesses) == 1
    assert len(found(pyspy_text(1) + pyspy_text(2))) == 2


@pytest.mark.parametrize(
    ("blank", "blocks"), [("\n", 3), ("", 1)], ids=["as written", "by a collector without blank lines"]
)
def test_blank_lines_part_threads_and_none_stands_between_dumps(blank: str, blocks: int) -> None:
    texts = [faulthandler_text(1, number).replace("\n\n", f"\n{blank}") for number in (1, 2, 3)]
    joined = [text.replace("abc001", f"abc00{at}") for at, text in enumerate(texts)]
    assert len(found("".join(joined))) == blocks


def test_times_tell_dumps_apart() -> None:
    finder = BlockFinder()
    second = 1_000_000_000
    dumps = [faulthandler_text(rank).splitlines() for rank in (1, 2)]
    ended = [
        block for at, dump in enumerate(dumps) for line in dump for block in finder.take(line.encode(), 1, at * second)
    ]
    assert [block.at for block in ended + finder.close()] == [0, second]


@pytest.mark.parametrize(
    "text",
    [
        "Process 17: started\nProcess 18: started\n",
        "Fatal Python error: Aborted\nnothing\n",
        "Timeout (0:00:10)!\n" + NOISE * 20,
        "     Thread 0x1 (most recent call first):\n",
        "Thread 0x1 (most recent call last):\n",
    ],
    ids=["no py-spy", "no thread", "a timer alone", "too far in", "a traceback"],
)
def test_what_only_begins_like_stacks_is_none(text: str) -> None:
    assert found(text) == []


def test_a_file_that_ends_in_a_line_gives_a_cut_dump() -> None:
    (block,) = found(faulthandler_text(1)[:-12])
    assert faulthandler.parse(block.data).cut


def test_blank_lines_between_other_lines_do_not_keep_a_block_open() -> None:
    first, second = faulthandler_text(1), faulthandler_text(2)
    blocks = found(first + ("\n" + NOISE) * 20 + second)
    assert [block.data.decode() for block in blocks] == [first, second]


def test_a_block_without_end_is_cut() -> None:
    finder = BlockFinder()
    finder.take(b"Thread 0x1 (most recent call first):", 1, None)
    line = b"  File " + b"x" * (1 << 20)
    ended = [block for number in range(9) for block in finder.take(line, number, None)]
    assert len(ended) == 1
    assert BLOCK_LIMIT < len(ended[0].data) <= BLOCK_LIMIT + len(line) + 1
    assert not finder.open


LINES = st.sampled_from(
    [*faulthandler_text(1, 2).splitlines(), *pyspy_text(1).splitlines(), "", "noise", "Timeout (0:00:01)!"]
)


@given(st.lists(LINES | st.text(max_size=20), max_size=30))
def test_any_lines_are_taken_and_a_line_that_may_not_begin_begins_none(lines: list[str]) -> None:
    found("\n".join(lines))
    for line in lines:
        finder = BlockFinder()
        finder.take(line.encode("utf-8", "replace"), 1, None)
        assert may_begin(line.encode("utf-8", "replace")) or not finder.open
