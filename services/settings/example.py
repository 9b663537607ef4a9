"""A file that shows each setting with its default and what it means, commented out. Made from the types."""

from __future__ import annotations

import ast
import inspect
import json
from functools import cache
from typing import TYPE_CHECKING, Any

import msgspec

from .shape import Settings
from .sources import VARIABLES

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["example_file", "meanings", "toml_value"]

_HEAD = """\
# Settings of xpudbg. Lines that begin with #: are examples, take the #: away.
# The command line wins over the environment, that over this file.
# `xpudbg config` shows what holds now and where it comes from."""

_EXAMPLES = {
    "targets": """\
#: prod = "10.0.0.5:29500"
#: two = ["http://node-1:41234", "http://node-2:41234"]
#: [targets.lab]
#: words = "lab-head:29500"
#: world_size = 64
#: ranks = "0-31"
#: map = ["*.lab.internal=*.lab.example"]
#: timeout_s = 8.0""",
    "endpoints": """\
#: gpu = "10.0.0.6:9090"
#: [endpoints.secure]
#: url = "https://ops.example:9443"
#: ca = "/etc/ssl/ops-ca.pem"
#: cert = "/etc/ssl/me.pem"
#: key = "/etc/ssl/me.key\"""",
    "keys": """\
#: look = ["f5", "r"]
#: help = "f1"
#: unmark_all = "U\"""",
    "columns": """\
#: [columns.ranks]
#: shown = ["rank", "class", "host"]
#: hidden = ["address"]
#: widths = { host = 24 }""",
}
"""What stands under a table whose names are free."""


def example_file() -> str:
    """The text of the file."""
    lines = [_HEAD, ""]
    tables: list[str] = []
    for one in msgspec.structs.fields(Settings):
        default = one.default if one.default is not msgspec.NODEFAULT else one.default_factory()
        said = _comment(meanings(Settings)[one.name], VARIABLES.get(one.name))
        if one.name in _EXAMPLES:
            tables.append(f"{said}\n[{one.name}]\n{_EXAMPLES[one.name]}\n")
        elif isinstance(default, msgspec.Struct):
            below = "\n".join(_fields(default, one.name))
            tables.append(f"{said}\n[{one.name}]\n{below}\n")
        else:
            lines += [said, f"#: {one.name} = {toml_value(default)}", ""]
    return "\n".join([*lines, *tables])


def _fields(made: msgspec.Struct, path: str) -> Iterator[str]:
    for one in msgspec.structs.fields(made):
        yield _comment(meanings(type(made))[one.name], VARIABLES.get(f"{path}.{one.name}"))
        yield f"#: {one.name} = {toml_value(getattr(made, one.name))}"


def _comment(text: str, variable: str | None) -> str:
    return f"# {text}" + (f" ({variable})" if variable else "")


@cache
def meanings(kind: type[msgspec.Struct]) -> dict[str, str]:
    """What the fields of a type mean, from the text under each in the source."""
    body = ast.parse(inspect.getsource(kind)).body[0]
    assert isinstance(body, ast.ClassDef)
    said: dict[str, str] = {}
    for field, text in zip(body.body, body.body[1:], strict=False):
        if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name) and isinstance(text, ast.Expr):
            said[field.target.id] = " ".join(str(ast.literal_eval(text.value)).split())
    return said


def toml_value(value: Any) -> str:
    """A value as TOML writes it."""
    if isinstance(value, tuple | list):
        return "[" + ", ".join(map(toml_value, value)) + "]"
    if isinstance(value, msgspec.Struct):
        value = {key: one for key, one in msgspec.structs.asdict(value).items() if one not in (None, (), {}, False)}
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{key} = {toml_value(one)}" for key, one in value.items()) + " }" if value else "{}"
    if isinstance(value, bool) or value is None:
        return str(value).lower()
    return json.dumps(value, ensure_ascii=False) if isinstance(value, str) else repr(value)
