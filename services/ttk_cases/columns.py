"""Which columns a case file has, and what kind of file that makes it.

Source: the column names of the operator test kit hicann/ops-test-kit, commit f480a3d8 and later.
"""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection

__all__ = ["KNOWN", "RESULTS", "CaseKind", "kind_of", "shapes_column"]


def _names(text: str) -> tuple[str, ...]:
    return tuple(text.split())


COMMON = _names(
    "testcase_name network_name input_data_ranges precision_tolerances absolute_precision is_enabled remark soc_series "
    "priority attributes batch_seed batch_axis batch_slice_info manual_input_binaries manual_golden_binaries "
    "manual_xpu_binaries"
)
E2E = _names(
    "api_name tensor_view_shapes tensor_dtypes tensor_formats tensor_storage_shapes tensor_view_offsets "
    "tensor_view_strides output_tensor_indexes golden_api scalar_dtypes"
)
KERNEL = _names(
    "op_name input_shapes input_dtypes input_formats input_ori_shapes input_ori_formats output_shapes output_dtypes "
    "output_formats output_ori_shapes output_ori_formats output_inplace_indexes output_shape_unknown_indexes "
    "dump_file_prefix dyn_input_shapes"
)
_LEGS = ("eager", "graph_cst", "graph_dyn", "graph_aclgraph")
_LEG_COLUMNS = ("precision", "device_perf_us", "cpu_perf_us", "kernel_count", "kernel_details")
_BUILDS = ("dyn", "cst", "bin")
_BUILD_COLUMNS = _names(
    "tiling_time_us kernel_name block_dim perf_us compile_s precision oob_result tiling_key tiling_data workspaces"
)
RESULTS = (
    *(f"{leg}_{column}" for leg in _LEGS for column in _LEG_COLUMNS),
    *(f"{build}_{column}" for build in _BUILDS for column in _BUILD_COLUMNS),
    *[
        "precision_status",
        "perf_status",
        "memory_oob_status",
        "precision_metrics",
        "xpu_metrics",
        "batch_consistency_id",
    ],
    *["data_input_size_b", "data_output_size_b", "soc"],
)
"""Columns that a run adds."""
KNOWN = frozenset((*COMMON, *E2E, *KERNEL, *RESULTS))


class CaseKind(Enum):
    """What a row calls."""

    E2E = "e2e"
    """An API of a framework, by its dotted path, or an aclnn function."""
    KERNEL = "kernel"
    """An operator by its name; the server finds an API for it."""


def kind_of(columns: Collection[str]) -> CaseKind | None:
    """The kind of a file with these columns; None: it is no case file."""
    if "api_name" in columns:
        return CaseKind.E2E
    return CaseKind.KERNEL if "op_name" in columns else None


def shapes_column(kind: CaseKind) -> str:
    """The column that says which inputs there are."""
    return "tensor_view_shapes" if kind is CaseKind.E2E else "input_shapes"
