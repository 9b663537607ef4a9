from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from xpudbg.services.stacks.boring import RULES, elide, is_boring, why_boring
from xpudbg.services.stacks.model import Frame

from .building import recorded

PYTHON = "/usr/lib/python3.11/"
SITE = "/venv/lib/python3.11/site-packages/"


@pytest.mark.parametrize(
    "frame",
    [
        Frame("_bootstrap", PYTHON + "threading.py", 1002),
        Frame("Thread.run", "threading.py", 982),
        Frame("run", "C:\\Python313\\Lib\\threading.py", 982),
        Frame("_run_module_as_main", "<frozen runpy>", 198),
        Frame("_call_with_frames_removed", "<frozen importlib._bootstrap>", 241),
        Frame("_worker", "/usr/lib/python3.14t/concurrent/futures/thread.py", 83),
        Frame("_call_impl", SITE + "torch/nn/modules/module.py", 1884),
        Frame("Module._wrapped_call_impl", "torch/nn/modules/module.py", 1778),
        Frame("wrapper", SITE + "torch/distributed/c10d_logger.py", 83),
        Frame("_exception_logger.<locals>.wrapper", "torch/distributed/c10d_logger.py", 83),
        Frame("decorate_context", "/src/pytorch/torch/utils/_contextlib.py", 124),
        Frame("_PyEval_EvalFrameDefault", library="libpython3.11.so.1.0"),
        Frame("pybind11::cpp_function::dispatcher", library="libtorch_python.so"),
        Frame("0x7fa60704524a", library="libc.so.6"),
    ],
)
def test_frames_that_say_nothing(frame: Frame) -> None:
    assert why_boring(frame)


@pytest.mark.parametrize(
    "frame",
    [
        Frame("run", "/job/threading.py", 1),
        Frame("_bootstrap", "/job/python3/lib/threading.py", 1),
        Frame("run", "/job/worker.py", 1),
        Frame("wrapper", "/job/c10d_logger.py", 1),
        Frame("_call_impl", "/job/nn/modules/module.py", 1),
        Frame("_call_impl", "module.py", 1),
        Frame("wait", PYTHON + "threading.py", 327),
        Frame("forward", SITE + "torch/nn/modules/module.py", 1),
        Frame("all_reduce", SITE + "torch/distributed/distributed_c10d.py", 3252),
        Frame("_engine_run_backward", SITE + "torch/autograd/graph.py", 979),
        Frame("pthread_cond_wait", library="libc.so.6"),
        Frame("_PyEval_EvalFrameDefault", library="libmine.so"),
        Frame("kernel", library="libuser.so"),
        Frame("ncclGroupEnd", library="libnccl.so.2"),
        Frame(""),
    ],
)
def test_frames_that_may_say_something(frame: Frame) -> None:
    assert why_boring(frame) is None


def test_each_rule_has_a_reason_and_native_ones_name_functions() -> None:
    for rule in RULES:
        assert rule.reason
        assert rule.file
        assert rule.functions or rule.file.startswith("<frozen ")


def test_a_real_stack_of_fsdp_keeps_what_matters() -> None:
    main = recorded("jobs/fsdp2_0.faulthandler.txt").main_thread
    assert main is not None
    elided = elide(main.frames)
    assert [frame.function for frame in elided.frames] == [
        "all_gather_single",
        "__call__",
        "foreach_all_gather",
        "unshard",
        "pre_forward",
        "_pre_forward",
        "go",
        "<module>",
    ]
    assert elided.gaps == (0, 1, 0, 1, 1, 0, 5, 0, 0)
    assert elided.left_out == 8


def test_a_stack_of_boring_frames_alone_keeps_the_innermost() -> None:
    frames = tuple(Frame(name, PYTHON + "threading.py", 1) for name in ("run", "_bootstrap_inner", "_bootstrap"))
    elided = elide(frames)
    assert elided.frames == frames[:1]
    assert elided.gaps == (0, 2)
    assert elide(()).frames == ()
    assert elide(()).left_out == 0


some = st.sampled_from(
    [
        Frame("_bootstrap", PYTHON + "threading.py", 1002),
        Frame("_call_impl", SITE + "torch/nn/modules/module.py", 1884),
        Frame("f", "/job/a.py", 1),
        Frame("g", "/job/a.py", 2),
    ]
)


@given(st.lists(some, max_size=20))
def test_order_is_kept_and_every_frame_is_counted(frames: list[Frame]) -> None:
    elided = elide(frames)
    assert len(elided.gaps) == len(elided.frames) + 1
    assert len(elided.frames) + elided.left_out == len(frames)
    rebuilt = 0
    for frame, gap in zip(elided.frames, elided.gaps, strict=False):
        rebuilt += gap
        assert frames[rebuilt] == frame
        rebuilt += 1
    assert all(not is_boring(frame) for frame in elided.frames) or len(elided.frames) == 1


@given(st.builds(Frame, st.text(max_size=20), st.text(max_size=20).map(lambda text: "/job/" + text.replace("/", ""))))
def test_code_of_the_user_is_never_boring(frame: Frame) -> None:
    assert not is_boring(frame)
