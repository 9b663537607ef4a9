"""Which functions of torch.distributed, its libraries and their C++ side communicate or wait, as data.

Names were checked against torch 2.13 (CPU, Gloo) on live stacks and in its sources; older names of the same functions
are listed with them. Files are ends of paths, `/` between their parts.
"""

from __future__ import annotations

import re
from enum import StrEnum

__all__ = [
    "HIDDEN_WAITS",
    "LOCAL_WORK",
    "NATIVE_CALLS",
    "PYTHON_CALLS",
    "SOURCE_WAITS",
    "THREAD_WAITS",
    "CommunicationKind",
]


class CommunicationKind(StrEnum):
    """What a stack inside torch.distributed does."""

    COLLECTIVE = "collective"
    SEND = "send"
    RECV = "recv"
    STORE = "store"
    """Waits for a key of the store: rendezvous, a barrier over the store, `store.get`."""
    WAIT = "wait"
    """Waits for work that was started earlier; which operation, the stack does not tell."""
    BACKWARD = "backward"
    """In the autograd engine, below which DDP waits for its reductions unseen from Python."""
    DEVICE = "device"
    """Waits for the accelerator, which may itself be in a collective."""


def _calls(text: str, kind: CommunicationKind) -> dict[str, CommunicationKind]:
    return dict.fromkeys(text.split(), kind)


PYTHON_CALLS: dict[str, dict[str, CommunicationKind]] = {
    "torch/distributed/distributed_c10d.py": {
        **_calls(
            "broadcast all_reduce all_reduce_coalesced reduce all_gather_object gather_object broadcast_object_list "
            "scatter_object_list all_gather all_gather_single all_gather_into_tensor _all_gather_base "
            "all_gather_coalesced gather scatter reduce_scatter reduce_scatter_single reduce_scatter_tensor "
            "_reduce_scatter_base all_to_all_single all_to_all barrier monitored_barrier _coalescing_manager",
            CommunicationKind.COLLECTIVE,
        ),
        **_calls("send isend send_object_list", CommunicationKind.SEND),
        **_calls("recv irecv recv_object_list", CommunicationKind.RECV),
        **_calls("wait batch_isend_irecv", CommunicationKind.WAIT),
        **_calls(
            "init_process_group _store_based_barrier _new_process_group_helper _new_group_with_tag new_group "
            "split_group new_subgroups new_subgroups_by_enumeration shrink_group",
            CommunicationKind.STORE,
        ),
    },
    "torch/distributed/rendezvous.py": _calls(
        "_create_c10d_store _env_rendezvous_handler _tcp_rendezvous_handler _file_rendezvous_handler rendezvous",
        CommunicationKind.STORE,
    ),
    "torch/distributed/elastic/utils/store.py": _calls(
        "get_all synchronize barrier _barrier_nonblocking _try_detecting_missing_ranks", CommunicationKind.STORE
    ),
    "torch/distributed/utils.py": _calls(
        "_verify_param_shape_across_processes _sync_module_states _sync_params_and_buffers",
        CommunicationKind.COLLECTIVE,
    ),
    "torch/nn/parallel/distributed.py": _calls(
        "_distributed_broadcast_coalesced _sync_buffers _sync_module_states _check_global_requires_backward_grad_sync",
        CommunicationKind.COLLECTIVE,
    ),
    "torch/distributed/_functional_collectives.py": {
        **_calls("wait_tensor wait trigger_wait", CommunicationKind.WAIT),
        **_calls(
            "broadcast all_reduce all_gather_single all_gather_tensor reduce_scatter_single reduce_scatter_tensor "
            "all_reduce_coalesced all_gather_into_tensor_coalesced reduce_scatter_tensor_coalesced all_to_all_single "
            "permute_tensor",
            CommunicationKind.COLLECTIVE,
        ),
    },
    "torch/distributed/pipelining/schedules.py": _calls("_wait_batch_p2p", CommunicationKind.WAIT),
    "torch/distributed/rpc/api.py": _calls("_all_gather _barrier _wait_all_workers", CommunicationKind.WAIT),
}
"""Python functions by file. A stack is inside when one of them is on it and nothing of the user's runs above it."""

LOCAL_WORK: dict[str, frozenset[str]] = {
    "torch/distributed/distributed_c10d.py": frozenset(("_object_to_tensor", "_tensor_to_object")),
    "torch/distributed/c10d_logger.py": frozenset(("_get_msg_dict",)),
}
"""Functions that run below a communicating one and work for this rank alone: pickling."""

NATIVE_CALLS: tuple[tuple[re.Pattern[str], CommunicationKind], ...] = (
    (re.compile(r"c10d::.*RecvWork::|gloo::.*(?:waitRecv|::recv\b)|ncclRecv\b"), CommunicationKind.RECV),
    (re.compile(r"c10d::.*SendWork::|gloo::.*(?:waitSend|::send\b)|ncclSend\b"), CommunicationKind.SEND),
    (re.compile(r"c10d::(?:\w*Store::|detail::TCPClient)"), CommunicationKind.STORE),
    (
        re.compile(r"c10d::(?:Reducer|ProcessGroup|verify_params|broadcast_coalesced|Backend)"),
        CommunicationKind.COLLECTIVE,
    ),
    (re.compile(r"gloo::|p?nccl[A-Z]\w+|ccl::|hccl[A-Z]\w+|mccl[A-Z]\w+|ucc_|ucp_|MPI_"), CommunicationKind.COLLECTIVE),
    (re.compile(r"c10d::(?:\(anonymous namespace\)::)?\w*(?:Work::|wait_tensor)"), CommunicationKind.WAIT),
    (
        re.compile(r"(?:cuda|cu|hip)(?:Stream|Event|Device|Ctx)Synchronize|aclrtSynchronize|sycl::.*::wait"),
        CommunicationKind.DEVICE,
    ),
)
"""Native functions, matched at the beginning of the name. The first that matches any frame decides."""

HIDDEN_WAITS: dict[str, dict[str, CommunicationKind]] = {
    "torch/autograd/graph.py": _calls("_engine_run_backward", CommunicationKind.BACKWARD),
    "torch/autograd/__init__.py": _calls("backward grad", CommunicationKind.BACKWARD),
    "torch/cuda/__init__.py": _calls("synchronize", CommunicationKind.DEVICE),
    "torch/cuda/streams.py": _calls("synchronize", CommunicationKind.DEVICE),
    "torch/xpu/__init__.py": _calls("synchronize", CommunicationKind.DEVICE),
    "torch/xpu/streams.py": _calls("synchronize", CommunicationKind.DEVICE),
    "torch/accelerator/__init__.py": _calls("synchronize", CommunicationKind.DEVICE),
}
"""Functions that, as the innermost Python frame, may wait for other ranks in C++."""

SOURCE_WAITS: tuple[tuple[re.Pattern[str], CommunicationKind], ...] = (
    (re.compile(r"\.(?:synchronize|item|cpu|tolist|numpy)\s*\("), CommunicationKind.DEVICE),
    (re.compile(r"\.(?:backward)\s*\("), CommunicationKind.BACKWARD),
    (re.compile(r"\bstore\w*\.(?:get|wait|set|add)\s*\("), CommunicationKind.STORE),
    (re.compile(r"\.wait\w*\s*\("), CommunicationKind.WAIT),
)
"""Calls into C++ that leave no Python frame, as they read in the source line of the innermost frame."""

THREAD_WAITS: dict[str, frozenset[str]] = {
    "threading.py": frozenset(("join", "_wait_for_tstate_lock", "wait", "wait_for", "acquire")),
    "concurrent/futures/_base.py": frozenset(("result", "wait", "exception", "as_completed")),
    "queue.py": frozenset(("get", "put", "join")),
    "asyncio/base_events.py": frozenset(("_run_once", "run_forever", "run_until_complete")),
    "selectors.py": frozenset(("select",)),
}
"""Waiting for another thread of the same process."""
