"""Coordinates of ranks (tp, pp, dp, ...) from the descriptions of their groups.

Known are Megatron's names, dimensions of a torch device mesh (with or without `mesh_`), DeepSpeed's and FSDP's. The
coordinate of a rank is its place among the ascending ranks of its group.
"""

from __future__ import annotations

import re
from collections import defaultdict
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from .groups import JobGroup

__all__ = ["DIMENSIONS", "coordinates", "dimension_of", "written", "written_short"]

DIMENSIONS = (
    *("pp", "dp_replicate", "dp_shard", "dp_shard_cp", "dp", "dp_cp", "fsdp", "cp", "sp", "tp"),
    *("ep", "etp", "edp", "ep_tp", "dp_shard_mod_ep", "dp_shard_in_ep", "efsdp"),
)
"""In the order in which they are written."""
_MAIN = frozenset(("pp", "dp", "dp_replicate", "dp_shard", "dp_cp", "fsdp", "cp", "sp", "tp", "ep"))
"""Dimensions that tell a rank from the others; the rest are made of these."""

_MEGATRON = {
    "tensor_model_parallel": "tp",
    "pipeline_model_parallel": "pp",
    "data_parallel": "dp",
    "data_parallel_group_with_cp": "dp_cp",
    "context_parallel": "cp",
    "expert_model_parallel": "ep",
    "expert_tensor_parallel": "etp",
    "expert_data_parallel": "edp",
    "tensor_and_expert_parallel": "ep_tp",
    "expert_tensor_and_model_parallel": "ep_tp",
}
_OTHERS = {
    # torch mesh dimensions that are written another way
    "tensor": "tp",
    "tensor_parallel": "tp",
    "pipe": "pp",
    "pipeline": "pp",
    "pipeline_parallel": "pp",
    "pipe_parallel": "pp",
    "data": "dp",
    "context": "cp",
    "expert": "ep",
    "expert_parallel": "ep",
    "replicate": "dp_replicate",
    "dp_replicated": "dp_replicate",
    "shard": "dp_shard",
    "hsdp_replicate": "dp_replicate",
    "hsdp_shard": "dp_shard",
    "fsdp_replicate": "dp_replicate",
    "fsdp_shard": "dp_shard",
    # DeepSpeed
    "model_parallel": "tp",
    "slice_parallel": "tp",
    "sequence_parallel": "sp",
    "sequence_data_parallel": "dp",
}
_EP_SIZE = re.compile(r"ep_size_\d+")


def dimension_of(desc: str) -> str | None:
    """The dimension that a group of this description runs along, None when it is none of those known."""
    megatron = desc.isupper()
    name = desc.strip().lower().replace("-", "_").removeprefix("mesh_")
    short = name.removesuffix("_group")
    if megatron:
        return _MEGATRON.get(name) or _MEGATRON.get(short)
    if short in DIMENSIONS:
        return short
    return "ep" if _EP_SIZE.fullmatch(short) else _OTHERS.get(short) or _MEGATRON.get(short)


def coordinates(groups: Iterable[JobGroup]) -> Mapping[int, Mapping[str, int]]:
    """By rank: its coordinate along each dimension, in the order of `DIMENSIONS`.

    A dimension in which a rank would be in two groups is no dimension of this job, and is left out.
    """
    found: dict[str, dict[int, int]] = defaultdict(dict)
    ambiguous: set[str] = set()
    for group in groups:
        dimension = dimension_of(group.desc)
        if dimension is None:
            continue
        placed = found[dimension]
        for place, rank in enumerate(group.ranks):
            if rank in placed:
                ambiguous.add(dimension)
            placed[rank] = place
    by_rank: dict[int, dict[str, int]] = defaultdict(dict)
    for dimension in DIMENSIONS:
        if dimension not in ambiguous:
            for rank, place in found.get(dimension, {}).items():
                by_rank[rank][dimension] = place
    return {rank: by_rank[rank] for rank in sorted(by_rank)}


def written(of_rank: Mapping[str, int]) -> str:
    """`pp0 dp1 tp3`; empty when there are none."""
    return " ".join(f"{dimension}{place}" for dimension, place in of_rank.items())


def written_short(of_rank: Mapping[str, int]) -> str:
    """The same without the dimensions that are made of others, where there are others."""
    return written({dimension: place for dimension, place in of_rank.items() if dimension in _MAIN}) or written(of_rank)
