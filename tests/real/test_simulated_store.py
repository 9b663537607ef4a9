"""The simulated store, asked by torch's own client."""

from __future__ import annotations

import asyncio
import json
import subprocess

import pytest

from xpudbg.services.simulate.launch import running_demo

pytestmark = pytest.mark.torch

CLIENT = """
import datetime, json, sys
from torch.distributed import DistStoreError, TCPStore

second = datetime.timedelta(seconds=1)
store = TCPStore("127.0.0.1", int(sys.argv[1]), is_master=False, wait_for_workers=False)
said = {}
said["get"] = store.get("debug_server/rank0").decode()
said["check"] = [store.check(["debug_server/rank0", "debug_server/rank3"]), store.check(["debug_server/rank2"])]
said["several"] = [value.decode() for value in store.multi_get(["debug_server/rank0", "debug_server/rank3"])]
store.wait(["debug_server/rank1"], second)
try:
    store.wait(["debug_server/rank2"], second)
except DistStoreError:
    said["missing"] = "timed out"
said["after"] = store.get("debug_server/rank1").decode()
said["count"] = store.num_keys()
said["keys"] = sorted(store.list_keys())
said["binary"] = len(store.get("default_pg/0//cpu//0/3"))
print(json.dumps(said))
"""


async def test_torch_reads_it_like_its_own(torch_python: str) -> None:
    async with running_demo(4, "not-registered") as demo:
        client = await asyncio.to_thread(
            subprocess.run,
            [torch_python, "-c", CLIENT, str(demo.port)],
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
    assert client.returncode == 0, client.stderr
    said = json.loads(client.stdout)
    assert said["get"].startswith("http://127.0.0.1:")
    assert said["check"] == [True, False]
    assert said["several"][0] == said["get"]
    assert said["missing"] == "timed out"
    assert said["after"].startswith("http://127.0.0.1:")
    group = {f"default_pg/0//cpu//0/{rank}" for rank in range(4)}
    launcher = {"none/torchelastic/role_info/0", "none/torchelastic/assigned_ranks/0"}
    assert set(said["keys"]) == {f"debug_server/rank{rank}" for rank in (0, 1, 3)} | group | launcher
    assert said["count"] == len(said["keys"]) + 1  # torch counts its internal key and doesn't list it
    assert said["binary"] > 100
