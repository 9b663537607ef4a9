"""One rank of a real Gloo job, told what to do by lines on its standard input. Runs in an interpreter with torch.

Prints `ready` when its debug server is registered and the first collective is through, and `done COMMAND` after each
command. Commands: `all_reduce N`, `train` (all_reduce for ever, in the background), `work SECONDS` (all_reduce in the
main thread; one rank may be slow), `gil SECONDS` (hold the GIL in C), `load SECONDS` (sleep in a data loader), `busy
SECONDS` (a loop in Python), `recv RANK`, `irecv RANK`, `new_group NAME 0,1` (on every rank, in one order), `in NAME
OPERATION`, `store wait KEY`, `store get KEY`, `set KEY`, `handler NAME`, `quit`. The end of its
input ends it.
"""

import ctypes
import json
import os
import sys
import threading
import time

import torch
import torch.distributed as dist

rank = int(os.environ["RANK"])
dist.init_process_group("gloo")
if "skip-debug-server" not in os.environ.get("TRAINER_ROLE", ""):
    from torch.distributed.debug import start_debug_server

    dumps = {}
    if "DUMP_DIR" in os.environ:  # torch's periodic dumps too
        dumps = {"dump_dir": os.environ["DUMP_DIR"], "dump_interval": 0.5, "fetch_timeout": 2.0}
        dumps["enabled_dumps"] = {"stacks", "wait_counters", "tcpstore", "torchcomms_health_check"}
    start_debug_server(port=int(os.environ["FRONTEND_PORT"]), **dumps)


def all_reduce(times):
    tensor = torch.ones(16)
    for _ in range(times):
        dist.all_reduce(tensor)


def train():
    while True:
        all_reduce(1)
        time.sleep(0.01)


def work(seconds, pause):
    """The same number of steps on every rank: rank 0 decides when it is enough."""
    ends_at = time.monotonic() + seconds
    more = torch.ones(1)
    while more.item() > 0:
        time.sleep(pause)
        all_reduce(1)
        more[0] = 1.0 if time.monotonic() < ends_at else 0.0
        dist.broadcast(more, 0)


def next_batch(seconds):
    time.sleep(seconds)


def keep_busy(seconds):
    ends_at = time.monotonic() + seconds
    total = 0
    while time.monotonic() < ends_at:
        for number in range(1000):
            total += number * number
    return total


def hold_the_gil(seconds):
    ctypes.PyDLL(None).usleep(int(seconds * 1_000_000))


def in_group(group, operation):
    tensor = torch.ones(16)
    if operation == "all_reduce":
        dist.all_reduce(tensor, group=group)
    elif operation == "all_gather":
        dist.all_gather([torch.ones(16) for _ in range(dist.get_world_size(group))], tensor, group=group)
    elif operation == "barrier":
        dist.barrier(group=group)
    else:
        raise SystemExit(f"unknown operation {operation}")


def serve(name):
    """Register a handler of the job's own: it answers with what it was asked, and fails when told to."""

    def answer(request, response):
        if request.get_param("fail"):
            raise ValueError("told to fail")
        response.set_status(200)
        said = {"rank": rank, "depth": request.get_param("depth"), "text": request.get_param("text")}
        response.set_content(json.dumps(said), "application/json")

    torch._C._distributed_c10d._register_handler(name, answer)


groups = {}
all_reduce(1)
print("ready", flush=True)
for line in sys.stdin:
    name, *words = line.split()
    if name == "quit":
        break
    if name == "train":
        threading.Thread(target=train, daemon=True).start()
    elif name == "gil":
        print("holding", flush=True)
        hold_the_gil(float(words[0]))
    elif name == "work":
        print("working", flush=True)
        work(float(words[0]), float(words[1]) if len(words) > 1 else 0.01)
    elif name == "load":
        print("loading", flush=True)
        next_batch(float(words[0]))
    elif name == "busy":
        print("busy", flush=True)
        keep_busy(float(words[0]))
    elif name == "new_group":
        groups[words[0]] = dist.new_group([int(rank) for rank in words[1].split(",")])
    elif name == "in":
        in_group(groups[words[0]] if words[0] != "world" else None, words[1])
    elif name == "handler":
        serve(words[0])
    elif name == "recv":
        print("receiving", flush=True)
        dist.recv(torch.ones(4), int(words[0]))
    elif name == "irecv":
        print("receiving", flush=True)
        dist.irecv(torch.ones(4), int(words[0])).wait()
    elif name == "store":
        print("asking the store", flush=True)
        store = dist.distributed_c10d._get_default_store()
        store.wait([words[1]]) if words[0] == "wait" else store.get(words[1])
    elif name == "set":
        dist.distributed_c10d._get_default_store().set(words[0], "1")
    elif name == "all_reduce":
        all_reduce(int(words[0]))
    else:
        raise SystemExit(f"unknown command {name}")
    print("done", name, flush=True)
os._exit(0)
