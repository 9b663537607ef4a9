"""Dumps of a job that is gone, on the screens: the program's own engine reads real files."""

from __future__ import annotations

import shutil
import tarfile
from pathlib import Path

from tests.services.artifacts.log_texts import faulthandler_text, periodic_text
from tests.tui.running import Clock, Running
from xpudbg.services.attach_options import AttachOptions
from xpudbg.services.engine import Engine
from xpudbg.services.settings.recent import RecentTargets
from xpudbg.services.targets import FilesTarget
from xpudbg.tui.app import XpudbgApp

ALL = Path(__file__).parents[1] / "data" / "flight_recorder"
DUMPS = ALL / "coalesced-missing-on-one-rank"


async def test_dumps_are_opened_from_the_start_screen(tmp_path: Path) -> None:
    with Engine() as engine:
        app = XpudbgApp(engine, None, AttachOptions(), env={}, recent=RecentTargets(tmp_path / "recent.json"))
        run = Running(app, None, Clock())  # type: ignore[arg-type]
        async with app.run_test(size=(120, 36), notifications=True) as run.pilot:
            await run.press(*str(DUMPS), "enter")
            await run.until(lambda: app.session.latest is not None, "the dumps are read")
            await run.until(lambda: "Rank 2 has not joined" in run.text())
            assert app.session.post_mortem
            assert "3 post mortem" in run.text()
            assert "rank_2.json" in run.text()
            assert "read again" in run.lines()[-1]
            for action in ("refresh", "cancel_look"):
                app.perform(action)
                await run.until(lambda: "this is a post mortem, there is nothing to ask" in run.text(), action)
                app.clear_notifications()
                await run.until(lambda: "there is nothing to ask" not in run.text(), "the notice is gone")
            looks = len(app.session.looks)
            await run.press("r")
            again = "the files are read again; what is newer than before becomes a look of its own"
            assert [note.message for note in app._notifications] == [again]
            await run.until(lambda: len(app.session.looks) > looks, "the dumps are read again")
            await run.press("2")
            titles = next(line for line in run.lines() if line.split()[:1] == ["rank"])
            assert "in call" in titles
            assert not {"class", "since", "ping", "reason", "address"} & set(titles.split())
            row = next(line for line in run.lines() if line.split()[:1] == ["2"])
            assert "not in a call" in row
            assert "rank_2.json" in row
            app.clock = lambda: 2**62
            app.attachment.look_when_due()
            await run.press("3")
            app.perform("py_spy")
            await run.until(lambda: run.text().count("this is a post mortem, there is nothing to ask") >= 1)
            assert not app.attachment.asking


ANSWERS = {
    "all-to-all-uneven/c": "No problem found: the dumps of all 2 ranks agree.",
    "broken-and-partial-files": "Ranks 1-2 have not joined all_reduce #2",
    "coalesced-missing-on-one-rank": "Rank 2 has not joined all_gather #2",
    "completed-after-abort": "All_reduce #2 of default_pg ended only by an abort",
    "gloo-empty-pg-config": "Rank 1 has not joined all_reduce #4",
    "group-desc-differs": "Rank 1 has not joined all_reduce #2",
    "guilty-rank-left-no-dump": "Rank 0 left no flight recorder dump",
    "hostile-frame-text": "Rank 2 has not joined all_reduce #7",
    "hostnames-in-file-names/pickles": "Rank 9 (node-b07) has not joined all_reduce #2",
    "minority-rank-is-the-outlier": "Rank 0 calls something else than the others in all_reduce #39",
    "only-active-dump": "Rank 2 has not joined broadcast #9",
    "p2p-batch-healthy/a": "No problem found: the dumps of all 4 ranks agree.",
    "ring-buffers-wrapped-differently": "Rank 1 has not joined reduce_scatter_base #54",
}


async def opened(run: Running, label: str, answer: str) -> None:
    """Wait until the first screen says so of this target."""
    await run.until(lambda: run.app.session.label == label and run.app.session.latest is not None, label)
    await run.until(lambda: answer in " ".join(run.text().split()), f"{label}: {answer}")


async def test_folders_and_archives_say_who_is_at_fault_on_the_first_screen(tmp_path: Path) -> None:
    with Engine() as engine:
        app = XpudbgApp(engine, None, AttachOptions(), env={}, recent=RecentTargets(tmp_path / "recent.json"))
        run = Running(app, None, Clock())  # type: ignore[arg-type]
        async with app.run_test(size=(120, 36), notifications=True) as run.pilot:
            for number, (name, answer) in enumerate(ANSWERS.items()):
                archive = tmp_path / f"{number}.tgz"
                with tarfile.open(archive, "w:gz") as packed:
                    packed.add(ALL / name, "job")
                for path in (ALL / name, archive):
                    app.attach(FilesTarget((path,)))
                    await opened(run, str(path), answer)
                    if name == "broken-and-partial-files":
                        await run.until(lambda: "partial: 4 files could not be used (U lists)" in run.text())
                    else:
                        assert "could not be used" not in run.text()


async def test_the_files_that_could_not_be_used_and_reading_again(tmp_path: Path) -> None:
    folder = tmp_path / "job"
    folder.mkdir()
    for path in DUMPS.glob("rank_*.json"):
        shutil.copy(path, folder)
    (folder / "rank_3.json").write_bytes(b"")
    (folder / "stacks_20261130_135600.txt").write_text(periodic_text("dump_traceback", [faulthandler_text(0)] * 3))
    with Engine() as engine:
        app = XpudbgApp(
            engine, FilesTarget((folder,)), AttachOptions(), env={}, recent=RecentTargets(tmp_path / "recent.json")
        )
        run = Running(app, None, Clock())  # type: ignore[arg-type]
        async with app.run_test(size=(80, 24), notifications=True) as run.pilot:
            await run.until(lambda: "partial: 1 file could not be used (U lists)" in run.text())
            await run.press("U")
            await run.until(lambda: "rank_3.json: empty" in run.text())
            await run.press("escape", "2")
            await run.until(lambda: "where" in run.text() and "train_step" in run.text())
            await run.press("6", "7")
            await run.until(lambda: "have no store" in run.text())
            (folder / "rank_3.json").unlink()
            await run.press("1", "r")
            await run.until(lambda: len(app.session.looks) == 2 and "partial" not in run.text())
            await run.press("U")
            await run.until(lambda: "every file" in run.text())
