"""How the page looks: dense and calm, by the reader's own light or dark scheme, and on paper."""

from __future__ import annotations

__all__ = ["STYLES"]

STYLES = """
:root {
  color-scheme: light dark;
  --page: #f7f8fa; --sheet: #ffffff; --ink: #1c2128; --soft: #5b6470; --line: #dde1e7; --quiet: #eef1f5;
  --bad: #b42318; --bad-fill: #fde4e1; --warn: #8a5300; --warn-fill: #fdedc8; --good: #1a7f4b; --good-fill: #bfe3cf;
  --info: #175cd3; --info-fill: #d6e6fb; --none-fill: #d5dae1;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #14171c; --sheet: #1b1f26; --ink: #e3e7ed; --soft: #98a2b0; --line: #313843; --quiet: #242a33;
    --bad: #ff8f84; --bad-fill: #58211d; --warn: #f2bd5c; --warn-fill: #4d3809; --good: #6fcf9a; --good-fill: #1e4a34;
    --info: #8ab8ff; --info-fill: #1d3a66; --none-fill: #3a424e;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0; background: var(--page); color: var(--ink);
  font: 14px/1.45 system-ui, -apple-system, "Segoe UI", "Noto Sans", "DejaVu Sans", sans-serif;
}
main { max-width: 1180px; margin: 0 auto; padding: 20px 16px 40px; }
section, header.top, footer {
  background: var(--sheet); border: 1px solid var(--line); border-radius: 6px; padding: 12px 16px; margin: 0 0 12px;
}
h1 { font-size: 20px; line-height: 1.3; margin: 6px 0 8px; font-weight: 600; overflow-wrap: anywhere; }
h2 { font-size: 13px; margin: 0 0 8px; font-weight: 600; color: var(--soft); }
h3 { font-size: 14px; margin: 0 0 4px; font-weight: 600; overflow-wrap: anywhere; }
p { margin: 4px 0; overflow-wrap: anywhere; }
code, pre, .mono, td {
  font-family: ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace; font-size: 12px;
}
pre { margin: 4px 0 8px; padding: 6px 10px; background: var(--quiet); border-radius: 4px; overflow-x: auto; }
.facts { color: var(--soft); margin: 2px 0; }
.facts b { color: var(--ink); font-weight: 600; }
.tag {
  display: inline-block; padding: 0 8px; border-radius: 9px; font-size: 12px; font-weight: 600; white-space: nowrap;
  background: var(--none-fill); color: var(--ink); margin: 0 6px 0 0;
}
.tag.bad { background: var(--bad-fill); color: var(--bad); }
.tag.warn { background: var(--warn-fill); color: var(--warn); }
.tag.good { background: var(--good-fill); color: var(--good); }
.tag.info { background: var(--info-fill); color: var(--info); }
header.top.bad { border-left: 4px solid var(--bad); }
header.top.warn { border-left: 4px solid var(--warn); }
header.top.good { border-left: 4px solid var(--good); }
header.top .tag { font-size: 14px; padding: 1px 11px; border-radius: 11px; }
article { border-top: 1px solid var(--line); padding: 8px 0; break-inside: avoid; }
article:first-of-type { border-top: 0; padding-top: 0; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 1px 12px; margin: 4px 0 0; }
dt { color: var(--soft); }
dd { margin: 0; overflow-wrap: anywhere; }
ul { margin: 2px 0; padding-left: 18px; }
li { overflow-wrap: anywhere; }
.scroll { overflow-x: auto; margin: 4px 0 8px; }
table { border-collapse: collapse; }
th { text-align: left; font-size: 12px; font-weight: 600; color: var(--soft); white-space: nowrap; }
th, td { padding: 1px 12px 1px 0; border-bottom: 1px solid var(--line); vertical-align: top; }
td { overflow-wrap: break-word; max-width: 64ch; }
.num { text-align: right; white-space: nowrap; }
details { margin: 2px 0; }
summary { cursor: pointer; padding: 1px 0; overflow-wrap: anywhere; }
summary b { font-weight: 600; }
.left-out { color: var(--soft); font-style: italic; }
svg.map { width: 100%; height: auto; display: block; margin: 4px 0; }
svg.map text { font: 9px ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace; fill: var(--ink); }
svg.map text.edge { fill: var(--soft); text-anchor: end; }
svg.map text.sign { text-anchor: middle; font-weight: 700; }
svg.map rect { fill: var(--none-fill); }
svg.map rect.good { fill: var(--good-fill); }
svg.map rect.warn { fill: var(--warn-fill); stroke: var(--warn); }
svg.map rect.bad { fill: var(--bad-fill); stroke: var(--bad); }
svg.map rect.info { fill: var(--info-fill); stroke: var(--info); }
svg.map rect.accused { fill: none; stroke: var(--bad); stroke-width: 2; }
@media print {
  :root {
    --page: #fff; --sheet: #fff; --ink: #000; --soft: #444; --line: #bbb; --quiet: #f2f2f2;
    --bad: #a01010; --bad-fill: #f8d5d1; --warn: #6b4200; --warn-fill: #f8e6bd; --good: #11633a; --good-fill: #cfe8d9;
    --info: #12499f; --info-fill: #d6e6fb; --none-fill: #ddd;
  }
  body { font-size: 11px; }
  main { max-width: none; padding: 0; }
  section, header.top, footer { border: 0; border-top: 1px solid var(--line); border-radius: 0; padding: 6px 0; }
  .scroll, pre { overflow: visible; }
  td { overflow-wrap: anywhere; }
  pre { white-space: pre-wrap; overflow-wrap: anywhere; }
  svg.map, .tag { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
  tr { break-inside: avoid; }
  details::details-content { content-visibility: visible; block-size: auto; }
}
"""
"""Colours are never the only sign: what they say stands beside them as a word or a letter."""
