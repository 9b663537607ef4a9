"""The grammar of filter lines."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from xpudbg.services.filters.terms import (
    FIELDS,
    MAX_LENGTH,
    FilterError,
    FilterPlace,
    Term,
    as_far_as_good,
    words_meant,
)
from xpudbg.services.ranksets import RankSet

PLACE = FilterPlace("rows", {"rank": "rank:0-63", "op": "op:x", "is": "is:open"}, ("open", "late"), {"call": "op"})
NUMBERED = FilterPlace("calls", {"seq": "seq:1-9"})
WORDS = st.text(min_size=1, max_size=12).map(lambda text: text.replace('"', "'"))


def told(text: str, place: FilterPlace = PLACE) -> list[tuple[str, str, bool]]:
    return [(term.field, term.value, term.turned) for term in place.terms(text)]


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("", []),
        ("  ", []),
        ("a b", [("", "a", False), ("", "b", False)]),
        ("Load\tDATA\nx", [("", "Load", False), ("", "DATA", False), ("", "x", False)]),
        ("!a", [("", "a", True)]),
        ("!!a", [("", "a", False)]),
        ("!", [("", "!", False)]),
        ("!!", [("", "!", True)]),
        ('"two words"', [("", "two words", False)]),
        ('!"two words" x', [("", "two words", True), ("", "x", False)]),
        ('"!a"', [("", "!a", False)]),
        ('op:"two words"', [("op", "two words", False)]),
        ('!op:a"b c"d', [("op", "ab cd", True)]),
        ('"op:a"', [("", "op:a", False)]),
        ('"grp:a"', [("", "grp:a", False)]),
        ('"" !""', []),
        ("OP:a:B", [("op", "a:B", False)]),
        ("call:a", [("op", "a", False)]),
        ("is:OPEN", [("is", "open", False)]),
        ("re:a|b", [("re", "a|b", False)]),
        ('re:"a b"', [("re", "a b", False)]),
        ("http://x", [("", "http://x", False)]),
        ("c10d::x", [("", "c10d::x", False)]),
        ("op::x", [("", "op::x", False)]),
        ("nccl:all_reduce", [("", "nccl:all_reduce", False)]),
        ("node-3:29500", [("", "node-3:29500", False)]),
        ("loader.py:88", [("", "loader.py:88", False)]),
        ("#311", [("", "#311", False)]),
    ],
)
def test_terms(text: str, terms: list[tuple[str, str, bool]]) -> None:
    assert told(text) == terms


def test_numbers_are_sequence_numbers_where_there_are_any() -> None:
    assert told("#311 !#4 #x", NUMBERED) == [("seq", "#311", False), ("seq", "#4", True), ("", "#x", False)]


def test_ranks_and_expressions_are_parsed_with_the_term() -> None:
    ranks, found = PLACE.terms(r"rank:0-3,7 re:^a\d+$")
    assert ranks.ranks == RankSet([0, 1, 2, 3, 7])
    assert [found.finds(text) for text in ("a12", "A3", "ba1")] == [True, True, False]
    assert found.is_text
    assert not ranks.is_text


def test_a_text_is_found_in_either_case() -> None:
    (term,) = PLACE.terms("Straße")
    assert term.finds("in der STRASSE")
    assert not term.finds("strand")


HERE = "fields here are rank:0-63, op:x, is:open, re:x"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("grp:x", f"grp: is no field, in quotes it is a text; {HERE}"),
        ("!grp:x", f"grp: is no field, in quotes it is a text; {HERE}"),
        ("grp:", f"grp: is no field, in quotes it is a text; {HERE}"),
        ("seq:3", f"seq: can't be asked of rows; {HERE}"),
        ("host:", f"host: can't be asked of rows; {HERE}"),
        ("op:", "op: needs a value, as op:x"),
        ('op:""', "op: needs a value, as op:x"),
        ("re:", "re: needs a value, as re:x"),
        ("is:red", "is: knows open, late; 'red' is none of them"),
        ("rank:x", "rank: 'x' is not a rank or a range; write ranks as 0-7,12 or 0-62:2"),
        ("rank:9-2", "rank: '9-2' names no rank; write the smaller rank first and a step of at least 1"),
        ("re:(", "re: no regular expression: missing ), unterminated subpattern at position 0"),
        ("re:(a+)+$", "re: what is repeated holds a repetition or a choice: it may take too long"),
        ("re:" + ".*a" * 300, "re: more than 3 repetitions or 5 optional parts may take too long"),
        ('a "b c', 'a " has no partner; two words are one term as "two words" or group:"two words"'),
        ("x" * 1001, "a filter has at most 1,000 characters; this one has 1,001"),
        ("a" * 300 + ":x", "a" * 40 + f": is no field, in quotes it is a text; {HERE}"),
    ],
    ids=lambda text: text[:12],
)
def test_what_is_wrong_is_one_line(text: str, said: str) -> None:
    with pytest.raises(FilterError) as error:
        PLACE.terms(text)
    assert str(error.value) == said


def test_the_hint_names_all_that_can_be_typed() -> None:
    assert PLACE.hint == "text  rank:0-63  op:x  is:open  re:x  !term"
    assert set(PLACE.written) < FIELDS


@pytest.mark.parametrize(
    ("value", "meant"),
    [
        ("stopped", {"stopped"}),
        ("ST", {"stopped", "started"}),
        ("gil_held", {"gil held"}),
        ("gil h", {"gil held"}),
        ("dead,gil", {"dead", "gil held"}),
    ],
)
def test_words_are_meant_by_their_beginnings(value: str, meant: set[str]) -> None:
    assert words_meant(Term(value, "state"), ("dead", "stopped", "started", "gil held")) == meant


@pytest.mark.parametrize("value", ["sleepy", "", ",", "dead,", "dead,\x1b[2J"])
def test_words_that_are_none_are_refused(value: str) -> None:
    with pytest.raises(FilterError, match=r"^state: '.*' is none of dead, gil_held$") as error:
        words_meant(Term(value, "state"), ("dead", "gil held"))
    assert "\x1b" not in str(error.value)


@pytest.mark.parametrize(
    ("text", "values", "wrong"),
    [
        ("a b", ["a", "b"], ""),
        ("a grp:x b", ["a", "b"], "grp: is no field"),
        ("grp:x hst:y a", ["a"], "hst: is no field"),
        ('"two words" grp:x', ["two words"], "grp: is no field"),
        ('a "b', ["a"], 'a " has no partner'),
        ('a op:"b c', ["a"], 'a " has no partner'),
        ('a op:"b c"d"e f', ["a"], 'a " has no partner'),
        ('"', [], 'a " has no partner'),
        ("a " * 501, [], "a filter has at most"),
        ("a " * 500, ["a"] * 500, ""),
    ],
    ids=lambda given: given[:12] if isinstance(given, str) else None,
)
def test_of_a_bad_filter_the_good_terms_hold(text: str, values: list[str], wrong: str) -> None:
    terms, said = as_far_as_good(text, PLACE.terms)
    assert [term.value for term in terms] == values
    assert said.startswith(wrong)
    assert bool(said) is bool(wrong)


@given(st.text(max_size=60) | st.text('!": arenkopis_-#()*+.[]\\', max_size=30))
def test_any_text_is_terms_or_refused_in_one_line(text: str) -> None:
    for place in (PLACE, NUMBERED):
        terms, wrong = as_far_as_good(text, place.terms)
        try:
            assert place.terms(text) == terms
            assert not wrong
        except FilterError as error:
            assert wrong
            for said in (wrong, str(error)):
                assert said.isprintable()
                assert len(said) < 400
        for term in terms:
            assert term.value
            assert term.finds(text) in (True, False)


@given(WORDS)
def test_what_is_quoted_is_a_text_as_it_stands(word: str) -> None:
    (term,) = PLACE.terms(f'"{word}"')
    (turned,) = PLACE.terms(f'!"{word}"')
    assert (term.field, term.value, term.turned) == ("", word, False)
    assert (turned.value, turned.turned) == (word, True)
    assert term.finds(f"x{word}y")


def test_the_longest_filter_is_taken() -> None:
    (term,) = PLACE.terms("x" * MAX_LENGTH)
    assert len(term.value) == MAX_LENGTH
