from __future__ import annotations

from xpudbg.services.stacks.model import Failure, StackSource
from xpudbg.services.stacks.reading import StackReader

from .building import DATA

FAULT, PYSPY = StackSource.FAULTHANDLER, StackSource.PYSPY
TEXT = (DATA / "faulthandler" / "rank_0.txt").read_bytes()


def test_each_text_goes_to_its_reader() -> None:
    dumps = StackReader().read([(3, FAULT, TEXT, True), (9, PYSPY, b"sh: 1: py-spy: not found\n", True)])
    assert dumps[3].main == 2
    assert dumps[9].failure is Failure.NOT_INSTALLED


def test_equal_texts_are_read_once_at_a_look_and_over_looks() -> None:
    reader = StackReader()
    first = reader.read([(0, FAULT, TEXT, True), (1, FAULT, TEXT, True)])
    assert first[0] is first[1]
    again = reader.read([(2, FAULT, TEXT, True)])
    assert again[2] is first[0]


def test_what_the_last_look_did_not_have_is_forgotten() -> None:
    reader = StackReader()
    first = reader.read([(0, FAULT, TEXT, True)])
    reader.read([])
    third = reader.read([(0, FAULT, TEXT, True)])
    assert third[0] is not first[0]
    assert third[0] == first[0]


def test_the_same_text_cut_or_of_another_source_is_another_dump() -> None:
    dumps = StackReader().read([(0, FAULT, TEXT, True), (1, FAULT, TEXT, False), (2, PYSPY, TEXT, True)])
    assert not dumps[0].cut
    assert dumps[1].cut
    assert dumps[2].source is PYSPY


def test_texts_of_different_ranks_share_their_stacks() -> None:
    other = TEXT.replace(b"0x00007ff13d9c7b80", b"0x00007ff13d9c7b90")
    dumps = StackReader().read([(0, FAULT, TEXT, True), (1, FAULT, other, True)])
    assert dumps[0].main_thread is not None
    assert dumps[1].main_thread is not None
    assert dumps[0].main_thread.id != dumps[1].main_thread.id
    assert dumps[0].main_thread.frames is dumps[1].main_thread.frames


def test_the_last_text_of_a_rank_counts() -> None:
    assert StackReader().read([(0, FAULT, b"", True), (0, FAULT, TEXT, True)])[0].main == 2
