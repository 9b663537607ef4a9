"""The registry: no key twice in one place, everything can be carried out."""

from __future__ import annotations

import pytest
from textual.binding import Binding
from textual.keys import Keys
from textual.widget import Widget

from xpudbg.services.session import Session
from xpudbg.tui.actions.registry import ACTIONS, Scope, actions_in, bindings, by_name, keys_shown
from xpudbg.tui.app import XpudbgApp
from xpudbg.tui.keys.keymap import FIXED
from xpudbg.tui.moving.places import PLACES
from xpudbg.tui.screens.answer import AnswerScreen
from xpudbg.tui.screens.column_choice import ColumnChoice
from xpudbg.tui.screens.counters import CountersScreen
from xpudbg.tui.screens.dispatch import DispatchScreen
from xpudbg.tui.screens.doctor import DoctorScreen
from xpudbg.tui.screens.form_request import FormRequest
from xpudbg.tui.screens.help import HelpScreen
from xpudbg.tui.screens.job import JobScreen
from xpudbg.tui.screens.jump import JumpScreen
from xpudbg.tui.screens.line_request import LineRequest
from xpudbg.tui.screens.look_compare import LookCompareScreen
from xpudbg.tui.screens.overview import OverviewScreen
from xpudbg.tui.screens.profiler import ProfilerScreen
from xpudbg.tui.screens.question import QuestionScreen
from xpudbg.tui.screens.ranks import RanksScreen
from xpudbg.tui.screens.recorder import RecorderScreen
from xpudbg.tui.screens.stacks import StacksScreen
from xpudbg.tui.screens.start import StartScreen
from xpudbg.tui.screens.store import StoreScreen
from xpudbg.tui.widgets.array_view import ArrayView
from xpudbg.tui.widgets.case_editor import CaseEditor
from xpudbg.tui.widgets.filter_bar import FilterBar
from xpudbg.tui.widgets.grid_table import GridTable
from xpudbg.tui.widgets.heat_map import HeatMap
from xpudbg.tui.widgets.rank_grid import RankGrid
from xpudbg.tui.widgets.raw_text import TextLog
from xpudbg.tui.widgets.run_result_pane import RunResultPane
from xpudbg.tui.widgets.stack_tree import StackTree
from xpudbg.tui.widgets.timeline import TimelinePane
from xpudbg.tui.widgets.toggle import Toggle

CARRIED_OUT_BY = {
    Scope.APP: XpudbgApp,
    Scope.JOB: JobScreen,
    Scope.OVERVIEW: OverviewScreen,
    Scope.RANKS: RanksScreen,
    Scope.STACKS: StacksScreen,
    Scope.RECORDER: RecorderScreen,
    Scope.RECORDER_ROWS: RecorderScreen,
    Scope.TIMELINE: TimelinePane,
    Scope.COUNTERS: CountersScreen,
    Scope.FILTER: FilterBar,
    Scope.START: StartScreen,
    Scope.GRID: RankGrid,
    Scope.TABLE: GridTable,
    Scope.TREE: StackTree,
    Scope.TEXT: TextLog,
    Scope.DISPATCH: DispatchScreen,
    Scope.CASES: DispatchScreen,
    Scope.EDITOR: DispatchScreen,
    Scope.ENTRY: CaseEditor,
    Scope.RUNS: DispatchScreen,
    Scope.REQUEST: LineRequest,
    Scope.FORM: FormRequest,
    Scope.TOGGLE: Toggle,
    Scope.STORE: StoreScreen,
    Scope.DOCTOR: DoctorScreen,
    Scope.ANSWER: AnswerScreen,
    Scope.COMPARISON: LookCompareScreen,
    Scope.RESULT: RunResultPane,
    Scope.ARRAY: ArrayView,
    Scope.HEAT: HeatMap,
    Scope.PROFILER: ProfilerScreen,
    Scope.HELP: HelpScreen,
    Scope.QUESTION: QuestionScreen,
    Scope.JUMP: JumpScreen,
    Scope.COLUMNS: ColumnChoice,
}


def test_each_name_is_there_once() -> None:
    assert len(by_name) == len(ACTIONS)


@pytest.mark.parametrize("place", PLACES)
def test_no_key_means_two_things_in_one_place(place: tuple[Scope, ...]) -> None:
    keys = [key for action in actions_in(place) for key in action.keys]
    assert sorted(keys) == sorted(set(keys))


@pytest.mark.parametrize("scope", Scope)
def test_every_action_has_who_carries_it_out(scope: Scope) -> None:
    for action in actions_in((scope,)):
        assert callable(getattr(CARRIED_OUT_BY[scope], f"do_{action.name}", None)), action.name


@pytest.mark.parametrize("scope", [Scope.TABLE, Scope.EDITOR])
def test_keys_typed_ahead_can_be_carried_out_at_once(scope: Scope) -> None:
    made = [binding for binding in bindings(scope, at_once=True) if isinstance(binding, Binding)]
    assert made
    assert all(binding.priority for binding in made)


@pytest.mark.parametrize("scope", Scope)
def test_bindings_come_from_the_registry(scope: Scope) -> None:
    made = [
        binding
        for binding in bindings(scope)
        if isinstance(binding, Binding) and not binding.key.startswith("unbound_")
    ]
    wanted = [(key, f"app.perform('{action.name}')") for action in actions_in((scope,)) for key in action.keys]
    assert [(binding.key, binding.action) for binding in made] == wanted
    assert all((binding.id is None) is (binding.key in FIXED) for binding in made)


def test_places_are_those_of_the_screens() -> None:
    """What a screen says of its scopes is a place, so that keys are held apart there."""
    for screen in (
        *XpudbgApp.MODES.values(),
        AnswerScreen,
        DoctorScreen,
        JumpScreen,
        LineRequest,
        LookCompareScreen,
        QuestionScreen,
    ):
        scopes = set(getattr(screen, "SCOPES", ()))
        assert any(scopes <= set(place) for place in PLACES), screen


def test_words_are_there_for_footer_palette_and_help() -> None:
    for action in ACTIONS:
        assert action.label, action.name
        assert action.description, action.name
        assert len(keys_shown(action)) == len(action.keys)
        assert all(len(shown) <= 6 for shown in keys_shown(action))


def test_without_a_target_most_say_why_not() -> None:
    session = Session()
    assert by_name["look"].why_not(session) == "nothing is attached"
    assert by_name["sort"].why_not(session) == "no rank is known yet"
    assert by_name["help"].why_not(session) == ""


def test_names_of_keys_are_those_of_textual() -> None:
    known = {key.value for key in Keys}
    for action in ACTIONS:
        for key in action.keys:
            assert len(key) == 1 or key in known or key.replace("_", "").isalpha(), key
    assert issubclass(GridTable, Widget)
