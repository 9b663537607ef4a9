"""Text of Python's faulthandler, recorded, made up and broken."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from xpudbg.services.stacks import faulthandler
from xpudbg.services.stacks.model import Frame, Interner, StackDump, StackSource

from .building import DATA, recorded

SERVER = "Current thread 0x00007ff1137fe6c0 (most recent call first):\n  <no Python frame>\n\n"


def parse(text: str) -> StackDump:
    return faulthandler.parse(text.encode())


def names(dump: StackDump) -> list[list[str]]:
    return [[frame.function for frame in thread.frames] for thread in dump.threads]


def test_the_servers_own_thread_is_hidden_and_the_main_thread_is_the_last() -> None:
    dump = recorded("faulthandler/rank_0.txt")
    assert names(dump) == [["wait", "get", "_bootstrap"]] * 2 + [["all_reduce", "train_step", "<module>"]]
    assert dump.main == 2
    assert dump.main_thread is not None
    assert dump.main_thread.id == "0x00007ff13d9c7b80"
    assert dump.main_thread.frames[1] == Frame("train_step", "/job/train.py", 211)
    assert (dump.cut, dump.notes, dump.warnings, dump.source) == (False, (), (), StackSource.FAULTHANDLER)


def test_a_dump_that_ends_after_a_hundred_threads_has_no_main_thread() -> None:
    dump = recorded("faulthandler/rank_1.txt")
    assert len(dump.threads) == 99
    assert dump.main_thread is None
    assert dump.cut
    assert dump.notes == ("cut at 100 threads, main thread not in the dump",)
    assert dump.warnings == ()


def test_names_an_odd_file_name_and_the_c_stack_of_python_3_14() -> None:
    dump = recorded("faulthandler/rank_2.txt")
    assert [(thread.name, len(thread.frames)) for thread in dump.threads] == [("pt_autograd_0", 0), ("MainThread", 3)]
    assert dump.main == 1
    assert dump.threads[1].frames[0] == Frame("前向", "/data/训练/a, line 3 in b.py", 42)
    assert dump.threads[1].frames[1] == Frame("???", "???", 0)
    assert dump.c_stack == (Frame("_Py_DumpStack", library="/usr/bin/python3"),)
    assert dump.warnings == ("<truncated rest of calls>",)


def test_an_empty_answer_is_said() -> None:
    for data in (b"", b"\n \n"):
        dump = faulthandler.parse(data)
        assert (dump.threads, dump.main, dump.notes, dump.cut) == ((), None, ("no stack returned",), False)


def test_a_dump_cut_in_a_line_keeps_what_could_be_read() -> None:
    dump = recorded("faulthandler/rank_4.txt")
    assert names(dump) == [["wait", "get", "_bootstrap"], ["all_reduce"]]
    assert dump.main_thread is None
    assert dump.cut
    assert dump.notes[0].startswith("cut: ")
    assert [thread.truncated for thread in dump.threads] == [False, True]


def test_five_thousand_threads() -> None:
    block = '  File "/usr/lib/python3.11/threading.py", line 327 in wait\n\n'
    helpers = "".join(f"Thread 0x{number:016x} (most recent call first):\n{block}" for number in range(4999))
    dump = parse(SERVER + helpers + 'Thread 0x00 (most recent call first):\n  File "/t.py", line 1 in <module>\n')
    assert len(dump.threads) == 5000
    assert dump.main == 4999
    assert len({id(thread.frames) for thread in dump.threads}) == 2


@pytest.mark.parametrize("version", ["3.11", "3.12", "3.13"])
def test_what_pythons_wrote(version: str) -> None:
    """A current thread with frames is shown; a stack of more than 100 frames says that it goes on."""
    first, second = (DATA / "faulthandler" / f"real_{version}.txt").read_text().split("-----\n")
    dump = parse(first)
    assert names(dump) == [["w", "run", "_bootstrap_inner", "_bootstrap"], ["deep", "deep", "deep", "<module>"]]
    assert (dump.main, dump.cut) == (1, False)
    deep = parse(second)
    assert deep.main_thread is not None
    assert len(deep.main_thread.frames) >= 100
    assert deep.main_thread.truncated
    assert set(deep.main_thread.frames) <= {Frame("deep", "/job/fh.py", 3), Frame("deep", "/job/fh.py", 4)}
    assert not deep.cut


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ('  File "/a", line 3 in b.py", line 42 in f', Frame("f", '/a", line 3 in b.py', 42)),
        ('  File "a"b", line 1 in x in y', Frame("x in y", 'a"b', 1)),
        ('  File "/a.py", line ??? in f', Frame("f", "/a.py", None)),
        ("  File ???, line ??? in ???", Frame("???", "???", None)),
        ('  File "", line 0 in ', Frame("", "", 0)),
        ('  File "/x\\xe9.py", line 1 in [bold]\x1b[31m', Frame("[bold]\x1b[31m", "/x\\xe9.py", 1)),
    ],
)
def test_one_line(line: str, expected: Frame) -> None:
    dump = parse(f"Thread 0x01 (most recent call first):\n{line}\n")
    assert dump.threads[0].frames == (expected,)
    assert dump.warnings == ()


def test_a_line_number_of_many_digits_is_no_frame() -> None:
    dump = parse(f'Thread 0x01 (most recent call first):\n  File "a", line {"9" * 5000} in f\n')
    assert dump.threads[0].frames == ()
    assert len(dump.warnings) == 1


@pytest.mark.parametrize("name", ["pt_main", "a] (b", "[x]", "né", '"', "Thread 0x1"])
def test_thread_names_in_brackets(name: str) -> None:
    dump = parse(f'Thread 0x01 [{name}] (most recent call first):\n  File "a", line 1 in f\n')
    assert dump.threads[0].name == name


@pytest.mark.parametrize("line", ["plus 12 frames", "  ...", "  <freed frame>", "  <invalid frame>"])
def test_a_stack_that_the_dump_breaks_off_says_so(line: str) -> None:
    dump = parse(f'Thread 0x01 (most recent call first):\n  File "a", line 1 in f\n{line}\n')
    assert dump.threads[0].truncated
    assert dump.main == 0


def test_python_without_the_gil_shows_one_thread_of_which_nothing_more_is_known() -> None:
    dump = parse(
        "<Cannot show all threads while the GIL is disabled>\n"
        'Stack (most recent call first):\n  File "a", line 1 in f\n  File "a", line 2 in <module>\n'
    )
    assert names(dump) == [["f", "<module>"]]
    assert dump.main_thread is None
    assert "without the GIL" in dump.notes[0]
    assert dump.warnings == ()


def test_only_the_servers_thread_is_no_stack() -> None:
    dump = parse(SERVER)
    assert dump.threads == ()
    assert dump.notes == ("no stack returned: only the debug server's own thread is in the dump",)


def test_a_last_thread_that_threading_started_is_not_the_main_one() -> None:
    dump = parse(
        'Thread 0x01 (most recent call first):\n  File "/j.py", line 1 in f\n'
        '  File "/usr/lib/python3.13/threading.py", line 1012 in _bootstrap\n'
    )
    assert dump.main_thread is None
    assert dump.notes == ("main thread not in the dump",)


def test_a_text_that_is_something_else_is_told_apart() -> None:
    dump = parse("<html>504 Gateway Time-out</html>")
    assert (dump.threads, dump.notes, dump.cut) == ((), ("no thread in the text",), False)
    assert dump.warnings == ("<html>504 Gateway Time-out</html>",)


def test_lines_before_and_between_are_kept_as_warnings() -> None:
    dump = parse(
        "Fatal Python error: Segmentation fault\n\n"
        'Thread 0x01 (most recent call first):\n  Garbage-collecting\n  File "a", line 1 in f\nsomething else\n'
        "Extension modules: numpy (total: 1)\n"
    )
    assert dump.warnings == (
        "Fatal Python error: Segmentation fault",
        "something else",
        "Extension modules: numpy (total: 1)",
    )
    assert names(dump) == [["f"]]
    many = parse("\n".join(f"noise {number}" for number in range(1000)))
    assert len(many.warnings) == faulthandler.WARNINGS_KEPT


@pytest.mark.parametrize(
    "lines",
    [
        ["  <system returned no stack trace>"],
        ["  <cannot get C stack on this system>"],
        ['  Binary file "/lib/libc.so.6", at +0x2724a [0x7f00]', "  Binary file '<unknown>' [0x7f01]"],
    ],
)
def test_forms_of_the_c_stack(lines: list[str]) -> None:
    text = "\n".join(["Current thread's C stack trace (most recent call first):", *lines])
    dump = parse(f'Thread 0x01 (most recent call first):\n  File "a", line 1 in <module>\n\n{text}\n')
    assert dump.main == 0
    assert not dump.cut
    if len(lines) == 2:
        assert [frame.location for frame in dump.c_stack] == ["/lib/libc.so.6", "<unknown>"]
        assert [frame.function for frame in dump.c_stack] == ["0x7f00", "0x7f01"]
    else:
        assert dump.warnings == (lines[0].strip(),)


def test_bytes_that_are_no_utf8_become_visible_and_windows_line_ends_do_no_harm() -> None:
    dump = faulthandler.parse(b'Thread 0x01 [\xff] (most recent call first):\r\n  File "\xfe.py", line 1 in f\r\n')
    assert dump.threads[0].name == "\\xff"
    assert dump.threads[0].frames == (Frame("f", "\\xfe.py", 1),)


def test_an_answer_known_to_be_incomplete_has_no_main_thread() -> None:
    text = 'Thread 0x01 (most recent call first):\n  File "a", line 1 in f\n'
    assert parse(text).main == 0
    cut = faulthandler.parse(text.encode(), complete=False)
    assert (cut.main, cut.cut) == (None, True)


def test_a_lost_last_line_break_alone_is_no_cut() -> None:
    text = 'Thread 0x01 (most recent call first):\n  File "a", line 1 in f\n  File "a", line 2 in <module>'
    assert not parse(text).cut
    assert parse(text[:-1]).cut
    assert parse(text + "\n\nThread 0x02 (most recent call first):\n").cut
    assert parse(text + "\n\nThread 0x0").cut


def test_dumps_of_one_interner_share_their_frames() -> None:
    interner = Interner()
    body = '  File "a", line 1 in f\n  File "a", line 2 in <module>\n'
    one = faulthandler.parse(f"Thread 0x01 (most recent call first):\n{body}".encode(), interner)
    other = faulthandler.parse(f"Thread 0x02 [x] (most recent call first):\n{body}".encode(), interner)
    assert one.threads[0].frames is other.threads[0].frames


# What faulthandler itself can write: printable ASCII, everything else is escaped by it.
ascii_text = st.text(st.characters(min_codepoint=32, max_codepoint=126), max_size=30)
functions = ascii_text.filter(lambda text: not re.search(r'", line (\d+|\?\?\?) in ', text))
frames = st.builds(Frame, functions, ascii_text, st.none() | st.integers(0, 10**9))
threads = st.lists(st.tuples(st.booleans(), st.lists(frames, min_size=1, max_size=6)), min_size=1, max_size=8)


def written(thread_list: list[tuple[bool, list[Frame]]]) -> str:
    blocks = []
    for number, (current, stack) in enumerate(thread_list):
        head = "Current thread" if current else "Thread"
        lines = [
            f'  File "{one.file}", line {"???" if one.line is None else one.line} in {one.function}' for one in stack
        ]
        blocks.append("\n".join([f"{head} 0x{number:016x} (most recent call first):", *lines]))
    return "\n\n".join(blocks) + "\n"


@given(threads)
def test_order_and_counts_are_kept(thread_list: list[tuple[bool, list[Frame]]]) -> None:
    dump = parse(written(thread_list))
    assert [list(thread.frames) for thread in dump.threads] == [stack for _, stack in thread_list]
    assert [thread.id for thread in dump.threads] == [f"0x{number:016x}" for number in range(len(thread_list))]
    assert dump.warnings == ()


@given(threads, st.data())
def test_a_cut_anywhere_keeps_a_beginning(thread_list: list[tuple[bool, list[Frame]]], data: st.DataObject) -> None:
    text = written(thread_list)
    dump = parse(text[: data.draw(st.integers(0, len(text)))])
    whole = [stack for _, stack in thread_list]
    for index, thread in enumerate(dump.threads):
        got = list(thread.frames)
        if index < len(dump.threads) - 1:
            assert got == whole[index]
        else:
            # Only the very last line may have lost its end.
            assert got[:-1] == whole[index][: max(len(got) - 1, 0)]


@given(st.binary(max_size=300) | st.text(max_size=300).map(lambda text: text.encode("utf-8", "surrogatepass")))
def test_any_bytes_give_a_dump(data: bytes) -> None:
    for text in (data, SERVER.encode() + data, b"Thread 0x1 (most recent call first):\n" + data):
        dump = faulthandler.parse(text)
        assert dump.main is None or 0 <= dump.main < len(dump.threads)
