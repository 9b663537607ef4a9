"""A person's command: no shell, its environment, its failures."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from xpudbg.services.watch.hook import HookError, parse_hook, run_hook


def test_words_are_words_and_nothing_more() -> None:
    assert parse_hook("notify 'two words' $HOME;rm *") == ("notify", "two words", "$HOME;rm", "*")


@pytest.mark.parametrize("text", ["", "  ", "say 'open"])
def test_no_command_is_refused(text: str) -> None:
    with pytest.raises(HookError):
        parse_hook(text)


def test_it_finds_the_facts_in_its_environment(tmp_path: Path) -> None:
    file = tmp_path / "said"
    code = "import os, sys; open(sys.argv[1], 'w').write(os.environ['XPUDBG_SUMMARY'])"
    run_hook((sys.executable, "-c", code, str(file)), {"XPUDBG_SUMMARY": "rank 3 $(date) é"}, 30)
    assert file.read_text() == "rank 3 $(date) é"
    with pytest.raises(HookError, match="can't be started"):
        run_hook((sys.executable, "-c", code, str(file)), {"XPUDBG_SUMMARY": "rank 3\0"}, 30)
    assert "XPUDBG_SUMMARY" not in os.environ


def test_a_failure_is_told_with_its_last_words() -> None:
    code = "import sys; sys.stderr.write('x' * 5000 + '\\x1b[2J no route'); sys.exit(3)"
    with pytest.raises(HookError) as failed:
        run_hook((sys.executable, "-c", code), {}, 30)
    assert str(failed.value).startswith("the hook failed with exit code 3: xxx")
    assert str(failed.value).endswith("\\x1b[2J no route")
    assert len(str(failed.value)) < 400


def test_what_is_not_there_is_told() -> None:
    with pytest.raises(HookError, match="can't be started: /no/such: No such file or directory"):
        run_hook(("/no/such",), {}, 30)


def test_it_is_killed_when_it_takes_too_long() -> None:
    with pytest.raises(HookError, match=r"was killed: it took more than 0\.2 s"):
        run_hook(("/bin/sh", "-c", "sleep 600 & wait"), {}, 0.2)
