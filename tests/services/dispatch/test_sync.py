"""Uploads of sources: ahead of the run, once, anew when edited, and never in circles."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from tests.fakes.op_servers import Call, adds, busy, fails, needs, op_server
from tests.services.dispatch.dispatching import ADD, Time, dispatcher, kinds
from tests.services.dispatch.test_spec_modules import tree
from xpudbg.services.dispatch.case import OpCase, SpecSource
from xpudbg.services.dispatch.errors import BadReplyError, CaseError, DependencyMissingError, SyncRefusedError
from xpudbg.services.dispatch.progress import Progress, Syncing
from xpudbg.services.dispatch.run_loop import OpRun
from xpudbg.services.dispatch.sync import tenant_for


def spec(file: Path, *roots: Path) -> OpCase:
    return OpCase(op_name="my_op", spec=SpecSource(file, "Op.Torch", None, roots), inputs=ADD.inputs)


async def test_sources_go_ahead_of_the_run(tmp_path: Path) -> None:
    tree(tmp_path, op="from helper import f", helper="import pk", pk__init="", pk__mod_b="")
    told: list[Progress] = []
    paths = ("op.py", "helper.py", "pk/__init__.py", "pk/mod_b.py")
    async with op_server(needs(*paths)) as server:
        async with dispatcher(Time()) as client:
            run = await client.run(spec(tmp_path / "op.py"), server.endpoint, told.append)
            again = await client.run(spec(tmp_path / "op.py"), server.endpoint)
            assert list(server.files) == [tenant_for(client.tenant, (tmp_path,))]
        assert server.files == {}, "the tenant is deleted at the end"
    assert kinds(told)[:3] == ["Connecting", "Syncing", "Uploading"]
    assert [one.files for one in told if isinstance(one, Syncing)] == [tuple(sorted(paths))]
    assert (run.synced, again.synced) == (4, 0)
    assert len(server.runs) == 2, "no round trip for a missing module"
    head = server.runs[0].headers
    assert (head["x-execution-type"], head["x-spec-module"], head["x-spec-class"]) == ("spec", "op", "Op.Torch")


async def test_an_edited_file_goes_up_again(tmp_path: Path) -> None:
    tree(tmp_path, op="import helper", helper="1")
    async with op_server() as server, dispatcher(Time()) as client:
        await client.run(spec(tmp_path / "op.py"), server.endpoint)
        tree(tmp_path, helper="2")
        await client.run(spec(tmp_path / "op.py"), server.endpoint)
        (held,) = server.files.values()
        assert held["helper.py"] == b"2"
    assert server.synced == [["helper.py", "op.py"], ["helper.py"]]


async def test_a_module_that_only_the_server_knew_of_goes_up_again_when_edited(tmp_path: Path) -> None:
    tree(tmp_path, op="__import__('x')", far__x="1")
    async with op_server(needs("op.py", "x.py")) as server, dispatcher(Time()) as client:
        await client.run(spec(tmp_path / "op.py"), server.endpoint)
        tree(tmp_path, far__x="2")
        await client.run(spec(tmp_path / "op.py"), server.endpoint)
        (held,) = server.files.values()
        assert held["x.py"] == b"2"
    assert server.synced == [["op.py"], ["x.py"], ["x.py"]]


async def test_a_file_that_is_gone_here_does_not_live_on_there(tmp_path: Path) -> None:
    tree(tmp_path, op="import a", a="import b", b="")
    async with op_server() as server, dispatcher(Time()) as client:
        await client.run(spec(tmp_path / "op.py"), server.endpoint)
        (tmp_path / "b.py").unlink()
        for _ in range(2):
            await client.run(spec(tmp_path / "op.py"), server.endpoint)
        (held,) = server.files.values()
        assert sorted(held) == ["a.py", "op.py"]
    assert server.synced == [["a.py", "b.py", "op.py"], ["a.py", "op.py"]]


async def test_modules_that_only_the_server_knows_of_are_supplied_one_by_one(tmp_path: Path) -> None:
    tree(tmp_path, op="__import__('x')", x="", y="", z="")
    time = Time()
    async with op_server(needs("op.py", "x.py", "y.py", "z.py")) as server, dispatcher(time) as client:
        run = await client.run(spec(tmp_path / "op.py"), server.endpoint)
    assert run.synced == 4
    assert server.synced == [["op.py"], ["x.py"], ["y.py"], ["z.py"]]
    assert sum(time.waits) == 0


async def test_a_module_that_is_asked_for_again_is_a_loop(tmp_path: Path) -> None:
    tree(tmp_path, op="from helper import absent", helper="")
    said = {"error": "missing spec dependency: helper", "missing": "helper"}
    async with op_server(fails("424 Failed Dependency", said)) as server, dispatcher(Time()) as client:
        with pytest.raises(DependencyMissingError, match="still can't import helper after it was uploaded") as failed:
            await client.run(spec(tmp_path / "op.py"), server.endpoint)
        assert len(server.runs) == 1
        with pytest.raises(DependencyMissingError, match="still can't import helper"):
            await client.run(spec(tmp_path / "op.py"), server.endpoint)
        assert len(server.runs) == 3, "once more after everything was sent anew: the tenant may have expired"
    assert failed.value.missing == "helper"


async def test_a_package_the_server_lacks_is_named(tmp_path: Path) -> None:
    tree(tmp_path, op="import scipy")
    said = {"error": "missing spec dependency: scipy", "missing": "scipy"}
    async with op_server(fails("424 Failed Dependency", said)) as server, dispatcher(Time()) as client:
        with pytest.raises(DependencyMissingError, match="can't import scipy, and no file of that name") as failed:
            await client.run(spec(tmp_path / "op.py"), server.endpoint)
    assert "pip install" in failed.value.hint
    assert len(server.runs) == 1


async def test_a_server_that_asks_for_ever_is_left(tmp_path: Path) -> None:
    tree(tmp_path, op="", **{f"m{at}": "" for at in range(30)})

    async def insatiable(call: Call) -> None:
        name = f"m{len(call.server.runs)}"
        await fails("424 Failed Dependency", {"error": "x", "missing": name})(call)

    async with op_server(insatiable) as server, dispatcher(Time()) as client:
        with pytest.raises(DependencyMissingError, match="asked for 21 modules one after another, m21 last"):
            await client.run(spec(tmp_path / "op.py"), server.endpoint)


async def test_a_tenant_that_expired_gets_everything_again(tmp_path: Path) -> None:
    tree(tmp_path, op="import a", a="")
    async with op_server(needs("op.py", "a.py")) as server, dispatcher(Time()) as client:
        await client.run(spec(tmp_path / "op.py"), server.endpoint)
        server.files.clear()
        await client.run(spec(tmp_path / "op.py"), server.endpoint)
    assert server.synced == [["a.py", "op.py"]] * 2
    assert len(server.runs) == 3


async def test_after_a_long_pause_nothing_is_taken_for_there(tmp_path: Path) -> None:
    tree(tmp_path, op="")
    time = Time()
    async with op_server() as server, dispatcher(time) as client:
        await client.run(spec(tmp_path / "op.py"), server.endpoint)
        time.now += 541
        await client.run(spec(tmp_path / "op.py"), server.endpoint)
    assert server.synced == [["op.py"]] * 2


async def test_runs_that_need_the_same_files_share_one_upload(tmp_path: Path) -> None:
    tree(tmp_path, op="import a", a="")
    async with op_server(busy, needs("op.py", "a.py")) as server, dispatcher(Time()) as client:
        runs = await asyncio.gather(*(client.run(spec(tmp_path / "op.py"), server.endpoint) for _ in range(8)))
    assert server.synced == [["a.py", "op.py"]]
    assert sum(run.synced for run in runs) == 2


async def test_a_cancelled_upload_is_made_by_the_next_run(tmp_path: Path) -> None:
    tree(tmp_path, op="")
    async with op_server() as server, dispatcher(Time()) as client:
        others: list[asyncio.Task[OpRun]] = []

        def cancel(latest: Progress) -> None:
            if isinstance(latest, Syncing) and not others:
                others.append(asyncio.create_task(client.run(spec(tmp_path / "op.py"), server.endpoint)))
                one.cancel()

        one = asyncio.create_task(client.run(spec(tmp_path / "op.py"), server.endpoint, cancel))
        with pytest.raises(asyncio.CancelledError):
            await one
        assert (await others[0]).synced == 1


async def test_specs_of_other_roots_do_not_overwrite_each_other(tmp_path: Path) -> None:
    one, two = tree(tmp_path / "one", op="1"), tree(tmp_path / "two", op="2")
    async with op_server() as server, dispatcher(Time()) as client:
        await client.run(spec(one / "op.py"), server.endpoint)
        await client.run(spec(two / "op.py"), server.endpoint)
        assert sorted(held["op.py"] for held in server.files.values()) == [b"1", b"2"]


async def test_files_that_the_server_refuses_are_named(tmp_path: Path) -> None:
    tree(tmp_path, op="import a", a="")
    refusal = {"a.py": "No space left\x1b[2J"}
    async with op_server(refuse_files=refusal) as server, dispatcher(Time()) as client:
        with pytest.raises(SyncRefusedError, match=r"1 of 2 files: a\.py: No space left\\x1b"):
            await client.run(spec(tmp_path / "op.py"), server.endpoint)
        server.refuse_files.clear()
        await client.run(spec(tmp_path / "op.py"), server.endpoint)
    assert server.synced == [["a.py", "op.py"], ["a.py"]]
    assert len(server.runs) == 1


async def test_a_path_that_servers_refuse_is_said_before(tmp_path: Path) -> None:
    tree(tmp_path, op="import pk", pk__init="")
    (tmp_path / "pk" / "a..b.py").write_text("")
    async with op_server() as server, dispatcher(Time()) as client:
        with pytest.raises(CaseError, match=r"refuses \.\. in a path"):
            await client.run(spec(tmp_path / "op.py"), server.endpoint)
    assert server.runs == []


async def test_an_answer_that_is_none_to_an_upload(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tree(tmp_path, op="")
    async with op_server() as server, dispatcher(Time()) as client:

        async def page(call: Call) -> None:
            await call.body()
            await call.reply("200 OK", b"<html>log in</html>")

        monkeypatch.setattr(server, "_sync", page)
        with pytest.raises(BadReplyError, match=r"no answer to an upload .*<html>"):
            await client.run(spec(tmp_path / "op.py"), server.endpoint)


async def test_a_server_that_takes_no_sources_says_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tree(tmp_path, op="")
    async with op_server() as server, dispatcher(Time()) as client:

        async def refuse(call: Call) -> None:
            await call.body()
            await call.json("403 Forbidden", {"error": "takes no code"})

        monkeypatch.setattr(server, "_sync", refuse)
        with pytest.raises(SyncRefusedError, match=r"^127\.0\.0\.1:\d+: .* \(HTTP 403\): takes no code"):
            await client.run(spec(tmp_path / "op.py"), server.endpoint)


async def test_a_missing_spec_file_is_the_users_fault() -> None:
    async with dispatcher(Time()) as client, op_server(adds) as server:
        with pytest.raises(CaseError, match="no such file"):
            await client.run(spec(Path("nowhere/op.py")), server.endpoint)
