"""Real stacks of ranks that wait for another one, and made-up ones at the edges."""

from __future__ import annotations

import pytest

from xpudbg.services.stacks.communication import CommunicationKind, find_communication, waits_for_thread
from xpudbg.services.stacks.model import Frame

from .building import recorded, stack

KIND = CommunicationKind


@pytest.mark.parametrize(
    ("name", "kind", "function"),
    [
        ("all_reduce_0.faulthandler", KIND.COLLECTIVE, "all_reduce"),
        ("barrier_0.faulthandler", KIND.COLLECTIVE, "barrier"),
        ("monitored_0.faulthandler", KIND.COLLECTIVE, "monitored_barrier"),
        ("recv_0.faulthandler", KIND.RECV, "recv"),
        ("recv_0.pyspy", KIND.RECV, "recv"),
        ("irecv_0.pyspy", KIND.RECV, "gloo::transport::tcp::UnboundBuffer::waitRecv"),
        ("async_0.pyspy", KIND.WAIT, "c10d::Work::wait"),
        ("obj_0.faulthandler", KIND.COLLECTIVE, "all_gather"),
        (
            "store_0.pyspy",
            KIND.STORE,
            "c10d::detail::TCPClient::receiveValueWithTimeout<c10d::detail::WaitResponseType>",
        ),
        ("ddp_0.pyspy", KIND.COLLECTIVE, "c10d::Reducer::finalize_backward"),
        ("ddpinit_0.faulthandler", KIND.COLLECTIVE, "_verify_param_shape_across_processes"),
        ("fsdp2_0.faulthandler", KIND.COLLECTIVE, "all_gather_single"),
        ("fsdp2bwd_0.faulthandler", KIND.COLLECTIVE, "reduce_scatter_single"),
        ("fsdp2bwd_0.pyspy", KIND.COLLECTIVE, "reduce_scatter_single"),
        ("func_0.faulthandler", KIND.WAIT, "wait_tensor"),
        ("func_0.pyspy", KIND.WAIT, "wait_tensor"),
        ("dcp_0.faulthandler", KIND.COLLECTIVE, "all_gather"),
        ("save_1.faulthandler", KIND.COLLECTIVE, "barrier"),
        ("init_wait_0.faulthandler", KIND.STORE, "_create_c10d_store"),
        ("store_barrier_0.faulthandler", KIND.STORE, "_new_process_group_helper"),
    ],
)
def test_ranks_that_wait(name: str, kind: CommunicationKind, function: str) -> None:
    main = recorded(f"jobs/{name}.txt").main_thread
    assert main is not None
    found = find_communication(main.frames)
    assert found is not None
    assert (found.kind, found.function, found.sure) == (kind, function, True)
    assert found.site is not None
    assert found.site.name == "go"
    assert main.frames[found.frame].name == function


@pytest.mark.parametrize(
    "name",
    [
        "all_reduce_1.faulthandler",
        "recv_1.faulthandler",
        "loader_1.faulthandler",
        "loader_1.pyspy",
        "save_0.faulthandler",
        "save_0.pyspy",
        "dcp_async_0.faulthandler",
        "join_0.faulthandler",
        # Waiting in C++ that Python's stack alone does not show.
        "async_0.faulthandler",
        "irecv_0.faulthandler",
        "store_0.faulthandler",
    ],
)
def test_ranks_that_are_outside_as_far_as_their_stack_tells(name: str) -> None:
    main = recorded(f"jobs/{name}.txt").main_thread
    assert main is not None
    assert find_communication(main.frames) is None


def test_the_autograd_engine_may_hide_the_waits_of_ddp() -> None:
    main = recorded("jobs/ddp_0.faulthandler.txt").main_thread
    assert main is not None
    found = find_communication(main.frames)
    assert found is not None
    assert (found.kind, found.sure) == (KIND.BACKWARD, False)


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ("    work.wait()", KIND.WAIT),
        ("torch.cuda.current_stream().synchronize()", KIND.DEVICE),
        ("value = loss.item()", KIND.DEVICE),
        ("store.get('key')", KIND.STORE),
        ("loss.backward()", KIND.BACKWARD),
        ("time.sleep(1000)", None),
        ("", None),
        (None, None),
    ],
)
def test_the_source_line_shows_a_call_that_leaves_no_frame(line: str | None, kind: CommunicationKind | None) -> None:
    asked: list[tuple[str, int]] = []

    def source_line(file: str, number: int) -> str | None:
        asked.append((file, number))
        return line

    main = recorded("jobs/async_0.faulthandler.txt").main_thread
    assert main is not None
    found = find_communication(main.frames, source_line)
    assert (found and found.kind) == kind
    assert found is None or not found.sure
    assert asked == [("/job/tjob.py", 38)]


def test_native_frames_exclude_what_the_source_would_allow() -> None:
    frames = (Frame("clock_nanosleep", library="libc.so.6"), *stack("go train.py:3"))
    assert find_communication(frames, lambda _file, _line: "work.wait()") is None


@pytest.mark.parametrize(
    ("function", "kind", "sure"),
    [
        ("ncclGroupEnd", KIND.COLLECTIVE, True),
        ("pncclAllReduce", KIND.COLLECTIVE, True),
        ("ncclRecv", KIND.RECV, True),
        ("c10d::ProcessGroupNCCL::collective<x>", KIND.COLLECTIVE, True),
        ("c10d::ProcessGroupNCCL::WorkNCCL::synchronizeInternal", KIND.COLLECTIVE, True),
        ("c10d::ProcessGroupGloo::SendWork::wait", KIND.SEND, True),
        ("c10d::PrefixStore::wait", KIND.STORE, True),
        ("cudaStreamSynchronize", KIND.DEVICE, False),
        ("MPI_Allreduce", KIND.COLLECTIVE, True),
        ("nccl_unrelated", None, False),
        ("read", None, False),
    ],
)
def test_native_functions(function: str, kind: CommunicationKind | None, sure: bool) -> None:
    found = find_communication((Frame(function, library="libx.so"), *stack("step train.py:3")))
    assert (found and found.kind) == kind
    assert (found is not None and found.sure) == sure


def test_native_frames_below_the_users_code_do_not_count() -> None:
    """A communication hook of the user's that C++ has called is the user's code."""
    frames = (*stack("hook train.py:3"), Frame("c10d::Reducer::autograd_hook", library="libtorch_cpu.so"))
    assert find_communication(frames) is None


def test_a_call_that_runs_the_users_code_again_is_no_waiting() -> None:
    gather = "all_gather_object torch/distributed/distributed_c10d.py:3500"
    pickling = "_object_to_tensor torch/distributed/distributed_c10d.py:3402"
    assert find_communication(stack("__reduce__ state.py:4", pickling, gather, "save train.py:9")) is None
    assert find_communication(stack(pickling, gather, "save train.py:9")) is None
    assert find_communication(stack("dumps lib/pickle.py:9", pickling, gather, "save train.py:9")) is None
    assert find_communication(stack(gather, "save train.py:9")) is not None


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("synchronize torch/cuda/__init__.py:900", KIND.DEVICE),
        ("backward torch/autograd/__init__.py:300", KIND.BACKWARD),
        ("wait_for_unshard torch/distributed/fsdp/_fully_shard/_fsdp_param_group.py:1", KIND.WAIT),
        ("write torch/distributed/checkpoint/filesystem.py:1", None),
        ("forward torch/nn/modules/linear.py:125", None),
    ],
)
def test_what_may_hide_a_wait_as_the_innermost_frame(text: str, kind: CommunicationKind | None) -> None:
    found = find_communication(stack(text, "step train.py:3"))
    assert (found and found.kind) == kind
    assert found is None or not found.sure
    assert find_communication(stack("mine train.py:4", text, "step train.py:3")) is None


def test_functions_of_the_same_name_in_the_users_files_are_not_torchs() -> None:
    assert find_communication(stack("all_reduce distributed_c10d.py:3252", "step train.py:3")) is None
    assert find_communication(stack("all_reduce my/distributed.py:1", "step train.py:3")) is None


def test_a_real_stack_that_waits_for_a_thread_of_its_own() -> None:
    for name, expected in (("join_0", True), ("dcp_async_0", True), ("loader_1", True), ("all_reduce_0", False)):
        main = recorded(f"jobs/{name}.faulthandler.txt").main_thread
        assert main is not None
        assert waits_for_thread(main.frames) is expected
    assert not waits_for_thread(())
    assert not waits_for_thread(stack("wait threading.py:3"))


def test_an_empty_stack_communicates_nothing() -> None:
    assert find_communication(()) is None
