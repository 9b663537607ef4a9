"""Targets by name: what words mean, and which options hold."""

from __future__ import annotations

from pathlib import Path

import pytest

from xpudbg.services.addressing.endpoints import TargetError
from xpudbg.services.attach_options import AttachOptions
from xpudbg.services.settings.shape import Limits, Settings, Target
from xpudbg.services.settings.sources import Loaded, load_settings
from xpudbg.tui.named_targets import MIB, named_words, options_for, summary, what_is_meant, with_limits

TARGETS = {
    "prod": Target("10.0.0.5:29500"),
    "lab": Target(("h:1", "h:2"), world_size=64, timeout_s=8.0, insecure=True),
    "cut": Target('"a b'),
    "demo": Target("h:3"),
}
LOADED = Loaded(settings=Settings(targets=TARGETS))


@pytest.mark.parametrize(
    ("words", "meant", "name"),
    [
        (("prod",), ("10.0.0.5:29500",), "prod"),
        (("lab",), ("h:1", "h:2"), "lab"),
        (("prod", "lab"), ("prod", "lab"), ""),
        (("demo",), ("demo",), ""),
        (("other",), ("other",), ""),
        ((), (), ""),
    ],
    ids=["name", "list", "two words", "reserved", "no name", "nothing"],
)
def test_one_word_may_be_a_name(words: tuple[str, ...], meant: tuple[str, ...], name: str) -> None:
    made = what_is_meant(words, LOADED)
    assert (made.words, made.name, made.said) == (meant, name, "")


def test_a_file_wins_and_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("prod").touch()
    made = what_is_meant(("prod",), LOADED)
    assert (made.words, made.target) == (("prod",), None)
    assert "prod is a file here" in made.said


@pytest.mark.parametrize(
    ("word", "said"),
    [
        ("prdo", "prdo is no target of the settings, and taken for a host; did you mean prod?"),
        ("prod", ""),
        ("prod:29500", ""),
        ("demo", ""),
        ("elsewhere", ""),
    ],
)
def test_what_is_nearly_a_name_is_a_host_and_is_said(
    word: str, said: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    made = Loaded(settings=Settings(targets={"prod": TARGETS["prod"]}))
    monkeypatch.setattr("xpudbg.tui.named_targets.loaded_settings", lambda: made)
    assert named_words([word]) == (TARGETS["prod"].typed if word == "prod" else (word,))
    assert capsys.readouterr().err == (f"xpudbg: {said}\n" if said else "")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[targets.x]\n", 'line 1: targets.x: words is missing; write words = "host:port"'),
        ("theme = 'a'\n[targets]\nx = ''\n", 'line 3: targets.x names no target; write words = "host:port"'),
        ("[targets.x]\nranks = '0'\n[targets.y]\n", 'line 2: targets.x: words is missing; write words = "host:port"'),
        ("targets.x = 7\n", "line 1: targets.x.words wants str | array, got int: 7"),
    ],
)
def test_a_name_that_can_not_be_used_is_no_host(text: str, said: str, tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    path.write_text(text)
    loaded = load_settings({"XPUDBG_CONFIG": str(path)})
    with pytest.raises(TargetError) as failure:
        what_is_meant(("x",), loaded)
    assert str(failure.value) == f"x is a target of the settings that can't be used: config.toml, {said}"
    assert failure.value.hint == "mend it, or write x:29500 for a host of that name"
    assert what_is_meant(("x:29500",), loaded).words == ("x:29500",)
    assert what_is_meant(("z",), loaded).words == ("z",)


def test_a_quotation_mark_that_stands_alone_is_told() -> None:
    with pytest.raises(TargetError, match=r"targets\.cut: a quotation mark stands alone"):
        what_is_meant(("cut",), LOADED)


@pytest.mark.parametrize(
    ("given", "timeout_s", "world_size"),
    [
        (AttachOptions(), 8.0, 64),
        (AttachOptions(timeout_s=5.0), 5.0, 64),
        (AttachOptions(timeout_s=3.0, typed=frozenset(("timeout_s",))), 3.0, 64),
        (AttachOptions(timeout_s=9.0, world_size=2, name="prod", typed=frozenset()), 8.0, 64),
    ],
    ids=["usual", "not at its default", "typed at its default", "of the target before"],
)
def test_what_was_typed_wins(given: AttachOptions, timeout_s: float, world_size: int) -> None:
    made = options_for(what_is_meant(("lab",), LOADED), given, Settings())
    assert (made.timeout_s, made.world_size, made.insecure, made.name) == (timeout_s, world_size, True, "lab")


@pytest.mark.parametrize(
    ("target", "where"),
    [
        (Target("h:1", ranks="x"), "targets.t.ranks"),
        (Target("h:1", map=("x",)), "targets.t.map"),
        (Target("h:1", proxy="socks5://me:secret@p:1"), "targets.t.proxy"),
    ],
    ids=["ranks", "map", "proxy"],
)
def test_an_option_that_can_not_be_read_is_told(target: Target, where: str) -> None:
    with pytest.raises(TargetError) as failure:
        options_for(
            what_is_meant(("t",), Loaded(settings=Settings(targets={"t": target}))), AttachOptions(), Settings()
        )
    assert str(failure.value).startswith(where)
    assert "secret" not in f"{failure.value} {failure.value.hint}"


def test_a_summary_has_the_options_and_no_password() -> None:
    made = summary(Target("h:1", world_size=4, proxy="http://me:secret@p:3128", insecure=True))
    assert made == "h:1  world size 4, proxy http://p:3128, insecure"


def test_limits_go_into_the_options() -> None:
    made = with_limits(AttachOptions(), Limits(parallel=2, answer_mib=1, looks=5, looks_memory_mib=8))
    assert (made.parallel, made.largest_answer, made.bounds.looks, made.bounds.memory) == (2, MIB, 5, 8 * MIB)
