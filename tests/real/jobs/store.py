"""Serves a TCPStore. One JSON command a line on standard input, one JSON answer a line on standard output.

Usage: store.py libuv|plain. The first line of output is the port. Commands: {"set": {key: hex}}, {"fill": {key: size}}
(a value of that length), {"delete": [key]}, {"state": true} (answers {"count": n, "keys": {key: hex}}, as torch itself
reads them).
"""

import json
import sys
from datetime import timedelta

import torch.distributed as dist

store = dist.TCPStore(
    "127.0.0.1",
    0,
    is_master=True,
    wait_for_workers=False,
    use_libuv=sys.argv[1] == "libuv",
    timeout=timedelta(seconds=30),
)
print(json.dumps(store.port), flush=True)
for line in sys.stdin:
    command = json.loads(line)
    answer = None
    for key, value in command.get("set", {}).items():
        store.set(key, bytes.fromhex(value))
    for key, size in command.get("fill", {}).items():
        store.set(key, b"F" * size)
    for key in command.get("delete", []):
        store.delete_key(key)
    store.num_keys()  # a SET is not answered: this is, after those before it
    if command.get("state"):
        answer = {"count": store.num_keys(), "keys": {key: store.get(key).hex() for key in store.list_keys()}}
    print(json.dumps(answer), flush=True)
