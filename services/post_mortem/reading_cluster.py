"""A Dask cluster as the executor that reads files where they lie (extra `[dask]`).

Its workers import xpudbg, so they need the same version of it. What they send back is unpickled here: the scheduler and
its workers are trusted as one's own machine is, unlike the files, which are read there as carefully as here.
"""

from __future__ import annotations

import re
from concurrent.futures import Executor, Future
from typing import TYPE_CHECKING, Any, TypeVar

from ..plain_text import plain
from ..targets import TargetError
from ..version import __version__

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from collections.abc import Iterable as AnyIterable

__all__ = ["ReadingCluster", "version_here"]

T = TypeVar("T")

CONNECT_S = 10.0
"""Seconds the scheduler has to answer, and again a worker to say its version."""
_ADDRESS = re.compile(r"(?:tcp|tls)://[^\s/]+:\d{1,5}", re.ASCII)


def version_here() -> str:
    """The version of xpudbg where this runs."""
    return __version__


class ReadingCluster(Executor):
    """The workers of a Dask scheduler, with the interface of a pool of this machine."""

    def __init__(self, address: str, connect_s: float | None = None) -> None:
        """Connect; blocks for at most two times `connect_s`.

        Args:
            address: `tcp://scheduler:8786`.
            connect_s: seconds the scheduler has to answer, and then its workers; `CONNECT_S` when None.

        Raises:
            TargetError: dask is not installed, nothing answers there, there is no worker, or the workers have another
                version of xpudbg.
        """
        connect_s = CONNECT_S if connect_s is None else connect_s
        if not _ADDRESS.fullmatch(address):
            raise TargetError(f"--executor: {plain(address)!r} is no scheduler", hint="write tcp://host:8786")
        try:
            import distributed
        except ImportError as error:
            raise TargetError(
                "--executor needs dask, which is not installed", hint="pip install 'xpudbg[dask]'"
            ) from error
        client: Any = distributed.Client
        try:
            self._client: Any = client(address, timeout=connect_s, set_as_default=False)
        except (OSError, TimeoutError, ValueError) as error:
            raise TargetError(
                f"no Dask scheduler answers at {address}: {plain(str(error) or type(error).__name__)}",
                hint="start one with `dask scheduler`, and workers with `dask worker` where the files lie",
            ) from error
        try:
            self._check(address, connect_s)
        except BaseException:
            self._client.close()
            raise
        self._executor: Executor = self._client.get_executor(pure=False)

    def _check(self, address: str, within_s: float) -> None:
        workers = self._client.scheduler_info().get("workers", {})
        if not workers:
            raise TargetError(
                f"the scheduler at {address} has no worker", hint="start `dask worker` where the files lie"
            )
        try:
            said = self._client.submit(version_here, pure=False).result(timeout=within_s)
        except Exception as error:  # whatever the worker failed with comes out here
            raise TargetError(
                f"the workers of {address} cannot read for xpudbg: {plain(f'{type(error).__name__}: {error}')}",
                hint=f"install xpudbg {__version__} on them too",
            ) from error
        if said != __version__:
            raise TargetError(
                f"the workers of {address} have xpudbg {plain(str(said))}, this is {__version__}",
                hint="install the same version on both",
            )

    @property
    def workers(self) -> int:
        """How many there are now."""
        return len(self._client.scheduler_info().get("workers", {}))

    def submit(self, fn: Callable[..., T], /, *args: Any, **kwargs: Any) -> Future[T]:
        return self._executor.submit(fn, *args, **kwargs)

    def map(
        self, fn: Callable[..., T], *iterables: AnyIterable[Any], timeout: float | None = None, chunksize: int = 1
    ) -> Iterator[T]:
        return self._executor.map(fn, *iterables, timeout=timeout, chunksize=chunksize)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        if not cancel_futures:
            self._executor.shutdown(wait=wait)
        self._client.close()  # what still runs for this client is let go of with it
