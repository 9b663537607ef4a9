from __future__ import annotations

import pytest

from xpudbg.services.stacks.model import Frame
from xpudbg.services.stacks.ownership import in_runtime, user_frame


@pytest.mark.parametrize(
    "file",
    [
        "/usr/lib/python3.11/threading.py",
        "/usr/lib/python3.11/concurrent/futures/thread.py",
        "/opt/py/lib/python3.14t/selectors.py",
        "C:\\Python313\\Lib\\queue.py",
        "threading.py",
        "multiprocessing/queues.py",
        "<frozen runpy>",
        "/venv/lib/python3.11/site-packages/torch/hub.py",
        "/usr/lib/python3/dist-packages/torch/hub.py",
        "/src/pytorch/torch/distributed/distributed_c10d.py",
        "torch/_ops.py",
        "torch/nn/modules/module.py",
    ],
)
def test_torch_and_pythons_library_are_the_runtime(file: str) -> None:
    assert in_runtime(Frame("f", file, 1))


@pytest.mark.parametrize(
    "file",
    [
        "/job/train.py",
        "train.py",
        "/data/u/torch/train.py",
        "/data/u/python3.11/train.py",
        "/venv/lib/python3.11/site-packages/megatron/training.py",
        "transformers/trainer.py",
        "<string>",
        "",
    ],
)
def test_everything_else_is_where_a_user_looks(file: str) -> None:
    assert not in_runtime(Frame("f", file, 1))


def test_native_frames_belong_to_the_runtime_and_the_innermost_other_is_the_users() -> None:
    mine = Frame("step", "/job/train.py", 3)
    frames = (Frame("x", library="libx.so"), Frame("wait", "threading.py", 1), mine, Frame("<module>", "/job/a.py", 1))
    assert user_frame(frames) == mine
    assert user_frame(frames[:2]) is None
