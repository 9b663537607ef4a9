"""The call a rank is inside, and how the members of a call are told apart."""

from __future__ import annotations

from typing import Any

from xpudbg.services.flight_recorder.analysis import Analysis, analyse
from xpudbg.services.flight_recorder.waits import OpenCall

from .recorded import dump_of, entry

OPEN = {"state": "started", "retired": False}
THREE = "[0, 1, 2]"


def the_call(look: Analysis) -> OpenCall:
    assert len(look.waits.calls) == 1
    return look.waits.calls[0]


def p2p(name: str, seq: int, **fields: Any) -> dict[str, Any]:
    return entry(f"nccl:{name}", 0, p2p_seq_id=seq, is_p2p=True, record_id=seq, **fields)


def test_members_are_told_apart() -> None:
    look = analyse(
        [
            dump_of(
                0,
                [entry("nccl:barrier", 1), entry("nccl:barrier", 2, **OPEN), entry("nccl:barrier", 3, **OPEN)],
                "[0, 1, 2, 3, 4]",
            ),
            dump_of(1, [entry("nccl:barrier", 1)], "[0, 1, 2, 3, 4]"),
            dump_of(2, [entry("nccl:barrier", 2)], "[0, 1, 2, 3, 4]"),
            dump_of(3, [], "[0, 1, 2, 3, 4]"),
        ]
    )
    call = the_call(look)
    assert (call.seq, str(call.inside)) == (2, "0")
    assert (str(call.missing), str(call.silent), str(call.absent), str(call.done)) == ("1,3", "3", "4", "2")
    assert [(queued.seq, str(queued.ranks)) for queued in look.waits.queued] == [(3, "0")]


def test_the_oldest_open_call_is_the_one_a_rank_is_inside() -> None:
    look = analyse(
        [dump_of(0, [entry("gloo:barrier", 1, **OPEN), entry("gloo:barrier", 2), entry("gloo:barrier", 3, **OPEN)])]
    )
    assert [call.seq for call in look.waits.calls] == [1]


def test_a_wait_in_a_group_of_which_nobody_else_is_known_hides_no_other() -> None:
    nameless = {"": {"name": "", "desc": "", "ranks": "[]"}}
    alone = entry("gloo:all_reduce", 1, process_group=["1", "tp"], record_id=2, **OPEN)
    waits = [entry("gloo:barrier", 1, record_id=1), alone, entry("gloo:barrier", 2, record_id=3, **OPEN)]
    dumps = [
        dump_of(0, [entry("gloo:barrier", 1)], pg_config=nameless),
        dump_of(1, waits, pg_config=nameless),
    ]
    look = analyse(dumps, world_size=2)
    call = the_call(look)
    assert (look.job.groups[call.group].name, call.seq) == ("0", 2)
    assert (str(call.inside), str(call.missing)) == ("1", "0")
    assert [queued.seq for queued in look.waits.queued] == [1]


def test_a_rank_without_the_call_that_may_have_completed_it_is_unclear() -> None:
    three = {"last_enqueued_collective": 3, "last_started_collective": 3, "last_completed_collective": 3}
    lost = {"8": three, "9": three}
    call = the_call(analyse([dump_of(0, [entry("nccl:barrier", 2, **OPEN)]), dump_of(1, [], pg_status=lost)]))
    assert (str(call.unclear), str(call.missing), str(call.done)) == ("1", "", "")
    call = the_call(
        analyse(
            [
                dump_of(0, [entry("nccl:barrier", 2, **OPEN)], THREE),
                dump_of(1, [entry("nccl:barrier", 2, **OPEN)], THREE),
                dump_of(2, [], THREE, pg_status=lost),
            ]
        )
    )
    assert (str(call.unclear), str(call.missing), str(call.unsure)) == ("", "2", "2")


def test_both_ends_inside_their_halves_wait_for_nobody() -> None:
    look = analyse([dump_of(0, [p2p("send 0->1", 1, **OPEN)]), dump_of(1, [p2p("recv 1<-0", 1, **OPEN)])])
    assert [call.blockers for call in look.waits.calls] == [call.missing for call in look.waits.calls]
    assert [str(cause.culprits) for cause in look.causes] == [""]


def test_halves_are_counted_where_counters_differ() -> None:
    """Rank 1 has had more P2P calls than its peers: its numbers say nothing about theirs."""
    second = [p2p("send 0->1", 1), p2p("send 0->1", 2, **OPEN)]
    first = [p2p("recv 1<-2", 1), p2p("recv 1<-2", 2), p2p("recv 1<-0", 3)]
    other = [p2p("send 2->1", 1), p2p("send 2->1", 2)]
    for one in (*second, *first, *other):
        one["record_id"] -= 1
    look = analyse([dump_of(0, second, THREE), dump_of(1, first, THREE), dump_of(2, other, THREE)])
    call = the_call(look)
    assert (str(call.missing), str(call.unsure)) == ("1", "")


def test_a_name_without_ranks_accuses_nobody() -> None:
    look = analyse([dump_of(0, [p2p("send", 1, **OPEN)], THREE), dump_of(1, [], THREE), dump_of(2, [], THREE)])
    assert (len(look.waits.calls), look.causes) == (1, ())


def test_batch_members_without_their_end_are_open_only_if_counters_say_so() -> None:
    counters = {"0": {"last_enqueued_collective": 7, "last_started_collective": -1, "last_completed_collective": 7}}
    batch = [
        p2p("send 0->1", 7, state="scheduled", retired=False),
        p2p("recv 0<-1", 7, state="scheduled", retired=False),
    ]
    peer = dump_of(1, [], pg_status=counters)
    assert analyse([dump_of(0, batch, pg_status=counters), peer]).waits.calls == ()
    counters = {"0": counters["0"] | {"last_completed_collective": 6}}
    assert len(analyse([dump_of(0, batch, pg_status=counters), peer]).waits.calls) == 1


def test_a_completed_peer_leaves_the_other_stuck_on_its_device() -> None:
    look = analyse([dump_of(0, [entry("nccl:all_reduce", 2)]), dump_of(1, [entry("nccl:all_reduce", 2, **OPEN)])])
    assert str(the_call(look).stuck) == "1"
    look = analyse([dump_of(0, [entry("nccl:broadcast", 2)]), dump_of(1, [entry("nccl:broadcast", 2, **OPEN)])])
    assert str(the_call(look).stuck) == ""
