from __future__ import annotations

from xpudbg.services.stacks.alignment import NO_SYMBOL, align, same_place
from xpudbg.services.stacks.model import Frame, StackSource

from .building import dump, recorded, thread

FULL = (
    Frame("wait", "/usr/lib/python3.11/threading.py", 327),
    Frame("inner", "/job/src/data/loader.py", 88),
    Frame("<module>", "/job/train.py", 3),
)
SHORT = (
    Frame("Condition.wait", "threading.py", 327),
    Frame("A.m.<locals>.inner", "data/loader.py", 88),
    Frame("<module>", "train.py", 3),
)


def aligned(short: tuple[Frame, ...], *full: tuple[Frame, ...]) -> tuple[Frame, ...]:
    dumps = {rank: dump(thread(frames=frames)) for rank, frames in enumerate(full)}
    dumps[99] = dump(thread(frames=short), source=StackSource.PYSPY)
    return align(dumps)[99].threads[0].frames


def test_frames_of_pyspy_become_those_that_faulthandler_wrote() -> None:
    assert aligned(SHORT, FULL) == FULL


def test_another_line_of_a_known_file_gets_its_path() -> None:
    assert aligned((Frame("B.g", "train.py", 77),), FULL) == (Frame("g", "/job/train.py", 77),)


def test_what_is_not_known_or_not_unique_stays_as_it_is() -> None:
    assert aligned(SHORT) == SHORT
    unknown = (Frame("A.f", "elsewhere.py", 1), Frame("f", "<string>", 1), Frame("f", "", 1))
    assert aligned(unknown, FULL) == unknown
    twice = ((Frame("f", "/a/train.py", 3),), (Frame("f", "/b/train.py", 3),))
    assert aligned((Frame("f", "train.py", 3),), *twice) == (Frame("f", "train.py", 3),)
    suffix_only = (Frame("f", "/job/mytrain.py", 3),)
    assert aligned((Frame("f", "train.py", 3),), suffix_only) == (Frame("f", "train.py", 3),)


def test_a_longer_end_of_the_path_decides_between_files_of_one_name() -> None:
    full = ((Frame("f", "/j/a/x/data/load.py", 3),), (Frame("f", "/j/b/x/data/load.py", 3),))
    assert aligned((Frame("f", "a/x/data/load.py", 3),), *full) == full[0]
    assert aligned((Frame("f", "b/x/data/load.py", 9),), *full) == (Frame("f", "/j/b/x/data/load.py", 9),)
    assert aligned((Frame("f", "x/data/load.py", 3),), *full) == (Frame("f", "x/data/load.py", 3),)


def test_letters_beyond_ascii_are_compared_as_faulthandler_escapes_them() -> None:
    full = (Frame("\\u5411", "/job/\\xe9.py", 3),)
    assert aligned((Frame("向", "é.py", 3),), full) == full


def test_an_address_without_symbol_is_the_same_on_all_ranks() -> None:
    frames = (Frame("0x7fa6", library="libc.so.6"), Frame("read", library="libc.so.6"))
    assert aligned(frames) == (Frame(NO_SYMBOL, library="libc.so.6"), Frame("read", library="libc.so.6"))


def test_dumps_of_faulthandler_are_left_alone() -> None:
    one = dump(thread(frames=FULL))
    assert align({0: one})[0] is one


def test_the_same_place_whichever_source_told_it() -> None:
    assert same_place(FULL, SHORT)
    assert same_place((Frame("read", library="libc.so.6"), *SHORT), FULL)
    assert not same_place(FULL, FULL[1:])
    assert not same_place(FULL, (*FULL[:2], Frame("<module>", "/job/train.py", 4)))
    assert not same_place((Frame("f", "/a/train.py", 3),), (Frame("f", "/b/train.py", 3),))


def test_both_sources_of_one_real_process_agree() -> None:
    for name in ("fsdp2bwd_0", "loader_1", "ddp_0"):
        full = recorded(f"jobs/{name}.faulthandler.txt").main_thread
        short = recorded(f"jobs/{name}.pyspy.txt").main_thread
        assert full is not None
        assert short is not None
        assert same_place(full.frames, short.frames)
        python = tuple(frame for frame in aligned(short.frames, full.frames) if not frame.native)
        assert python == full.frames
