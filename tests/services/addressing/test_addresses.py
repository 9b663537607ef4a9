from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from xpudbg.services.addressing.addresses import AddressMap, TargetError, parse_worker


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("http://host", "http://host:80"),
        ("HTTPS://Node-1", "https://node-1:443"),
        ("http://host:/", "http://host:80"),
        ("http://h:5/handler/", "http://h:5"),
        ("http://h:5/handler", "http://h:5"),
        ("http://h:5/", "http://h:5"),
        ("http://h:5/proxy/rank3/handler/", "http://h:5/proxy/rank3"),
        ("http://h:5/handlers", "http://h:5/handlers"),
        ("http://[fe80::1%25eth0]:80/", "http://[fe80::1%25eth0]:80"),
        ("http://[FD00::7]", "http://[fd00::7]:80"),
        ("http://gpu_node_07:41234", "http://gpu_node_07:41234"),
        ("http://h:5/ä", "http://h:5/%C3%A4"),
        ("h:5", "http://h:5"),
        ("[::1]:5", "http://[::1]:5"),
    ],
)
def test_worker_urls(text: str, shown: str) -> None:
    worker = parse_worker(text)
    assert worker.shown == shown
    assert worker.asked == shown


def test_user_and_password_are_used_and_never_shown() -> None:
    worker = parse_worker("http://user:p%40ss@h:1/x")
    assert worker.asked == "http://user:p%40ss@h:1/x"
    assert worker.shown == "http://h:1/x"
    assert "p%40ss" not in repr(worker)
    assert parse_worker("http://user:p@ss@h:1").asked == "http://user:p%40ss@h:1"


@pytest.mark.parametrize(
    "text",
    [
        "http://user:secret@",
        "http://user:secret@h:0",
        "http://user:sec/secret@h:5",
        "http://user:secret?@h:5",
        "http://user:secret@h o:5",
        "ftp://user:secret@h:5",
        "http://user:secret@[::1:5",
        "user:secret@h:5",
        "http:/user:secret@h:5",
    ],
)
def test_errors_show_no_password(text: str) -> None:
    with pytest.raises(TargetError) as caught:
        parse_worker(text)
    assert "secret" not in str(caught.value) + caught.value.hint
    assert "user" not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "empty"),
        ("http://", "empty"),
        ("http://[::1:5", "bracket"),
        ("http://h:5/?x=1", "no \\? or #"),
        ("http://h:5#x", "no \\? or #"),
        ("http://h\n:5", "control characters"),
        ("http://h:99999", "no number"),
        ("http://" + "h" * 3000, "longer than"),
        ("gopher://h:5", "http or https"),
        ("h", "port is missing"),
    ],
)
def test_what_is_no_worker(text: str, says: str) -> None:
    with pytest.raises(TargetError, match=says) as caught:
        parse_worker(text)
    assert caught.value.hint


def test_a_scheme_can_be_demanded() -> None:
    with pytest.raises(TargetError, match="not a URL"):
        parse_worker("h:5", scheme_needed=True)


@given(st.one_of(st.text(max_size=50), st.text(alphabet="htps:/[]%@ab01.?#", max_size=30).map("http://".__add__)))
def test_any_text_is_a_worker_or_a_typed_error(text: str) -> None:
    try:
        worker = parse_worker(text)
    except TargetError:
        return
    assert parse_worker(worker.asked) == worker
    assert parse_worker(worker.shown).shown == worker.shown


class TestAddressMap:
    @pytest.mark.parametrize(
        ("rules", "url", "asked"),
        [
            ([], "http://n1:5", "http://n1:5"),
            (["n1=10.0.0.1"], "http://n1:5", "http://10.0.0.1:5"),
            (["N1.=10.0.0.1"], "http://n1:5", "http://10.0.0.1:5"),
            (["n1=10.0.0.1"], "http://n1.:5", "http://10.0.0.1:5"),
            (["n1=10.0.0.1"], "http://n2:5", "http://n2:5"),
            (["n1:5=127.0.0.1:9001"], "http://n1:5", "http://127.0.0.1:9001"),
            (["n1:5=127.0.0.1:9001"], "http://n1:6", "http://n1:6"),
            (["n1:5=127.0.0.1"], "http://n1:5", "http://127.0.0.1:5"),
            (["n1=gateway:7"], "http://n1:5", "http://gateway:7"),
            (["*.cluster.local=*.lan"], "http://n1.cluster.local:5", "http://n1.lan:5"),
            (["*.cluster.local=*.lan"], "http://a.b.cluster.local:5", "http://a.b.lan:5"),
            (["*.cluster.local=*.lan"], "http://cluster.local:5", "http://cluster.local:5"),
            (["node-*=10.0.1.*"], "http://node-7:5", "http://10.0.1.7:5"),
            (["node-*:5=localhost:9"], "http://node-7:5", "http://localhost:9"),
            (["*=127.0.0.1"], "http://anything:5", "http://127.0.0.1:5"),
            (["*=127.0.0.1"], "http://[fd00::7]:5", "http://127.0.0.1:5"),
            (["[fd00::7]:5=[::1]:9"], "http://[fd00:0:0::7]:5", "http://[::1]:9"),
            (["fd00::a=::1"], "http://[fd00::a]:5", "http://[::1]:5"),
            (["[fd00::*]=[fd01::*]"], "http://[fd00::7]:5", "http://[fd01::7]:5"),
            (["n*=10.0.0.1", "n1=10.0.0.2", "n1:5=10.0.0.3"], "http://n1:5", "http://10.0.0.3:5"),
            (["n*=10.0.0.1", "n1=10.0.0.2", "n1:5=10.0.0.3"], "http://n1:6", "http://10.0.0.2:6"),
            (["n*=10.0.0.1", "*=10.0.0.2"], "http://n1:6", "http://10.0.0.1:6"),
            (["*=10.0.0.2", "n*=10.0.0.1"], "http://n1:6", "http://10.0.0.2:6"),
            (["a=b", "b=c"], "http://a:5", "http://b:5"),
            (["n1=10.0.0.1"], "https://user:pw@n1:5/x", "https://user:pw@10.0.0.1:5/x"),
        ],
    )
    def test_rules(self, rules: list[str], url: str, asked: str) -> None:
        assert AddressMap.parse(rules).apply(url) == asked

    @pytest.mark.parametrize(
        "rule",
        [
            "",
            "n1",
            "n1=",
            "=n1",
            "a=*.lan",
            "*.*=x",
            "*=a*b*",
            "n1=http://x:5",
            "n1:0=x",
            "n1=x:99999",
            "fd00::7:2950=x",
            "[fd00::*=x",
            "[fd00::*]x=y",
            "n 1*=x",
            "n1:*=x",
            "a=b=c",
        ],
    )
    def test_what_is_no_rule(self, rule: str) -> None:
        with pytest.raises(TargetError) as caught:
            AddressMap.parse([rule])
        assert "--map HOST=ADDR" in caught.value.hint

    def test_two_rules_for_one_host_that_differ(self) -> None:
        with pytest.raises(TargetError, match="another rule"):
            AddressMap.parse(["n1=a", "N1=b"])
        assert AddressMap.parse(["n1=a", "n1=a"]) == AddressMap.parse(["n1=a"])

    def test_a_pattern_that_makes_no_host(self) -> None:
        rules = AddressMap.parse(["*.local=10.0.0.*"])
        with pytest.raises(TargetError, match=r"makes '10\.0\.0\.300' of 300\.local") as caught:
            rules.apply("http://300.local:5")
        assert caught.value.hint

    def test_it_is_a_value(self) -> None:
        assert AddressMap.parse(["a=b"]) == AddressMap.parse(["a=b"])
        assert hash(AddressMap.parse(["a=b"])) == hash(AddressMap.parse(["a=b"]))
        assert not AddressMap()
        assert AddressMap.parse(["a=b"])

    @given(st.lists(st.text(alphabet="ab*=:.[]1%/ @", max_size=15), max_size=3), st.sampled_from(["a", "b.a", "[::1]"]))
    def test_any_rules_apply_or_give_a_typed_error(self, rules: list[str], host: str) -> None:
        try:
            asked = AddressMap.parse(rules).apply(f"http://{host}:5")
        except TargetError:
            return
        assert parse_worker(asked).shown == asked
