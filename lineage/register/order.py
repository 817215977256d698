"""Topological order of a batch, or the path of a cycle."""

from __future__ import annotations

from collections.abc import Collection, Mapping


def levels(inputs: Mapping[str, Collection[str]]) -> list[list[str]]:
    """Nodes by level: each stands on nodes of lower levels, and on nodes that are no key of ``inputs``.

    Raises :class:`Cycle` where there is no such order.
    """
    waiting: dict[str, int] = {}
    above: dict[str, list[str]] = {}
    for node, below in inputs.items():
        inside = {each for each in below if each in inputs}
        waiting[node] = len(inside)
        for each in inside:
            above.setdefault(each, []).append(node)
    ready = [node for node, count in waiting.items() if not count]
    result, done = [], 0
    while ready:
        result.append(ready)
        done += len(ready)
        following = []
        for node in ready:
            for dependent in above.get(node, ()):
                waiting[dependent] -= 1
                if not waiting[dependent]:
                    following.append(dependent)
        ready = following
    if done < len(inputs):
        raise Cycle(_cycle({node for node, count in waiting.items() if count}, inputs))
    return result


class Cycle(Exception):
    """Nodes that stand on themselves; ``path`` begins and ends with the same one."""

    def __init__(self, path: list[str]) -> None:
        super().__init__(" → ".join(path))
        self.path = path


def _cycle(left: set[str], inputs: Mapping[str, Collection[str]]) -> list[str]:
    # Every node that is left has an input that is left, so that walking down must come back.
    path = [min(left)]
    places = {path[0]: 0}
    while True:
        following = min(each for each in inputs[path[-1]] if each in left)
        if following in places:
            return [*path[places[following] :], following]
        places[following] = len(path)
        path.append(following)
