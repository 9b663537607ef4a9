"""Four themes of our own, beside Textual's: dark, light, high contrast, and one for people who see colours otherwise.

Every text has a contrast of 4.5:1 or more on what it stands on (WCAG 2.2, 1.4.3), 7:1 in the theme of high contrast.
In `xpudbg-safe` the colours of rank classes stay apart without the red, green or blue receptors of the eye.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from textual.theme import Theme

if TYPE_CHECKING:
    from collections.abc import Mapping

    from textual.app import App

__all__ = ["DEFAULT", "THEMES", "register", "variable_defaults"]


def _made(
    name: str,
    *,
    papers: tuple[str, str, str],
    foreground: str,
    muted: str,
    faint: str,
    hues: Mapping[str, str],
    tints: Mapping[str, str],
    cursor: tuple[str, str],
    resting: tuple[str, str],
    rule: str,
    track: str,
    ranks: Mapping[str, str],
    dark: bool = True,
) -> Theme:
    """A theme from its palette.

    Args:
        papers: background, surface, panel.
        muted: second-rank text.
        faint: text of what is not there or filtered out.
        hues: primary, secondary, accent, success, warning, error as they are for text.
        tints: backgrounds of the same six.
        cursor: ink and paper of the cursor where the keys go.
        resting: ink and paper of the cursor elsewhere.
        rule: lines between branches and scroll bars.
        track: bars along time.
        ranks: colours of rank classes where they are not those of `variable_defaults`.
    """
    background, surface, panel = papers
    variables = {
        **{f"text-{hue}": colour for hue, colour in hues.items()},
        **{f"{hue}-muted": colour for hue, colour in tints.items()},
        "text": foreground,
        "text-muted": muted,
        "text-disabled": faint,
        "foreground-muted": muted,
        "foreground-disabled": faint,
        "block-cursor-foreground": cursor[0],
        "block-cursor-background": cursor[1],
        "block-cursor-blurred-foreground": resting[0],
        "block-cursor-blurred-background": resting[1],
        "block-hover-background": resting[1],
        "input-cursor-foreground": background,
        "input-cursor-background": foreground,
        "input-selection-foreground": resting[0],
        "input-selection-background": resting[1],
        "screen-selection-foreground": resting[0],
        "screen-selection-background": resting[1],
        "footer-key-foreground": hues["accent"],
        "panel-lighten-2": rule,
        "success-darken-2": track,
        "border": hues["primary"],
        "scrollbar": rule,
        "scrollbar-hover": hues["primary"],
        "scrollbar-background": background,
        "boost": surface,
    }
    variables |= {f"rank-{kind}": colour for kind, colour in _ranks_by(variables).items()}
    variables |= {f"rank-{kind}": colour for kind, colour in ranks.items()}
    return Theme(
        name=name,
        primary=hues["primary"],
        secondary=hues["secondary"],
        accent=hues["accent"],
        success=hues["success"],
        warning=hues["warning"],
        error=hues["error"],
        foreground=foreground,
        background=background,
        surface=surface,
        panel=panel,
        dark=dark,
        variables=variables,
    )


_RANKS = {
    "dead": "text-error",
    "stopped": "text-error",
    "gil-held": "text-warning",
    "server-error": "text-warning",
    "foreign-port": "text-warning",
    "unreachable": "text-primary",
    "name-unknown": "text-primary",
    "not-registered": "text-secondary",
    "unknown": "text-muted",
    "alive": "text-success",
}
"""Rank classes (styles/app.tcss) and the variables they take their colour from where a theme says nothing of them."""


def _ranks_by(variables: Mapping[str, str]) -> dict[str, str]:
    """Colours of rank classes by the theme variables they go by."""
    return {kind: variables[source] for kind, source in _RANKS.items()}


def variable_defaults(theme: Theme) -> dict[str, str]:
    """Values of our own variables, `rank-<class>`, for a theme that does not give them: Textual's and others."""
    if all(f"rank-{kind}" in theme.variables for kind in _RANKS):
        return {}
    variables = {**theme.to_color_system().generate(), **theme.variables}
    return {f"rank-{kind}": colour for kind, colour in _ranks_by(variables).items()}


DARK = _made(
    "xpudbg-dark",
    papers=("#131519", "#1a1d22", "#23272e"),
    foreground="#d9dfe8",
    muted="#a3adba",
    faint="#8f99a6",
    hues={
        "primary": "#7ab8f5",
        "secondary": "#b3abf0",
        "accent": "#5fd0d0",
        "success": "#7fcf8f",
        "warning": "#edbe5c",
        "error": "#ff8e98",
    },
    tints={
        "primary": "#1a2c58",
        "secondary": "#2d2a52",
        "accent": "#153c40",
        "success": "#1b3a25",
        "warning": "#3b2d12",
        "error": "#4d2229",
    },
    cursor=("#ffffff", "#2a5f96"),
    resting=("#eceff4", "#353c46"),
    rule="#5b6b82",
    track="#5fa870",
    ranks={"stopped": "#f0a3e0", "foreign-port": "#e0a284"},
)
LIGHT = _made(
    "xpudbg-light",
    papers=("#fafbfc", "#f1f2f4", "#e6e8eb"),
    foreground="#1c232d",
    muted="#4c5766",
    faint="#566171",
    hues={
        "primary": "#14549c",
        "secondary": "#57459c",
        "accent": "#00626b",
        "success": "#156130",
        "warning": "#7a4b00",
        "error": "#a81525",
    },
    tints={
        "primary": "#d5e5f7",
        "secondary": "#e4dff6",
        "accent": "#cfeaec",
        "success": "#d3ecd9",
        "warning": "#faeed2",
        "error": "#fadcde",
    },
    cursor=("#ffffff", "#1a5aa3"),
    resting=("#1c232d", "#d3d8e0"),
    rule="#7d8998",
    track="#3b8152",
    ranks={"stopped": "#8f1f7c", "foreign-port": "#8a3d12"},
    dark=False,
)
CONTRAST = _made(
    "xpudbg-contrast",
    papers=("#000000", "#000000", "#1c1c1c"),
    foreground="#ffffff",
    muted="#cfcfcf",
    faint="#b8b8b8",
    hues={
        "primary": "#8fd0ff",
        "secondary": "#cdc2ff",
        "accent": "#5ff0f0",
        "success": "#7dff9a",
        "warning": "#ffd94a",
        "error": "#ffa3a3",
    },
    tints={
        "primary": "#00294d",
        "secondary": "#26205c",
        "accent": "#003d40",
        "success": "#00330f",
        "warning": "#403000",
        "error": "#520000",
    },
    cursor=("#000000", "#ffe14d"),
    resting=("#ffffff", "#3a3a3a"),
    rule="#9a9a9a",
    track="#4fd46e",
    ranks={"stopped": "#ff9df0", "foreign-port": "#ffb27a"},
)
SAFE = _made(
    "xpudbg-safe",
    papers=("#131519", "#1a1d22", "#24282f"),
    foreground="#e2e5ea",
    muted="#a3abb7",
    faint="#8f98a5",
    hues={
        "primary": "#8ab4ff",
        "secondary": "#c8b6e8",
        "accent": "#6cd3e6",
        "success": "#56b4e9",
        "warning": "#f5e663",
        "error": "#ff8a3d",
    },
    tints={
        "primary": "#1d2c58",
        "secondary": "#322a4a",
        "accent": "#123c47",
        "success": "#12364d",
        "warning": "#45400f",
        "error": "#522706",
    },
    cursor=("#ffffff", "#2b5a94"),
    resting=("#eceff4", "#363c46"),
    rule="#647082",
    track="#4a98c4",
    ranks={"stopped": "#d98cc0", "foreign-port": "#ff9d5c", "not-registered": "#e9dcff"},
)

THEMES: dict[str, Theme] = {theme.name: theme for theme in (DARK, LIGHT, CONTRAST, SAFE)}
"""Our own themes by name; the first is the usual one."""
DEFAULT = DARK.name


def register(app: App[Any]) -> None:
    """Make our themes known to an application and take the usual one."""
    for theme in THEMES.values():
        app.register_theme(theme)
    app.theme = DEFAULT
    app.stylesheet.set_variables(app.get_css_variables())
