"""Everything xpudbg can do without a screen: targets, collection, snapshots, analyses, verdict, report.

Nothing in here knows Textual, rich or `xpudbg.tui`; tests and an import contract hold that.
"""
