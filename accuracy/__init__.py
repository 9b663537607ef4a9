"""How often xpudbg is right: every scenario, dump and real job whose truth is known, beside what torch's tools say.

`python -m accuracy` writes docs/accuracy.md.
"""
