"""Replaces what must not leave the house in texts of a bundle: hosts, paths, values of the store.

The same host is `host-1` wherever it stands, the same folder `dir-1`, the same file `file-1.py`. What is replaced and
what is not is written down in docs/bundle.md. A body that can't be read as text is left out, never passed on.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from .errors import UnredactableError
from .hosts import HostNames
from .paths import PathNames

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["HOSTS", "KINDS", "PATHS", "STORE", "Redaction"]

HOSTS, PATHS, STORE = "hosts", "paths", "store"
KINDS = (HOSTS, PATHS, STORE)

_LITERAL = re.compile(r'"(?:[^"\\]|\\.)*"', re.DOTALL)
_REMEMBERED = 200_000
"""Texts whose replacement is remembered; then it begins anew."""
_OWN_WORDS = frozenset(("event", "outcome", "source", "body", "how", "schema", "version", "verdict", "class", "kind"))
"""Fields of our own records with words from a fixed list: these are no text from outside."""
_FRAME = re.compile(r'(?<=\bFile ")[^"\n]*(?=")')
"""A frame as faulthandler writes it."""
_SPY_FRAME = re.compile(r"(?<=\()[^()\n]+(?=:[0-9]+\)\s*$)", re.MULTILINE)
"""A frame as py-spy writes it."""


class Redaction:
    """The replacements of one bundle. Used from one thread at a time."""

    def __init__(self, kinds: Iterable[str] = ()) -> None:
        """
        Args:
            kinds: some of `KINDS`.

        Raises:
            ValueError: another one.
        """
        self.kinds = frozenset(kinds)
        if unknown := self.kinds - set(KINDS):
            raise ValueError(f"{sorted(unknown)[0]!r} can't be redacted; what can is: {', '.join(KINDS)}")
        self._hosts = HostNames()
        self._paths = PathNames()
        self._remembered: dict[str, str] = {}
        self._of_files = False

    @property
    def rewrites(self) -> bool:
        """Whether texts are changed at all."""
        return bool(self.kinds & {HOSTS, PATHS})

    def learn(self, hosts: Iterable[str]) -> bool:
        """Host names and addresses that are to be replaced from now on, wherever they stand; True when one is new."""
        if HOSTS not in self.kinds or not self._hosts.learn(hosts):
            return False
        self._remembered.clear()
        return True

    def learn_files(self) -> None:
        """What is told is told of files: from now on a word with a slash in a text of ours is a path."""
        self._of_files = True
        self._remembered.clear()

    def text(self, text: str) -> str:
        """A text with all of it replaced."""
        if not self.rewrites or not text:
            return text
        known = self._remembered.get(text)
        if known is None:
            known = self._replaced(text, any_slash=self._of_files)
            if len(text) <= 1_000:
                if len(self._remembered) >= _REMEMBERED:
                    self._remembered.clear()
                self._remembered[text] = known
        return known

    def tree(self, value: object) -> object:
        """Plain values (dicts, lists, texts, numbers) with each text in them replaced."""
        if not self.rewrites:
            return value
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, dict):
            return {
                self.tree(key): part if key in _OWN_WORDS and isinstance(part, str) else self.tree(part)
                for key, part in value.items()
            }
        if isinstance(value, list | tuple):
            return [self.tree(part) for part in value]
        return value

    def body(self, data: bytes) -> bytes:
        """A rank's answer with all of it replaced.

        Raises:
            UnredactableError: it is no text, so that it can't be rewritten without risk.
        """
        if not self.rewrites or not data:
            return data
        if data[:1] == b"\x80":
            raise UnredactableError("a pickle can't be rewritten safely")
        try:
            text = data.decode("utf-8")
        except UnicodeDecodeError:
            raise UnredactableError("what is no text can't be rewritten safely") from None
        if "\0" in text:
            raise UnredactableError("what is no text can't be rewritten safely")
        made = self._json(text) if text.lstrip()[:1] in ("{", "[", '"') else self.text(text)
        return made.encode("utf-8")

    # ----------------------------------------------------------------------------------------------------------

    def _json(self, text: str) -> str:
        """JSON: each literal is replaced, all else stays as it is, byte by byte."""
        try:
            json.loads(text)
        except (ValueError, RecursionError):
            return self._broken_json(text)
        return _LITERAL.sub(lambda match: self._literal(match[0]), text)

    def _broken_json(self, text: str) -> str:
        """What looks like JSON, perhaps an answer that broke off: a text as well."""
        if "\\" in text:  # what escapes hide in it can't be told
            raise UnredactableError("broken JSON with escapes in it can't be rewritten safely")
        made, last = [], 0
        for literal in _LITERAL.finditer(text):
            made += [self.text(text[last : literal.start()]), self._literal(literal[0])]
            last = literal.end()
        return "".join([*made, self.text(text[last:])])

    def _literal(self, literal: str) -> str:
        known = self._remembered.get(literal)
        if known is not None:
            return known
        try:
            text = json.loads(literal, strict=False)
        except ValueError:
            raise UnredactableError("broken escapes in its JSON can't be rewritten safely") from None
        made = self._replaced(text)
        known = literal if made == text else json.dumps(made)
        if len(literal) <= 1_000 and len(self._remembered) < _REMEMBERED:
            self._remembered[literal] = known
        return known

    def _replaced(self, text: str, *, any_slash: bool = False) -> str:
        if PATHS in self.kinds:
            text = self._without_paths(text, any_slash)
        if HOSTS in self.kinds:
            text = self._hosts.replaced(text)
        return text

    def _without_paths(self, text: str, any_slash: bool) -> str:
        if PathNames.is_path(text):
            return self._paths.name(text)
        text = _FRAME.sub(lambda match: self._paths.name(match[0]), text)
        text = _SPY_FRAME.sub(lambda match: self._paths.name(match[0]), text)
        return self._paths.within(text, any_slash=any_slash)
