"""Text of `py-spy dump`, recorded, made up and broken."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from xpudbg.services.stacks import pyspy
from xpudbg.services.stacks.model import Failure, Frame, Process, StackDump, ThreadState

from .building import recorded

HEAD = "Process 7: python train.py\nPython v3.11.7 (/usr/bin/python3.11)\n\n"


def parse(text: str) -> StackDump:
    return pyspy.parse(text.encode())


def one_frame(line: str) -> Frame:
    dump = parse(f'{HEAD}Thread 7 (idle): "MainThread"\n    {line}\n')
    (frame,) = dump.threads[0].frames
    assert dump.warnings == ()
    return frame


def test_native_frames_states_and_names_with_quotes() -> None:
    dump = recorded("pyspy/rank_0.txt")
    assert [(t.id, t.name, t.state, t.holds_gil) for t in dump.threads] == [
        ("4242", "MainThread", ThreadState.ACTIVE, True),
        ("4250", 'pin "memory" (0)', ThreadState.IDLE, False),
        ("0x7ED3637AE700", "ThreadPoolExecutor-275_6", ThreadState.IDLE, False),
    ]
    main = dump.main_thread
    assert main is dump.threads[0]
    assert [(frame.function, frame.location, frame.native) for frame in main.frames] == [
        ("pthread_cond_wait@@GLIBC_2.3.2", "libpthread-2.31.so", True),
        ("ncclGroupEnd", "libnccl.so.2", True),
        (
            "c10d::ProcessGroupNCCL::collective<(anonymous namespace)::{lambda(at::Tensor&)#1}>",
            "libtorch_cuda.so",
            True,
        ),
        ("0x7f3a", "unknown", True),
        ("all_reduce", "torch/distributed/distributed_c10d.py:3245", False),
        ("train_step", "train.py:211", False),
        ("<module>", "train.py:300", False),
    ]
    assert dump.process == Process(
        4242, '/usr/bin/python3 -u train.py --name "a (b): c"', "3.11.7 (/usr/bin/python3.11)"
    )
    assert (dump.warnings, dump.error, dump.cut, dump.notes) == ((), "", False, ())


def test_warnings_before_the_header_are_no_frames() -> None:
    dump = recorded("pyspy/rank_1.txt")
    assert [warning[:8] for warning in dump.warnings] == ["[2026-01", "Warning:"]
    assert [thread.frames for thread in dump.threads] == [(Frame("wait", "threading.py", 355),)]
    assert dump.error == ""


def test_locals_stay_text_with_their_frame() -> None:
    dump = recorded("pyspy/rank_2.txt")
    (thread,) = dump.threads
    assert [frame.function for frame in thread.frames] == ["step", "<module>"]
    assert thread.locals == (
        'Arguments:\n    x: <Tensor at 0x7f00>\n    note: "Thread 9 (idle): fake"\nLocals:\n    i: 3',
        "",
    )


@pytest.mark.parametrize(
    ("name", "failure"),
    [
        ("rank_3", Failure.PTRACE_FORBIDDEN),
        ("rank_4", Failure.NOT_INSTALLED),
        ("real_other_user", Failure.PTRACE_FORBIDDEN),
        ("real_no_ptrace", Failure.PTRACE_FORBIDDEN),
        ("real_gone", Failure.PROCESS_GONE),
        ("real_no_python", Failure.NOT_READABLE),
        ("real_native_nonblocking", Failure.NATIVE_NEEDS_BLOCKING),
    ],
)
def test_an_error_alone_is_one_line(name: str, failure: Failure) -> None:
    dump = recorded(f"pyspy/{name}.txt")
    assert (dump.threads, dump.main, dump.failure) == ((), None, failure)
    assert dump.error
    assert "\n" not in dump.error
    assert (dump.warnings, dump.notes, dump.cut) == ((), (), False)


def test_a_real_dump_with_native_frames() -> None:
    dump = recorded("pyspy/real_native.txt")
    assert [thread.name for thread in dump.threads] == ["MainThread", 'pin "memory" (0)', "busy]\nx"]
    assert dump.main == 0
    assert [frame.native for frame in dump.threads[0].frames] == [True, False, False, False, False, False, True]
    assert dump.threads[2].holds_gil
    assert dump.threads[2].state is ThreadState.ACTIVE
    assert dump.warnings == ()


def test_a_real_dump_with_locals() -> None:
    dump = recorded("pyspy/real_locals.txt")
    worker = dump.threads[1]
    assert [frame.name for frame in worker.frames] == ["worker", "run", "_bootstrap_inner", "_bootstrap"]
    assert worker.locals[0].splitlines()[0] == "Arguments:"
    assert 'text: "quote " (paren): c"' in worker.locals[0]
    assert "nested" in worker.locals[0]
    assert worker.locals[1].startswith("Arguments:\n    self: <Thread at 0x")
    assert dump.warnings == ()


def test_a_real_dump_with_subprocesses() -> None:
    dump = recorded("pyspy/real_subprocesses.txt")
    assert len(dump.threads) == 3
    assert dump.main == 0
    assert dump.process is not None
    child, unreadable = dump.subprocesses
    assert child.process is not None
    assert child.process.parent == dump.process.pid
    assert "resource_tracker" in child.process.command
    assert [frame.name for frame in child.threads[child.main or 0].frames] == ["main", "<module>"]
    assert (unreadable.process, unreadable.failure) == (None, Failure.NOT_READABLE)


def test_a_subprocess_that_could_not_be_read_is_no_failure_of_the_rank() -> None:
    dump = parse(
        f'{HEAD}Thread 7 (idle): "MainThread"\n    f (a.py:1)\n\n{"-" * 80}\n'
        "Error: Failed to find python version from target process\n\nStack backtrace:\n   0: anyhow::error\n"
    )
    assert (dump.error, dump.failure, len(dump.threads)) == ("", None, 1)
    (child,) = dump.subprocesses
    assert child.failure is Failure.NOT_READABLE
    assert child.threads == ()


def test_a_header_with_an_error_in_place_of_threads() -> None:
    dump = parse(f"{HEAD}Error: Failed to copy PyInterpreterState\nReason: Operation not permitted (os error 1)\n")
    assert dump.failure is Failure.PTRACE_FORBIDDEN
    assert dump.process is not None
    assert dump.threads == ()


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("f (a.py:1)", Frame("f", "a.py", 1)),
        ("f (my dir (x)/a.py:3)", Frame("f", "my dir (x)/a.py", 3)),
        ("weird (c).py:1)", Frame("weird", "c).py", 1)),
        ("f (a.py)", Frame("f", "a.py")),
        ("<module> (<string>:1)", Frame("<module>", "<string>", 1)),
        ("f (C:\\x\\a.py:12)", Frame("f", "C:\\x\\a.py", 12)),
        ("f (mod.pyx:12)", Frame("f", "mod.pyx", 12)),
        ("operator() (libx.so.1)", Frame("operator()", library="libx.so.1")),
        ("a<(b)::{c(d)#1}>::e (libtorch.so)", Frame("a<(b)::{c(d)#1}>::e", library="libtorch.so")),
        ("Py_DECREF (object.h:537)", Frame("Py_DECREF", "object.h", 537, "object.h")),
        ("[bold]\x1b[2J (a.py:1)", Frame("[bold]\x1b[2J", "a.py", 1)),
        ("A.m.<locals>.inner (a.py:5)", Frame("A.m.<locals>.inner", "a.py", 5)),
    ],
)
def test_one_line(line: str, expected: Frame) -> None:
    assert one_frame(line) == expected


@pytest.mark.parametrize("line", ["no parenthesis", "f (a.py:1", "(a.py:1)", ")"])
def test_an_indented_line_that_is_no_frame_is_kept(line: str) -> None:
    dump = parse(f'{HEAD}Thread 7 (idle): "MainThread"\n    {line}\n    f (a.py:1)\n')
    assert dump.threads[0].frames == (Frame("f", "a.py", 1),)
    assert dump.warnings == (f"    {line}",)


def test_threads_without_names_and_with_unknown_states() -> None:
    dump = parse(f"{HEAD}Thread 8 (idle)\n    f (a.py:1)\nThread 9 (waiting)\nThread 10 (active)\n    g (a.py:2)\n")
    assert [(t.id, t.name, t.state, len(t.frames)) for t in dump.threads] == [
        ("8", "", ThreadState.IDLE, 1),
        ("9", "", None, 0),
        ("10", "", ThreadState.ACTIVE, 1),
    ]
    assert dump.main is None


def test_the_main_thread_is_the_one_with_the_process_id_else_the_only_one_of_that_name() -> None:
    assert parse(f'{HEAD}Thread 8 (idle): "MainThread"\nThread 7 (idle): "renamed"\n').main == 1
    assert parse(f'{HEAD}Thread 0x7F (idle): "a"\nThread 0x8F (idle): "MainThread"\n').main == 1
    assert parse(f'{HEAD}Thread 8 (idle): "MainThread"\nThread 9 (idle): "MainThread"\n').main is None


def test_a_command_line_with_line_breaks() -> None:
    dump = parse(
        'Process 7: python -c import x\nThread 1 (idle)\n    f (a.py:1)\nPython v3.12.1 (/p)\n\nThread 7 (idle): "M"\n'
    )
    assert dump.process == Process(7, "python -c import x\nThread 1 (idle)\n    f (a.py:1)", "3.12.1 (/p)")
    assert [thread.id for thread in dump.threads] == ["7"]


def test_a_command_line_without_end_is_limited() -> None:
    dump = parse("Process 7: python\n" + "x" * 50 * 20 + "\n" + "more\n" * 10_000)
    assert dump.process is not None
    assert len(dump.process.command) < 5_000


def test_an_empty_answer_and_one_without_threads_are_said() -> None:
    assert parse("").notes == ("no stack returned",)
    assert parse(HEAD).notes == ("no stack returned",)


def test_a_dump_cut_in_a_line() -> None:
    text = f'{HEAD}Thread 7 (idle): "MainThread"\n    f (a.py:1)\n    <module> (tra'
    dump = parse(text)
    assert dump.cut
    assert dump.notes == ("cut: the dump ends in the middle",)
    assert dump.main_thread is not None
    assert dump.main_thread.truncated
    assert [frame.function for frame in dump.main_thread.frames] == ["f"]
    assert not parse(text + "in.py:9)").cut
    assert pyspy.parse((text + "in.py:9)\n").encode(), complete=False).cut


def test_a_class_path_before_the_name_and_parentheses_in_a_path_on_a_real_process() -> None:
    dump = recorded("pyspy/real_names.txt")
    assert dump.main_thread is not None
    assert [frame.name for frame in dump.main_thread.frames] == [
        "leaf",
        "<listcomp>",
        "inner",
        "m",
        "cm",
        "weird",
        "<lambda>",
        "<module>",
    ]


words = st.text(st.characters(exclude_categories=("Cc", "Cs", "Zl", "Zp")), min_size=1, max_size=20)
plain_words = words.map(lambda text: text.strip()).filter(lambda text: text and not set(text) & set('()"'))
stacks = st.lists(st.tuples(plain_words, plain_words, st.integers(1, 10**6)), max_size=6)
threads = st.lists(st.tuples(st.sampled_from(["idle", "active", "active+gil"]), words, stacks), min_size=1, max_size=6)


@given(threads)
def test_order_and_counts_are_kept(thread_list: list[tuple[str, str, list[tuple[str, str, int]]]]) -> None:
    lines = []
    for number, (state, name, frames) in enumerate(thread_list):
        lines.append(f'Thread {number} ({state}): "{name}"')
        lines += [f"    {function} ({file}:{line})" for function, file, line in frames]
    dump = parse(HEAD + "\n".join(lines) + "\n")
    assert [thread.name for thread in dump.threads] == [name for _, name, _ in thread_list]
    assert [thread.holds_gil for thread in dump.threads] == [state.endswith("gil") for state, _, _ in thread_list]
    assert [[(frame.function, frame.file, frame.line) for frame in thread.frames] for thread in dump.threads] == [
        frames for _, _, frames in thread_list
    ]
    assert dump.warnings == ()


pieces = st.sampled_from(
    [
        "Process 1: x",
        "Python v3",
        "Parent Process 2: y",
        "Thread 1 (idle)",
        'Thread 2 (active+gil): "a',
        'b"',
        "    f (a.py:1)",
        "    f (lib.so)",
        "        Locals:",
        "            x: 1",
        "-" * 80,
        "Error: x",
        "Caused by:",
        "Stack backtrace:",
        "",
        "noise",
    ]
)


@given(st.lists(pieces, max_size=25))
def test_sections_in_any_order_lose_no_frame_and_no_thread(lines: list[str]) -> None:
    dump = parse("\n".join(lines) + "\n")
    every = [dump, *dump.subprocesses]
    assert sum(len(one.threads) for one in every) <= sum(line.startswith("Thread") for line in lines)
    frames = sum(len(thread.frames) for one in every for thread in one.threads)
    assert frames <= sum(line.startswith("    f") for line in lines)
    for one in every:
        assert one.main is None or 0 <= one.main < len(one.threads)


@given(st.binary(max_size=300) | st.text(max_size=300).map(lambda text: text.encode("utf-8", "surrogatepass")))
def test_any_bytes_give_a_dump(data: bytes) -> None:
    for text in (data, HEAD.encode() + data, HEAD.encode() + b'Thread 7 (idle): "' + data):
        dump = pyspy.parse(text)
        assert dump.main is None or 0 <= dump.main < len(dump.threads)
