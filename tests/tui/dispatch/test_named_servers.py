"""Op servers by name, as the dispatch screen has them."""

from __future__ import annotations

from pathlib import Path

import pytest

from xpudbg.services.addressing.endpoints import TargetError
from xpudbg.services.dispatch.endpoint import OpEndpoint, TlsSettings
from xpudbg.services.runs.references import ServerReference
from xpudbg.services.settings.shape import Endpoint, Settings
from xpudbg.services.settings.sources import Loaded
from xpudbg.services.settings.statements import Problem
from xpudbg.tui.dispatch.desk import parse_reference, parse_servers
from xpudbg.tui.dispatch.named_servers import NamedServers
from xpudbg.tui.suggesters.names import NameSuggester

GPU = OpEndpoint("10.0.0.6", 9090)
SECURE = OpEndpoint("ops", 9443, TlsSettings(Path("/ca.pem"), Path("/me.pem"), Path("/me.key")))
ENDPOINTS = {
    "gpu": Endpoint("10.0.0.6:9090"),
    "secure": Endpoint("https://ops:9443", "/ca.pem", "/me.pem", "/me.key"),
    "broken": Endpoint("ftp://x"),
}
MISSING = Problem(7, "endpoints.empty: url is missing", spoils="endpoints.empty")
NAMED = NamedServers(Loaded(Settings(endpoints=ENDPOINTS), problems=(MISSING,)))


def test_names_stand_for_servers_with_their_files() -> None:
    assert parse_servers("gpu, secure h:1 gpu", (), NAMED) == (GPU, SECURE, OpEndpoint("h", 1))
    assert parse_reference("gpu", (), NAMED) == ServerReference(GPU)
    assert (NAMED.said(SECURE), NAMED.said(OpEndpoint("h", 1))) == ("secure (ops:9443)", "h:1")
    assert NAMED.called(OpEndpoint("ops", 9443)) == ""


def test_a_name_whose_address_can_not_be_read_is_told() -> None:
    with pytest.raises(TargetError, match=r"endpoints\.broken"):
        parse_servers("broken", (), NAMED)
    assert "endpoints.broken" in NAMED.about("broken")
    with pytest.raises(
        TargetError, match="empty is an op server of the settings that can't be used: line 7: endpoints"
    ):
        parse_servers("empty", (), NAMED)


@pytest.mark.parametrize(
    ("typed", "several", "suggested"),
    [
        ("g", False, "gpu"),
        ("gpu", False, None),
        ("", False, None),
        ("x g", False, None),
        ("x g", True, "x gpu"),
        ("x,s", True, "x,secure"),
        ("x ", True, None),
    ],
)
async def test_names_are_completed(typed: str, several: bool, suggested: str | None) -> None:
    assert await NameSuggester(NAMED.names, several=several).get_suggestion(typed) == suggested
