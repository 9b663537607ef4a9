"""torch's own analysis of the answers of the ranks, as its debug page makes it. Runs in an interpreter with torch.

python torch_side.py FOLDER: files `N.json` of ranks N. Prints JSON: the collectives that the page's table shows with
missing ranks or a mismatch.
"""

import json
import logging
import sys
from pathlib import Path
from types import SimpleNamespace

from torch.distributed.debug._debug_handlers import FlightRecorderHandler

logging.disable(logging.CRITICAL)
answers = {int(path.stem): path for path in Path(sys.argv[1]).iterdir()}
responses = []
for rank in range(max(answers) + 1):
    text = answers[rank].read_text() if rank in answers else ""
    status = 200 if rank in answers else 503
    responses.append(SimpleNamespace(status_code=status, json=lambda text=text: json.loads(text)))
database = FlightRecorderHandler._build_db([f"rank{rank}" for rank in range(len(responses))], responses)


def odd_ranks(row):
    """Ranks that the table files under a mismatch."""
    for column in (row.mismatch_collectives, row.type_of_mismatch):
        if isinstance(column, dict) and column:
            return sorted(column)
    return []


json.dump(
    [
        {
            "missing": sorted(row.missing_ranks or ()),
            "mismatch": odd_ranks(row),
            "differs": bool(row.type_of_mismatch or row.mismatch_collectives),
        }
        for row in database.collectives
        if row.missing_ranks or row.type_of_mismatch or row.mismatch_collectives
    ],
    sys.stdout,
)
