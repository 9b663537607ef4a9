from __future__ import annotations

import pytest

from xpudbg.services.stacks.model import Frame, Interner, StackDump, StackSource, ThreadStack


@pytest.mark.parametrize(
    ("frame", "name", "location", "text"),
    [
        (Frame("run", "/usr/lib/threading.py", 7), "run", "/usr/lib/threading.py:7", "run (/usr/lib/threading.py:7)"),
        (Frame("A.m.<locals>.inner", "a.py", 7), "inner", "a.py:7", "A.m.<locals>.inner (a.py:7)"),
        (Frame("f.<locals>.<lambda>", "a.py"), "<lambda>", "a.py", "f.<locals>.<lambda> (a.py)"),
        (Frame("ns::f.cold", library="libx.so"), "ns::f.cold", "libx.so", "ns::f.cold (libx.so)"),
        (Frame("f", "f.c", 3, "f.c"), "f", "f.c:3", "f (f.c:3)"),
        (Frame("f"), "f", "", "f"),
    ],
)
def test_a_frame_names_itself(frame: Frame, name: str, location: str, text: str) -> None:
    assert (frame.name, frame.location, str(frame)) == (name, location, text)


def test_only_a_frame_with_a_library_is_native() -> None:
    assert Frame("f", library="libx.so").native
    assert not Frame("f", "libx.so").native


def test_equal_frames_and_stacks_become_one_object() -> None:
    interner = Interner()
    one, other = interner.frame("f", "a.py", 1), interner.frame("f", "a.py", 1)
    assert one is other
    assert interner.frame("f", "a.py", 2) is not one
    assert interner.stack((one,)) is interner.stack((other,))


def test_the_main_thread_comes_first_to_read_and_the_others_keep_their_order() -> None:
    threads = tuple(ThreadStack(str(number), ()) for number in range(4))
    dump = StackDump(StackSource.PYSPY, threads, main=2)
    assert [thread.id for thread in dump.main_first()] == ["2", "0", "1", "3"]
    assert dump.main_thread is threads[2]
    unknown = StackDump(StackSource.PYSPY, threads)
    assert [thread.id for thread in unknown.main_first()] == ["0", "1", "2", "3"]
    assert unknown.main_thread is None
