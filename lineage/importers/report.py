"""What an import read, wrote, located, and found wrong."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from lineage.importers.locate import METHODS


@dataclass(frozen=True, order=True)
class Finding:
    """Something in the files that is not as it should be, kept and shown. It stops nothing."""

    kind: str
    where: str
    what: str

    def to_json(self) -> dict[str, str]:
        return {"kind": self.kind, "where": self.where, "what": self.what}


@dataclass(frozen=True)
class ImportReport:
    """The outcome of one import. Counts by kind of node; ``located`` and ``quotes`` by rung of the ladder."""

    pipeline: str
    namespace: str
    run: str
    read: Mapping[str, int]
    written: Mapping[str, int]
    existed: Mapping[str, int]
    located: Mapping[str, int]
    quotes: Mapping[str, int]
    partial: int
    """How many nodes have partial or unknown lineage."""
    aliases: int
    """How many names were added to nodes, new or known."""
    findings: tuple[Finding, ...]

    def to_json(self) -> dict[str, Any]:
        return {
            "pipeline": self.pipeline,
            "namespace": self.namespace,
            "run": self.run,
            "read": dict(self.read),
            "written": dict(self.written),
            "existed": dict(self.existed),
            "aliases": self.aliases,
            "located": dict(self.located),
            "quotes": dict(self.quotes),
            "partial": self.partial,
            "findings": [finding.to_json() for finding in self.findings],
        }


@dataclass
class Notes:
    """What is counted and found on the way; an import has one."""

    read: Counter[str] = field(default_factory=Counter)
    located: Counter[str] = field(default_factory=Counter)
    quotes: Counter[str] = field(default_factory=Counter)
    findings: set[Finding] = field(default_factory=set)

    def find(self, kind: str, where: str, what: str) -> None:
        self.findings.add(Finding(kind, where, what))

    def dangling(self, where: str, names: str, missing: Iterable[str], of: int) -> str | None:
        """A finding for ids that name nothing, all listed; the reason for partial lineage, None if none is missing."""
        ids = sorted(set(missing))
        if not ids:
            return None
        self.find("dangling_id", where, f"{len(ids)} of {of} ids name no {names}: {', '.join(ids)}")
        return f"{len(ids)} of {of} ids name no {names}"


def by_method(counts: Mapping[str, int]) -> dict[str, int]:
    """``counts`` with every rung of the ladder, in its order."""
    return {method: counts.get(method, 0) for method in METHODS}
