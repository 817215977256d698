"""What an import needs of a graph: a run to register records in, and where a text is known."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Protocol

from lineage_schema.records import Record
from lineage_schema.vocabulary import RunMode


class FoundThing(Protocol):
    """A finding of the store."""

    @property
    def kind(self) -> str: ...
    @property
    def where(self) -> str: ...
    @property
    def what(self) -> str: ...


class Written(Protocol):
    """What one batch changed, by kind."""

    @property
    def written(self) -> Mapping[str, int]: ...
    @property
    def existed(self) -> Mapping[str, int]: ...
    @property
    def aliases(self) -> int: ...
    @property
    def findings(self) -> Iterable[FoundThing]: ...


class RunSink(Protocol):
    """A run that has begun. Each batch is all or nothing; its inputs are in it or in an earlier one."""

    @property
    def id(self) -> str: ...
    def register(self, records: Sequence[Record], /) -> Written: ...
    def keep(self, findings: Sequence[tuple[str, str, str]], /) -> None: ...
    def finish(self, *, complete: bool = False) -> object: ...


class GraphSink(Protocol):
    """The part of the front door that imports use."""

    def run(
        self,
        namespace: str,
        /,
        *,
        producer: str,
        key: str | None,
        version: str | None,
        model: str | None,
        config_hash: str | None,
        mode: RunMode,
        rebuilt: bool,
    ) -> AbstractContextManager[RunSink]: ...

    def versions_with_hash(self, sha256: str, /) -> Sequence[tuple[str, int, int]]: ...
