"""Runs: a pipeline's activity, begun before it reads, that names what it registers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import TracebackType
from typing import TYPE_CHECKING, Any

from lineage.stores.base import RunState, Transaction
from lineage_schema.canonical import canonical_json
from lineage_schema.errors import Conflict
from lineage_schema.identity import run_id
from lineage_schema.records import Record, Run
from lineage_schema.vocabulary import RunMode

if TYPE_CHECKING:
    from lineage.graph import LineageGraph
    from lineage.register import Registered


def begin(tx: Transaction, form: Run) -> tuple[RunState, bool]:
    """Begins a run, or finds the one of that key; and whether it was there already.

    Raises :class:`Conflict` where the key names a run of another producer or configuration.
    """
    body = canonical_json(
        form.model_dump(mode="json", exclude={"type", "key", "namespace"}, exclude_none=True), item="run"
    )
    seq: int | None = None
    key = form.key
    if key is None:
        seq = tx.next_seq()
        key = f"run-{seq}"
    id_ = run_id(form.namespace, key)
    before = tx.graph.run(id_)
    if before is not None:
        if tx.graph.run_body(id_) != body:
            raise Conflict(
                f"run {form.namespace}/{key} exists with another producer or configuration", hint="give another key"
            )
        return before, True
    derived = form.mode is RunMode.DERIVED or form.rebuilt
    state, existed = tx.graph.begin_run(
        id_, key, form.namespace, form.producer, body, derived, tx.next_seq() if seq is None else seq, tx.now()
    )
    return state, existed


class RunHandle:
    """A run that has begun. As a context manager it finishes at the end of the block, unless that failed."""

    def __init__(self, graph: LineageGraph, state: RunState) -> None:
        self._graph = graph
        self.state = state

    @property
    def id(self) -> str:
        """The run's id."""
        return self.state.id

    @property
    def key(self) -> str:
        """The run's key within its namespace."""
        return self.state.key

    @property
    def begin(self) -> int:
        """The sequence number at which it began."""
        return self.state.begin

    def register(self, records: Iterable[Record | Mapping[str, Any]]) -> Registered:
        """Registers a batch as made by this run: all of it, or none."""
        return self._graph.register(records, run=self)

    def keep(self, findings: Iterable[tuple[str, str, str]]) -> None:
        """Keeps findings (kind, where, what) that whoever registers met in its own input."""
        self._graph.keep_findings(self, findings)

    def finish(self, *, complete: bool = False) -> None:
        """Ends the run. ``complete`` retires the keys, of the kinds it named, that it did not name."""
        self._graph.finish(self, complete=complete)

    def __enter__(self) -> RunHandle:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is None:
            self.finish()
