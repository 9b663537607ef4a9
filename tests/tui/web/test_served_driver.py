"""The screens in a browser end with the server, however that ends."""

from __future__ import annotations

import asyncio
import os
import sys

from xpudbg.tui.web.session import GREETING, session_environment


async def test_a_server_that_is_gone_ends_them() -> None:
    links = os.pathsep.join(one for one in sys.path if one.endswith(".links"))
    env = {**session_environment(os.environ, 80, 24), "PYTHONPATH": links}
    env.pop("MASTER_ADDR", None)
    pipe = asyncio.subprocess.PIPE
    command = (sys.executable, "-P", "-m", "xpudbg.tui.cli", "attach")
    process = await asyncio.create_subprocess_exec(*command, stdin=pipe, stdout=pipe, stderr=pipe, env=env)
    try:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        assert await process.stdout.readuntil(b"\n") == GREETING
        process.stdin.close()
        process._transport.get_pipe_transport(1).close()  # type: ignore[attr-defined]
        assert await asyncio.wait_for(process.wait(), 30) == 0
        assert await process.stderr.read() == b""
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
