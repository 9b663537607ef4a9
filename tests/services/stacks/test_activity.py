from __future__ import annotations

import pytest

from xpudbg.services.stacks.activity import Activity, find_activity

from .building import recorded, stack


@pytest.mark.parametrize(
    ("texts", "activity"),
    [
        (("readline lib/pdb.py:5", "trace_dispatch lib/bdb.py:90", "step train.py:1"), Activity.DEBUGGER),
        (("_save torch/serialization.py:1253", "save train.py:1"), Activity.CHECKPOINT),
        (("__reduce__ state.py:1", "_save torch/serialization.py:1253", "save train.py:1"), Activity.CHECKPOINT),
        (("write_data torch/distributed/checkpoint/filesystem.py:1", "save train.py:1"), Activity.CHECKPOINT),
        (("_next_data torch/utils/data/dataloader.py:1505", "step train.py:1"), Activity.DATA_LOADING),
        (("fetch my_set.py:3", "fetch torch/utils/data/_utils/fetch.py:52", "step train.py:1"), Activity.DATA_LOADING),
        (("f torch/_dynamo/convert_frame.py:1", "step train.py:1"), Activity.COMPILING),
        (("communicate lib/subprocess.py:1209", "step train.py:1"), Activity.SUBPROCESS),
        (("recv_into lib/ssl.py:1", "readinto lib/socket.py:706", "step train.py:1"), Activity.NETWORK),
        (("wait lib/threading.py:327", "result lib/concurrent/futures/_base.py:451", "a t.py:1"), Activity.THREAD_WAIT),
        (("step train.py:1", "run lib/threading.py:982"), Activity.OWN_CODE),
        (("step socket.py:1",), Activity.OWN_CODE),
        ((), Activity.OWN_CODE),
    ],
)
def test_the_files_on_a_stack_tell_what_it_is_busy_with(texts: tuple[str, ...], activity: Activity) -> None:
    assert find_activity(stack(*texts)) is activity


@pytest.mark.parametrize(
    ("name", "activity"),
    [
        ("loader_1.faulthandler", Activity.DATA_LOADING),
        ("loader_1.pyspy", Activity.DATA_LOADING),
        ("save_0.faulthandler", Activity.CHECKPOINT),
        ("save_0.pyspy", Activity.CHECKPOINT),
        ("join_1.faulthandler", Activity.THREAD_WAIT),
        ("all_reduce_1.faulthandler", Activity.OWN_CODE),
    ],
)
def test_real_stacks(name: str, activity: Activity) -> None:
    main = recorded(f"jobs/{name}.txt").main_thread
    assert main is not None
    assert find_activity(main.frames) is activity
