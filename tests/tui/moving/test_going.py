"""What may be typed to go somewhere, and what it means."""

from __future__ import annotations

import pytest

from tests.services.console.console_cases import console, console_case, op_case, run_over
from tests.services.shown_runs import failed
from tests.tui.recorder_scripts import CPU, NCCL, recorder_job, stuck, train
from tests.tui.scripted import job
from tests.tui.store_scripts import READ_AT
from xpudbg.services import events
from xpudbg.services.console.console import Console
from xpudbg.services.ranksets import RankSet
from xpudbg.services.session import Session
from xpudbg.services.store_browse.events import StoreListed, StoreListing
from xpudbg.tui.moving.going import (
    Marking,
    ToCall,
    ToCase,
    ToFinding,
    ToGroup,
    ToKey,
    ToLook,
    ToRank,
    ToRun,
    ToScreen,
    destination,
    known_words,
)
from xpudbg.tui.screens.go_request import screen_names

SOURCE = "dump_nccl_trace_json"
CONSOLE, _ = console(
    console_case("softmax  large"),
    console_case("join"),
    console_case("join [/]\x1b節", op_case(api="numpy.stack")),
    console_case("join2"),
)
for _key, _number in (("r1", 7), ("r2", 12)):
    run_over(CONSOLE, _key, failed(_number))
run_over(CONSOLE, "r3", failed(None))
KEYS = (b"debug_server/rank0", b"debug_server/rank1", b"init/")


@pytest.fixture(scope="module")
def session() -> Session:
    """Eight ranks, of which rank 5 has not come to #4 of tp1; two looks."""
    made = Session()
    for event in (*recorder_job(stuck()), StoreListed(StoreListing(KEYS, len(KEYS), READ_AT))):
        made.apply(event)
    return made


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("5", ToRank(5)),
        (" rank  7 ", ToRank(7)),
        ("R0", ToRank(0)),
        ("f1", ToFinding(0)),
        ("Finding 1", ToFinding(0)),
        ("look 1", ToLook(1)),
        ("stacks", ToScreen("stacks")),
        ("screen 3", ToScreen("stacks")),
        ("flight recorder", ToScreen("recorder")),
        ("flight", ToScreen("recorder")),
        ("pro", ToScreen("profiler")),
        ("mark 0-3,5", Marking(RankSet([0, 1, 2, 3, 5]))),
        ("mark 0, 2", Marking(RankSet([0, 2]))),
        ("group tp1", ToGroup(SOURCE, 2)),
        ("group DEFAULT", ToGroup(SOURCE, 0)),
        ("tp0 #2", ToCall(SOURCE, 1, 2, p2p=False)),
        ("group tp0#2", ToCall(SOURCE, 1, 2, p2p=False)),
        ("#4", ToCall(SOURCE, 2, 4, p2p=False, beside="#4 of tp1; 2 other groups have one")),
        ("case JOIN", ToCase("id-join")),
        ("case softmax large", ToCase("id-softmax  large")),
        ("case soft", ToCase("id-softmax  large")),
        ("case stack", ToCase("id-join [/]\x1b節")),
        ("case join [/]\\x1b節", ToCase("id-join [/]\x1b節")),
        ("case concat", ToCase("id-join", beside="join; 2 other cases are called so too")),
        ("run 7", ToRun("id-join", "r1")),
        ("Run #12", ToRun("id-join", "r2")),
        ("key init/", ToKey((b"init/", b"init/"))),
        ("key debug_server/", ToKey((b"debug_server/", b"debug_server/rank0"))),
    ],
)
def test_what_is_meant(session: Session, text: str, place: object) -> None:
    assert destination(session, text, screen_names(), CONSOLE) == place


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "nothing is typed: "),
        ("99", "there is no rank 99: the ranks are 0-7"),
        ("2-5", "2-5 is more than one rank: go to one of them, or write mark 2-5 to mark them"),
        ("ranks 2,5", "2,5 is more than one rank: "),
        ("mark 6-9", "there is no rank 8-9: the ranks are 0-7"),
        ("mark x", "which ranks to mark is written like mark 0-7,12"),
        ("mark", "which ranks to mark is written like mark 0-7,12"),
        ("f9", "there is no finding 9: the only one is f1"),
        ("f0", "there is no finding 0: "),
        ("look 7", "there is no look 7: 1 to 2 are kept"),
        ("group nobody", "no group is called nobody: there are default_pg, tp0, tp1"),
        ("#9", "the flight recorder has no call #9: it has #1 to #"),
        ("tp1 #9", "the flight recorder has no call #9 of tp1: it has #1 to #4"),
        ("key zzz", "no key of the store begins with that"),
        ("key", "which key is written like "),
        ("case", "which case is written like "),
        ("case zzz", "no case is called zzz: there are join, softmax large, join [/]\\x1b節, join2"),
        ("run", "which run is written like run 7"),
        ("run x", "which run is written like run 7"),
        ("run 8", "no case that is open here has run #8: their runs are #7 to #12"),
        ("s", "s is the beginning of several: stacks, store"),
        ("screen 9", "no screen is called that; there are "),
        ("\x1b[31mnonsense", "no screen is called that; there are "),
    ],
)
def test_what_is_wrong_is_said(session: Session, text: str, why: str) -> None:
    said = destination(session, text, screen_names(), CONSOLE)
    assert isinstance(said, str)
    assert said.startswith(why)
    assert said.isprintable()


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("3", "there is no rank 3: no rank is known yet"),
        ("f1", "there is no finding"),
        ("look 1", "no look has ended yet"),
        ("group tp", "no flight recorder has been read yet"),
        ("#3", "no flight recorder has been read yet"),
        ("case x", "no case is open; on the dispatch screen o opens a file of cases"),
        ("run 3", "there is no run 3: no case that is open here has run"),
        ("key x", "the keys of the store are not listed yet: the screen of the store lists them"),
    ],
)
def test_before_anything_is_known_it_says_so(text: str, why: str) -> None:
    assert destination(Session(), text, screen_names(), Console()) == why


@pytest.mark.parametrize("selected", [1, 6])
def test_of_several_groups_the_selected_rank_decides(selected: int) -> None:
    made = Session()
    for event in (*recorder_job(stuck()), events.RankSelected(selected)):
        made.apply(event)
    assert destination(made, "group tp", {}, Console()) == ToGroup(SOURCE, 1 if selected < 4 else 2)


def test_what_can_be_typed_is_offered(session: Session) -> None:
    words = list(known_words(session, screen_names(), CONSOLE))
    assert {"stacks", "finding 1", "look 2", "group tp1", "rank 7", "case join2"} <= set(words)
    for word in words:
        assert not isinstance(destination(session, word, screen_names(), CONSOLE), str), word


def test_of_many_ranks_only_some_are_offered() -> None:
    made = Session()
    for event in job(1024):
        made.apply(event)
    assert sum(word.startswith("rank ") for word in known_words(made, {}, Console())) == 200


@pytest.mark.parametrize(("text", "source"), [("#2", NCCL), ("#6", CPU), ("tp0 #6", CPU), ("group tp0", NCCL)])
def test_a_call_is_looked_for_in_every_flight_recorder(text: str, source: str) -> None:
    """The first that has it is meant."""
    session = Session()
    for event in recorder_job({NCCL: train(8, steps=3), CPU: train(8, backend="gloo")}, looks=1, stacks=False):
        session.apply(event)
    found = destination(session, text, {}, Console())
    assert isinstance(found, ToCall | ToGroup)
    assert found.source == source
