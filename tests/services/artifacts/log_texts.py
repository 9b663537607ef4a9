"""Texts as torch and faulthandler write them, made anew: periodic dumps, tables, the watchdog's lines, small stacks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xpudbg.services.spool import Body

__all__ = [
    "TIMEOUT_MS",
    "faulthandler_text",
    "periodic_text",
    "plain_table",
    "put",
    "pyspy_text",
    "signal",
    "status",
    "timeout",
]

TIMEOUT_MS = 600_000


def put(data: bytes) -> Body:
    """A body in memory, as the spool makes it."""
    return Body(size=len(data), inline=data)


def faulthandler_text(rank: int, *threads: int, function: str = "train_step") -> str:
    """A traceback of all threads, the main thread last; ids tell ranks apart."""
    parts = [
        f'Thread 0x{number:016x} (most recent call first):\n  File "/lib/threading.py", line {number} in wait\n'
        for number in threads
    ]
    parts.append(
        f"Thread 0x{0xABC000 + rank:016x} (most recent call first):\n"
        f'  File "/job/train.py", line {100 + rank} in {function}\n'
        f'  File "/job/train.py", line 300 in <module>\n'
    )
    return "\n".join(parts)


def pyspy_text(rank: int, function: str = "train_step") -> str:
    return (
        f"Process {4000 + rank}: /usr/bin/python3 -u train.py\n"
        "Python v3.11.7 (/usr/bin/python3.11)\n"
        "\n"
        f'Thread {4000 + rank} (idle): "MainThread"\n'
        f"    {function} (train.py:{100 + rank})\n"
        "    <module> (train.py:300)\n"
        'Thread 0x7ED3637AE700 (active+gil): "pin \\"memory\\" (0)"\n'
        "    select (selectors.py:416)\n"
    )


def periodic_text(handler: str, answers: Sequence[str | tuple[int, str]], query: str = "") -> str:
    """A periodic dump as torch's page writes it: per rank a text, or status and reason of a failure."""
    failed = {rank: answer for rank, answer in enumerate(answers) if not isinstance(answer, str)}
    parts: list[str] = []
    if failed:
        parts.append(f"PARTIAL DATA: {len(answers) - len(failed)}/{len(answers)} workers responded")
        parts += [f"  Rank {rank}: {answer[1]}" for rank, answer in failed.items()]
        parts.append("")
    for rank, answer in enumerate(answers):
        parts.append(f"=== Rank {rank}: http://node-{rank // 2}:{40000 + rank}/handler/{handler}?{query} ===")
        parts.append(answer if isinstance(answer, str) else f"Error: {answer[0]}")
    return "\n".join(parts)


def plain_table(
    columns: Sequence[str], rows: Sequence[Sequence[object]], numbers: Mapping[str, bool] | None = None
) -> str:
    """A table in tabulate's form `plain`: text to the left, numbers to the right, two blanks between columns."""
    cells = [["" if cell is None else str(cell) for cell in row] for row in rows]
    right = [
        all(row[at].lstrip("-").isdigit() or not row[at] for row in cells) and bool(cells) for at in range(len(columns))
    ]
    widths = [max([len(name) + 2 * bool(cells), *(len(row[at]) for row in cells)]) for at, name in enumerate(columns)]
    lines = []
    for row in (list(columns), *cells):
        padded = [
            text.rjust(width) if aside else text.ljust(width)
            for text, width, aside in zip(row, widths, right, strict=True)
        ]
        lines.append("  ".join(padded).rstrip())
    return "\n".join(lines)


def timeout(
    rank: int | None,
    seq: int = 311,
    op: str = "ALLREDUCE",
    *,
    within: int | None = None,
    numel: int | None = 1024,
    clock: str = "10:00:00",
    ran: int = TIMEOUT_MS + 29,
) -> str:
    """`Watchdog caught collective operation timeout`; without a number of elements as torch before 2.1 writes it."""
    head = (
        f"[rank{rank}]:[E1130 {clock}.123456789 ProcessGroupNCCL.cpp:632] "
        if rank is not None
        else "[E Process.cpp:1] "
    )
    sizes = f", NumelIn={numel}, NumelOut={numel}" if numel is not None else ""
    work = f"WorkNCCL(SeqNum={seq}, OpType={op}{sizes}, Timeout(ms)={TIMEOUT_MS})"
    named = rank if within is None else within
    caught = f"[Rank {named}] Watchdog caught collective operation timeout: {work}"
    return f"{head}{caught} ran for {ran} milliseconds before timing out."


def status(
    rank: int, seq: int = 311, enqueued: int = 312, completed: int = 310, group: str = "ID 0 PG GUID 0(default_pg)"
) -> str:
    """How far a rank is in a group, written below its timeout."""
    head = (
        f"[rank{rank}]:[E1130 10:00:00.223456789 ProcessGroupNCCL.cpp:2271] [PG {group} Rank {rank}]  failure detected"
    )
    far = f"PG status: last enqueued work: {enqueued}, last completed work: {completed}"
    return f"{head} by watchdog at work sequence id: {seq} {far}"


def signal(rank: int, enqueued: int, completed: int, told_by: str = " rank 0") -> str:
    """What a rank says when another one has timed out."""
    head = (
        f"[rank{rank}]:[E1130 10:00:01.223456789 ProcessGroupNCCL.cpp:1870] [PG ID 0 PG GUID 0(default_pg) Rank {rank}]"
    )
    why = (
        f"Received a dump signal due to a collective timeout from {told_by} and we will try our best to dump the debug"
    )
    far = f"Last enqueued NCCL work: {enqueued}, last completed NCCL work: {completed}.This is most likely caused by"
    return f"{head} {why} info. {far} incorrect usages of collectives."
