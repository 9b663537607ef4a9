"""Settings from statements: types, names, short forms, and problems with their lines."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from xpudbg.services.settings.reading import near, read_settings
from xpudbg.services.settings.shape import Limits, Settings, Target


def problems(text: str) -> list[str]:
    return [str(one) for one in read_settings(text)[2]]


def test_an_empty_file_is_the_defaults() -> None:
    assert read_settings("") == (Settings(), {}, [])
    assert read_settings("[keys]\n[targets]\n")[0] == Settings()


def test_short_and_long_forms() -> None:
    made, lines, wrong = read_settings(
        'refresh = 5\n[targets]\na = "h:1"\nb = ["http://a:1", "http://b:2"]\nc = "\'my dumps\' more"\n'
        '[targets.d]\nwords = "h:2"\nworld_size = 8\nmap = ["*.a=*.b"]\n[endpoints]\ngpu = "h:9090"\n'
        '[keys]\nlook = "f5"\nhelp = ["f1", "?"]\n'
    )
    assert wrong == []
    assert made.refresh == 5.0
    assert made.targets["a"].typed == ("h:1",)
    assert made.targets["b"].typed == ("http://a:1", "http://b:2")
    assert made.targets["c"].typed == ("my dumps", "more")
    assert made.targets["d"] == Target("h:2", world_size=8, map=("*.a=*.b",))
    assert made.endpoints["gpu"].url == "h:9090"
    assert made.keys == {"look": "f5", "help": ("f1", "?")}
    assert (lines["refresh"], lines["targets.b"], lines["targets.d.world_size"]) == (1, 4, 8)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("thme = 1", "thme is no setting; did you mean theme?"),
        ("theme = 1", "theme wants str, got int: 1"),
        ("mouse = 1", "mouse wants bool, got int: 1"),
        ("refresh = -1", "refresh wants float >= 0"),
        ("refresh = 0.1", "wants 0 or at least 0.5 seconds"),
        ("refresh = nan", "no number that can be used"),
        ("refresh = inf", "no number that can be used"),
        ('log_level = "loud"', "log_level"),
        ("limits = 3", "limits is a table; write [limits]"),
        ("keys = 3", "keys is a table of names"),
        ("theme.x = 3", "theme is one value, not a table"),
        ("limits.timeout_s = 0", "limits.timeout_s wants float >= 0.1: 0"),
        ("limits.parallel = 0", "limits.parallel wants int >= 1: 0"),
        ("limits.answer_mib = 257", "limits.answer_mib wants int <= 256: 257"),
        ("limits.looks = 1", "limits.looks wants int >= 2: 1"),
        ("limits.looks_memory_mib = 7", "limits.looks_memory_mib wants int >= 8: 7"),
        ("limits.analyses_memory_mib = 1.5", "limits.analyses_memory_mib wants int, got float: 1.5"),
        ("limits.looks_disk_mib = 2000000", "limits.looks_disk_mib wants int <= 1048576"),
        ("limits.tmeout_s = 3", "limits.tmeout_s is no setting; did you mean timeout_s?"),
        ('targets.a = ""', "targets.a names no target"),
        ('targets.a = "\'x"', "targets.a names no target"),
        ('targets.a = {ranks = "0"}', "targets.a: words is missing"),
        ('targets."a b" = "h"', "can't be a name"),
        ('targets.a = {words = "h", rnks = "0"}', "targets.a.rnks is no setting; did you mean ranks?"),
        ("targets.a = 3", "targets.a.words wants"),
        ("targets.a = {}", 'targets.a: words is missing; write words = "host:port"'),
        ("[targets.a]", 'targets.a: words is missing; write words = "host:port"'),
        ("[endpoints.a]", 'endpoints.a: url is missing; write url = "host:port"'),
        ("[theme]", "theme wants str"),
        ("[thme]", "thme is no setting"),
    ],
)
def test_a_wrong_value_is_told_with_its_line_and_the_rest_counts(line: str, said: str) -> None:
    text = f"\n{line}\n[limits]\ndeadline_s = 7\n" if not line.startswith("limits =") else f"\n{line}\nserver = 'h'\n"
    made, _, wrong = read_settings(text)
    assert [one.line for one in wrong] == [2]
    assert said in str(wrong[0])
    assert made.limits == (Limits() if made.server else Limits(deadline_s=7.0))
    assert made.limits.deadline_s == 7.0 or made.server == "h"


def test_a_name_that_can_not_be_used_at_all_is_told_by_its_problem() -> None:
    text = "[targets.a]\n[targets.b]\nwords = 'h:1'\nranks = 3\n[targets.c]\nranks = 3\n[endpoints]\n[endpoints.d]\n"
    made, found, wrong = read_settings(text)
    assert [one.spoils for one in wrong] == ["targets.a", "", "targets.c", "", "endpoints.d"]
    assert [one.line for one in wrong] == [1, 4, 6, 6, 8]
    assert list(made.targets) == ["b"]
    assert "targets.a" not in found


def test_what_is_set_twice_holds_as_first_set() -> None:
    text = 'theme = "a"\ntheme = "b"\n[targets]\nx = "h:1"\n[targets.x]\nwords = "h:2"\n'
    made, _, wrong = read_settings(text)
    assert (made.theme, made.targets["x"].words) == ("a", "h:1")
    assert [str(one) for one in wrong] == [
        "line 2: theme is set on line 1 already; that one holds",
        "line 6: targets.x.words: line 4 sets x to a value already",
    ]


def test_hostile_text_is_told_plain() -> None:
    (said,) = problems('theme = ["\\u001b[31m"]')
    assert "\x1b" not in said


_WORDS = ["theme", "keys", "targets", "limits", "[", "]", "=", ".", "a", '"x"', "3", "{", "}", "\n", "\n", " ", "#"]


@given(st.lists(st.sampled_from(_WORDS), max_size=40))
def test_no_file_stops_the_reader(words: list[str]) -> None:
    made, _, wrong = read_settings("".join(words))
    assert made.mouse
    assert all("\n" not in str(one) for one in wrong)


def test_near() -> None:
    assert near("refesh", ["refresh", "theme"]) == "did you mean refresh?"
    assert near("zzz", ["refresh"]) == ""
