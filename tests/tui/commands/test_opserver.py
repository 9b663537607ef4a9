"""`xpudbg opserver`: its options, and the process from start to end."""

from __future__ import annotations

import http.client
import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from xpudbg.tui.cli import main

COMMAND = [sys.executable, "-m", "xpudbg.tui.cli", "opserver", "--port", "0"]
LINKS = os.pathsep.join(path for path in sys.path if path.endswith(".links"))


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (["--bind", "0.0.0.0"], "--insecure-bind"),
        (["--tls-ca", __file__], "go together"),
        (["--tls-ca", __file__, "--tls-cert", __file__, "--tls-key", __file__], "can't be used for TLS"),
        (["--workers", "0"], "0 is not in the range"),
        (["--bind", "192.0.2.1", "--insecure-bind"], "192.0.2.1:0 can't be listened on"),
    ],
)
def test_wrong_usage(words: list[str], text: str) -> None:
    result = CliRunner().invoke(main, ["opserver", "--port", "0", *words])
    assert result.exit_code == 2
    assert text in " ".join(result.output.split())


def test_an_interpreter_that_can_not_serve(tmp_path: Path) -> None:
    result = CliRunner().invoke(main, ["opserver", "--port", "0", "--python", str(tmp_path / "python")])
    assert result.exit_code == 3
    assert "can't be started" in result.output


def test_it_serves_until_it_is_told_to_end(tmp_path: Path) -> None:
    environment = os.environ | {"PYTHONPATH": LINKS, "TMPDIR": str(tmp_path)}
    with subprocess.Popen(COMMAND, stdout=subprocess.PIPE, text=True, env=environment, cwd=tmp_path) as process:
        assert process.stdout is not None
        line = process.stdout.readline()
        found = re.fullmatch(r"serving numpy.* on http://127\.0\.0\.1:(\d+); Ctrl-C ends it\n", line)
        assert found is not None, line
        connection = http.client.HTTPConnection("127.0.0.1", int(found[1]), timeout=60)
        connection.request("GET", "/v1/heartbeat")
        assert json.loads(connection.getresponse().read())["status"] == "ok"
        connection.close()
        process.send_signal(signal.SIGTERM)
        assert process.stdout.read() == ""
    assert process.returncode == 0
    assert [path.name for path in tmp_path.iterdir()] == []
