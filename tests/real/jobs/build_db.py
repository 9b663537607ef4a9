"""torch's own analysis of the pickles in a folder, as JSON on standard output. Runs in an interpreter with torch."""

import argparse
import json
import logging
import pickle
import sys
from pathlib import Path

from torch.distributed.flight_recorder.components.builder import build_db

logging.disable(logging.CRITICAL)
details = {}
for path in sorted(Path(sys.argv[1]).iterdir(), key=lambda path: int(path.name.rpartition("_")[2])):
    with path.open("rb") as file:
        dump = pickle.load(file)
    rank = int(path.name.rpartition("_")[2])
    details[path.name] = {"host_name": f"host{rank}", "rank": rank, **dump}
version = next(iter(details.values()))["version"]
arguments = argparse.Namespace(verbose=False, just_print_entries=False, allow_incomplete_ranks=True, mismatch_cap=10)
database = build_db(details, arguments, version)
json.dump(
    {
        "groups": database.groups,
        "memberships": database.memberships,
        "collectives": [
            {name: sorted(value) if isinstance(value, set) else value for name, value in row._asdict().items()}
            for row in database.collectives
        ],
        "nccl_calls": database.ncclcalls,
    },
    sys.stdout,
    default=str,
)
