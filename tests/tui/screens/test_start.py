"""The start screen."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from textual.widgets import Input, OptionList

from tests.tui.running import made, running
from tests.tui.scripted import NOW, job
from xpudbg.services.addressing.addresses import AddressMap
from xpudbg.services.attach_options import AttachOptions
from xpudbg.services.settings.reading import read_settings
from xpudbg.services.settings.recent import RecentTargets
from xpudbg.services.targets import DemoTarget, FilesTarget, StoreTarget
from xpudbg.tui.screens.help import HelpScreen

if TYPE_CHECKING:
    from tests.tui.running import Running


async def test_an_address_is_attached_to(tmp_path: Path) -> None:
    async with running(job(4), tmp_path, target=None) as run:
        assert run.app.current_mode == "start"
        await run.press(*"10.0.0.5:29500", "enter")
        await run.settled()
        assert run.engine.calls[0] == ("attach", StoreTarget("10.0.0.5", 29500))
        assert run.app.current_mode == "overview"
        assert "all 4 ranks answer" in run.text()


async def test_what_is_wrong_is_said_with_a_hint(tmp_path: Path) -> None:
    async with running([], tmp_path, target=None) as run:
        await run.press(*"host:99999", "enter")
        assert run.engine.calls == []
        assert "99999" in run.text()
        await run.press("backspace")
        assert run.app.current_mode == "start"


async def test_an_empty_line_attaches_to_nothing(tmp_path: Path) -> None:
    async with running([], tmp_path, target=None) as run:
        await run.press("enter")
        assert "Nothing is typed." in run.text()
        assert "the folder or files that a job left" in " ".join(run.text().split())
        assert run.engine.calls == []


async def test_a_folder_is_opened(tmp_path: Path) -> None:
    async with running([], tmp_path, target=None) as run:
        await run.press(*str(tmp_path), "enter")
        assert run.engine.calls == [("attach", FilesTarget((tmp_path,)))]


async def test_tab_takes_what_is_suggested_and_else_moves_on(tmp_path: Path) -> None:
    folder = tmp_path / "incident-09"
    folder.mkdir()
    async with running([], tmp_path, target=None) as run:
        line = run.app.screen.query_one(Input)
        assert "tab complete" in run.lines()[-1]
        line.value = f"{tmp_path}/incid"
        line.cursor_position = len(line.value)
        await run.until(lambda: bool(line._suggestion), "a folder is suggested")
        await run.press("tab")
        assert line.value == f"{folder}/"
        assert line.has_focus
        await run.press("tab")
        assert run.app.screen.query_one(OptionList).has_focus
        assert "tab next field" in run.lines()[-1]
        await run.press("tab", "enter")
        assert run.engine.calls == [("attach", FilesTarget((folder,)))]


async def test_the_footer_says_what_works_in_the_input_and_in_the_list(tmp_path: Path) -> None:
    async with running(job(4), tmp_path, target=None) as run:
        words = run.lines()[-1]
        assert "enter attach" in words
        assert "ctrl+q quit" in words
        assert "? keys" not in words
        await run.press("down")
        assert "? keys" in run.lines()[-1]
        await run.press("question_mark")
        await run.until(lambda: isinstance(run.app.screen, HelpScreen))
        assert "Signs" not in run.text()


async def test_every_choice_can_be_chosen(tmp_path: Path) -> None:
    async with running(job(4), tmp_path, target=None) as run:
        choices = run.app.screen.query_one(OptionList)
        assert not any(choices.get_option_at_index(at).disabled for at in range(choices.option_count))


async def test_a_long_target_used_before_is_not_cut(tmp_path: Path) -> None:
    RecentTargets(tmp_path / "recent.json").add(StoreTarget("a-long-name-of-a-head-node.cluster.example", 4000), NOW)
    async with running(job(4), tmp_path, target=None) as run:
        assert "a-long-name-of-a-head-node.cluster.example:4000" in run.text()


async def test_the_environment_is_read(tmp_path: Path) -> None:
    env = {"MASTER_ADDR": "head-7", "MASTER_PORT": "1234"}
    async with running(job(4), tmp_path, target=None, env=env) as run:
        await run.press("enter")
        assert run.engine.calls[0] == ("attach", StoreTarget("head-7", 1234))


async def test_the_demo_is_one_choice(tmp_path: Path) -> None:
    async with running(job(4), tmp_path, target=None) as run:
        await run.press("down", "enter")
        called, target = run.engine.calls[0]
        assert called == "attach"
        assert isinstance(target, DemoTarget)


async def test_a_target_used_before_is_one_choice(tmp_path: Path) -> None:
    RecentTargets(tmp_path / "recent.json").add(StoreTarget("old-head", 4000), NOW)
    async with running(job(4), tmp_path, target=None) as run:
        assert "old-head:4000" in run.text()
        await run.press("down", "enter")
        assert run.engine.calls[0] == ("attach", StoreTarget("old-head", 4000))


async def test_a_target_that_opened_is_remembered(tmp_path: Path) -> None:
    async with running(job(4), tmp_path):
        assert [entry.words for entry in RecentTargets(tmp_path / "recent.json").load()] == [("head-0:29500",)]


async def test_a_damaged_list_is_said(tmp_path: Path) -> None:
    (tmp_path / "recent.json").write_text("{")
    async with running([], tmp_path, target=None) as run:
        assert "damaged" in run.text()


async def test_the_job_is_kept_until_another_is_attached_to(tmp_path: Path) -> None:
    async with running(job(4), tmp_path) as run:
        await run.press("2", "j", "t")
        assert run.app.current_mode == "start"
        assert "Attached to store head-0:29500" in run.text()
        await run.press("escape")
        assert run.app.current_mode == "ranks"
        assert run.app.session.selected == 1
        assert run.engine.told("detach") == 0
        await run.press("t", *"b:1", "enter")
        await run.settled()
        assert ("attach", StoreTarget("b", 1)) in run.engine.calls
        assert run.app.current_mode == "overview"
        assert run.app.session.selected == 0
        assert "all 4 ranks answer" in run.text()
        await run.press("escape")
        await run.until(lambda: "there is no earlier place" in run.text())


async def test_escape_does_not_quit(tmp_path: Path) -> None:
    async with running([], tmp_path, target=None) as run:
        await run.press("escape")
        await run.until(lambda: "there is no job" in run.text())
        await run.press("ctrl+q")
        await run.until(lambda: not run.app.is_running)


FILE = """\
[targets]
prod = "10.0.0.5:29500"
spaced = "10.0.0.7:1"
bad = { words = "10.0.0.8:1", ranks = "x-y" }
[targets.lab]
words = "lab-head:29500"
world_size = 64
ranks = "0-31"
map = ["*.lab.internal=*.lab.example"]
timeout_s = 8.0
proxy = "http://me:secret@p:3128"
ca = "/ca.pem"
"""


def named(run: Running, text: str = FILE) -> list[AttachOptions | None]:
    """Give the application these settings; the options that targets are attached to with."""
    preferences = run.app.preferences
    preferences.loaded = replace(preferences.loaded, settings=read_settings(text)[0])
    asked: list[AttachOptions | None] = []
    attach = run.engine.attach

    def noted(target: object, options: object = None) -> None:
        assert options is None or isinstance(options, AttachOptions)
        asked.append(options)
        attach(target, options)

    run.engine.attach = noted  # type: ignore[method-assign]
    return asked


async def test_a_named_target_has_its_options_and_is_remembered_by_its_name(tmp_path: Path) -> None:
    async with running(job(4), tmp_path) as run:
        asked = named(run)
        await run.press("t", *"lab", "enter")
        await run.settled()
        assert run.engine.calls[-1] == ("attach", StoreTarget("lab-head", 29500))
        assert asked[-1] is not None
        assert (asked[-1].world_size, str(asked[-1].ranks), asked[-1].timeout_s) == (64, "0-31", 8.0)
        assert (asked[-1].proxy, asked[-1].ca_file) == ("http://me:secret@p:3128", Path("/ca.pem"))
        assert asked[-1].address_map == AddressMap.parse(["*.lab.internal=*.lab.example"])
        assert RecentTargets(tmp_path / "recent.json").load()[0].words == ("lab",)
        await run.press("t")
        text = run.text()
        assert "again  lab" in text
        assert "secret" not in text
        await run.press(*"b:1", "enter")
        await run.settled()
        assert asked[-1] is not None
        assert (asked[-1].world_size, asked[-1].ranks, asked[-1].proxy, asked[-1].name) == (None, None, None, "")
        await run.press("t", "down", "down", "enter")
        await run.settled()
        assert run.engine.calls[-1] == ("attach", StoreTarget("lab-head", 29500))
        assert asked[-1] is not None
        assert (asked[-1].world_size, asked[-1].name) == (64, "lab")


async def test_names_are_listed_completed_and_told_where_they_are_wrong(tmp_path: Path) -> None:
    RecentTargets(tmp_path / "recent.json").add(StoreTarget("gone", 1), NOW, "gone")
    run = made(job(4), tmp_path, target=None)
    named(run)
    async with run.app.run_test(size=(80, 24)) as run.pilot:
        await run.settled()
        assert "named  prod" in run.text()
        line = run.app.screen.query_one(Input)
        for typed, said in (
            ("bad", "targets.bad.ranks"),
            ("prdo", "no target of the settings is called prdo"),
            ('"a b', "A quotation mark or backslash stands alone."),
        ):
            line.value = typed
            await run.press("enter")
            assert said in run.text()
        await run.press("down", "enter")
        assert "no target of the settings is called gone" in run.text()
        assert run.engine.calls == []
        line.focus()
        line.value = ""
        await run.press(*"pro")
        await run.until(lambda: line._suggestion == "prod", "a name is suggested")
        await run.press("tab", "enter")
        assert run.engine.calls == [("attach", StoreTarget("10.0.0.5", 29500))]
