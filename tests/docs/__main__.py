"""Writes what is generated in docs/: tables of keys and packages, the commands, the exit codes, the example dumps."""

from __future__ import annotations

from .command_page import REFERENCE, commands_page, with_codes
from .example_dumps import EXAMPLES, example_files
from .key_tables import PAGES, SCREENS, with_keys
from .room_table import ARCHITECTURE, with_rooms


def write() -> None:
    for name in PAGES:
        page = SCREENS / f"{name}.md"
        page.write_text(with_keys(name, page.read_text(encoding="utf-8")), encoding="utf-8")
    ARCHITECTURE.write_text(with_rooms(ARCHITECTURE.read_text(encoding="utf-8")), encoding="utf-8")
    (REFERENCE / "commands.md").write_text(commands_page(), encoding="utf-8")
    codes = REFERENCE / "exit-codes.md"
    codes.write_text(with_codes(codes.read_text(encoding="utf-8")), encoding="utf-8")
    for name, data in example_files().items():
        file = EXAMPLES / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data)


if __name__ == "__main__":
    write()
