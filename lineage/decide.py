"""Decisions: a person's or a judgment's word that a cause does not affect a node as it was made."""

from __future__ import annotations

from lineage.evaluate import Effect, evaluate
from lineage.stores.base import Decision, Transaction
from lineage_schema.errors import BadInput, Conflict, NotFound
from lineage_schema.vocabulary import Kind, Resolution, Severity

BUILT_IN = "incomplete"


def dismiss(tx: Transaction, node: str, cause: str | None, *, reason: str, by: str | None) -> Decision:
    """Records a dismissal. It stands while the node's derivation does and nothing new or worse passes.

    Raises :class:`BadInput` for a span (its words are gone from the source whatever anybody
    says) or an empty reason, :class:`NotFound` where no open mark is there to dismiss, and
    :class:`Conflict` where several are and none is named.
    """
    if not reason.strip():
        raise BadInput("dismissal", "reason", found=reason, expected="why the node is not affected")
    view = tx.reading.views([node])[node]
    if view.kind == Kind.SPAN:
        raise BadInput(node, "node", found="span", expected="a derived node, a claim or an answer")
    mine = _effects(tx, node)
    if cause is None:
        # Incomplete lineage is nothing that a person who names no cause means, unless it is all there is.
        meant = sorted(name for name in mine if name != BUILT_IN) or sorted(mine)
        if len(meant) > 1:
            raise Conflict(f"{len(meant)} corrections affect it: {', '.join(meant)}", hint="name one with --correction")
        if not meant:
            raise NotFound("no open correction affects it")
        cause = meant[0]
    # A correction that merely cannot be excluded may be decided too: nothing passes from it.
    excludable = {name for name, _ in tx.reading.cannot_exclude(node)} if view.kind == Kind.ANSWER else set()
    if cause not in mine and cause not in excludable:
        raise NotFound(f"{cause} does not affect it")
    effect = mine.get(cause, Effect(Severity.NONE, ()))
    return _kept(tx, Decision(cause, node, Resolution.DISMISSED.value, effect.severity, effect.inputs, reason, by))


def reverified(tx: Transaction, claim: str, cause: str, *, reason: str, by: str | None) -> Decision:
    """Records that a judgment on the new text supports a claim all the same; it stands as a dismissal does.

    Raises :class:`NotFound` where the correction does not affect the claim.
    """
    effect = _effects(tx, claim).get(cause)
    if effect is None:
        raise NotFound(f"{cause} does not affect {claim}")
    return _kept(tx, Decision(cause, claim, Resolution.REVERIFIED.value, effect.severity, effect.inputs, reason, by))


def _effects(tx: Transaction, node: str) -> dict[str, Effect]:
    """What each cause does to a node."""
    effects = evaluate(tx, [node])
    assert effects is not None  # no budget was given
    return {cause: nodes[node] for cause, nodes in effects.items() if node in nodes}


def _kept(tx: Transaction, decision: Decision) -> Decision:
    tx.marks.decide(decision, tx.next_seq(), tx.now())
    return decision
