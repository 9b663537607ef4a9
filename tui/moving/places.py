"""The places that a person can be at: which scopes hold together, so that no key may mean two things in them."""

from __future__ import annotations

from ..actions.action import Scope

__all__ = ["PLACES"]

PLACES: tuple[tuple[Scope, ...], ...] = (
    (Scope.OVERVIEW, Scope.JOB, Scope.GRID, Scope.APP),
    (Scope.RANKS, Scope.JOB, Scope.TABLE, Scope.APP),
    (Scope.STACKS, Scope.JOB, Scope.TREE, Scope.APP),
    (Scope.STACKS, Scope.JOB, Scope.TABLE, Scope.APP),
    (Scope.STACKS, Scope.JOB, Scope.TEXT, Scope.APP),
    (Scope.RECORDER, Scope.RECORDER_ROWS, Scope.JOB, Scope.TABLE, Scope.APP),
    (Scope.RECORDER, Scope.JOB, Scope.TEXT, Scope.APP),
    (Scope.RECORDER, Scope.JOB, Scope.TIMELINE, Scope.APP),
    (Scope.COUNTERS, Scope.JOB, Scope.GRID, Scope.APP),
    (Scope.PROFILER, Scope.JOB, Scope.TABLE, Scope.APP),
    (Scope.DISPATCH, Scope.CASES, Scope.TABLE, Scope.APP),
    (Scope.DISPATCH, Scope.EDITOR, Scope.TABLE, Scope.APP),
    (Scope.DISPATCH, Scope.RUNS, Scope.TABLE, Scope.APP),
    (Scope.DISPATCH, Scope.RESULT, Scope.ARRAY, Scope.APP),
    (Scope.DISPATCH, Scope.RESULT, Scope.TABLE, Scope.APP),
    (Scope.DISPATCH, Scope.RESULT, Scope.TEXT, Scope.APP),
    (Scope.DISPATCH, Scope.RESULT, Scope.HEAT, Scope.APP),
    (Scope.ENTRY, Scope.APP),
    (Scope.REQUEST,),
    (Scope.FORM, Scope.TOGGLE),
    (Scope.STORE, Scope.JOB, Scope.TREE, Scope.APP),
    (Scope.STORE, Scope.JOB, Scope.TEXT, Scope.APP),
    (Scope.DOCTOR, Scope.TEXT),
    (Scope.ANSWER, Scope.TEXT),
    (Scope.COMPARISON, Scope.TEXT),
    (Scope.START, Scope.APP),
    (Scope.FILTER, Scope.APP),
    (Scope.QUESTION,),
    (Scope.HELP,),
    (Scope.JUMP,),
    (Scope.COLUMNS, Scope.TABLE),
)
