"""Strongly connected components of a graph: the circles in which calls wait for each other."""

from __future__ import annotations

__all__ = ["components"]


def components(edges: dict[int, set[int]]) -> list[set[int]]:
    """Strongly connected components of more than one node (Tarjan's, without recursion)."""
    found: list[set[int]] = []
    number: dict[int, int] = {}
    low: dict[int, int] = {}
    stack: list[int] = []
    on_stack: set[int] = set()
    for root in sorted(edges):
        if root in number:
            continue
        work = [(root, iter(sorted(edges[root])))]
        number[root] = low[root] = len(number)
        stack.append(root)
        on_stack.add(root)
        while work:
            node, following = work[-1]
            for other in following:
                if other not in number:
                    number[other] = low[other] = len(number)
                    stack.append(other)
                    on_stack.add(other)
                    work.append((other, iter(sorted(edges[other]))))
                    break
                if other in on_stack:
                    low[node] = min(low[node], number[other])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == number[node]:
                    component = set()
                    while True:
                        other = stack.pop()
                        on_stack.discard(other)
                        component.add(other)
                        if other == node:
                            break
                    if len(component) > 1:
                        found.append(component)
    return found
