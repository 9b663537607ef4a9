"""Links to other servers: found in the documents, well formed, and judged by their answer. Nothing is asked here."""

from __future__ import annotations

from pathlib import Path

import httpx
import pytest

from tests.docs.external_links import addresses, answer_of, fault_of
from tests.docs.test_documents import in_each_document


@in_each_document
def test_links_to_other_servers_are_well_formed(document: Path) -> None:
    linked = addresses(document.read_text(encoding="utf-8"))
    assert {address: fault_of(address) for address in linked if fault_of(address)} == {}


def test_links_are_found_and_code_is_not() -> None:
    text = """See [a](https://a.org/x#y), <https://b.org> and [c][1], but not `[d](https://d.org)`.

    xpudbg http://e.org:1

```sh
curl [f](https://f.org)
```

[1]: https://c.org/c
"""
    assert addresses(text) == ["https://a.org/x#y", "https://b.org", "https://c.org/c"]


@pytest.mark.parametrize(
    ("address", "fault"),
    [
        ("https://docs.pytorch.org/a/b.html#c", ""),
        ("http://docs.pytorch.org/", "not https"),
        ("https://", "no public host"),
        ("https://localhost/x", "no public host"),
        ("https://node-a/x", "no public host"),
        ("https://me:secret@a.org/", "a user or password"),
        ("https://a.org/ü", "characters that have to be escaped"),
        ("https://a.org:port/", "Port could not be cast to integer value as 'port'"),
    ],
)
def test_the_form_of_an_address(address: str, fault: str) -> None:
    assert fault_of(address) == fault


@pytest.mark.parametrize(("path", "said"), [("/there", ""), ("/moved", ""), ("/gone", "HTTP 404")])
def test_the_answer_of_an_address(path: str, said: str) -> None:
    def answer(request: httpx.Request) -> httpx.Response:
        if request.url.path == "/moved":
            return httpx.Response(301, headers={"Location": "/there"})
        return httpx.Response(200 if request.url.path == "/there" else 404)

    with httpx.Client(transport=httpx.MockTransport(answer), follow_redirects=True) as client:
        assert answer_of(client, f"https://a.org{path}") == said


def test_an_address_that_nothing_answers_is_said() -> None:
    def answer(request: httpx.Request) -> httpx.Response:
        raise httpx.ConnectError("no route", request=request)

    with httpx.Client(transport=httpx.MockTransport(answer)) as client:
        assert answer_of(client, "https://a.org/") == "ConnectError: no route"
