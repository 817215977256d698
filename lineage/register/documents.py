"""Registering documents: first versions, and statements about versions."""

from __future__ import annotations

import json
from collections.abc import Sequence

from lineage.chains import Chains
from lineage.scope import merged
from lineage.stores.base import NewVersion, Transaction
from lineage_schema.canonical import canonical_json, check_text
from lineage_schema.errors import BadInput, Conflict
from lineage_schema.identity import content_hash, version_id
from lineage_schema.records import Document, Page, Section, Statement, Version


def add_documents(tx: Transaction, chains: Chains, documents: list[tuple[object, Document]]) -> tuple[int, int]:
    """Writes documents that are new. Returns how many were written and how many were there already.

    Raises :class:`Conflict` where a uri is known with another text: only a correction, an edition
    or a withdrawal changes what is current.
    """
    chains.prefetch(form.uri for _, form in documents)
    written = existed = 0
    for item, form in documents:
        check_text(form.text, item=item, field="text")
        sha256 = content_hash(form.text)
        known = chains.document(form.uri)
        if known is None:
            tx.sources.add_document(form.uri, form.title, form.url, form.media_type)
            tx.sources.add_versions(
                [NewVersion(form.uri, 1, 1, version_id(form.uri, 1, 1, sha256), sha256, form.text)],
                tx.next_seq(),
                tx.now(),
            )
            chains.forget(form.uri)
            edition, number = 1, 1
            written += 1
        else:
            edition, number = known.latest.edition, known.latest.current
            current = chains.version(form.uri, edition, number)
            if current is None or current.sha256 != sha256:
                raise Conflict(
                    f"{item}: {form.uri} is registered with another text"
                    + (" (it was withdrawn)" if known.latest.withdrawn else ""),
                    hint="lineage correct (the text was wrong), lineage correct --kind edition (a later text with its"
                    " own validity), or another --uri",
                )
            existed += 1
        state(tx, chains, form, form.uri, edition, number, item)
        if form.namespace is not None:
            tx.sources.derive_from(form.namespace, [form.uri], tx.sequence())
    return written, existed


def add_statements(tx: Transaction, chains: Chains, versions: list[tuple[object, Version]]) -> None:
    """Says something about versions that exist."""
    for item, form in versions:
        document = chains.document(form.uri)
        if document is None:
            raise BadInput(item, "uri", found=form.uri, expected="a registered document")
        edition = form.edition if form.edition is not None else document.latest.edition
        states = chains.versions(form.uri, edition)
        number = form.version if form.version is not None else (states[-1].number if states else 1)
        if chains.version(form.uri, edition, number) is None:
            raise BadInput(item, "version", found=[edition, number], expected="an edition and version that exist")
        state(tx, chains, form, form.uri, edition, number, item)


def state(tx: Transaction, chains: Chains, form: Statement, uri: str, edition: int, number: int, item: object) -> None:
    """Records what ``form`` says about a version, unless it has been said and still holds."""
    said = {
        field: value
        for field, value in form.model_dump(mode="json", include=set(Statement.model_fields)).items()
        if value is not None
    }
    if not said:
        return
    version = chains.version(uri, edition, number)
    text = chains.text(version)
    length = None if text is None else len(text.text)
    check_ranges(form.pages or (), "pages", length, item)
    check_ranges(form.sections or (), "sections", length, item)
    holds = merged([json.loads(body) for _, _, body in tx.sources.statements(uri, edition, number)])
    if all(holds.get(field) == value for field, value in said.items()):
        return
    tx.sources.add_statement(uri, edition, number, canonical_json(said, item=item), tx.next_seq(), tx.now())
    if {"valid_from", "valid_to", "applicability"} & said.keys():
        tx.marks.restate(uri, edition, number)


def check_ranges(ranges: Sequence[Page | Section], field: str, length: int | None, item: object) -> None:
    """Pages and sections lie inside the text."""
    for index, part in enumerate(ranges):
        if length is None or not 0 <= part.start <= part.end <= length:
            raise BadInput(
                item, f"{field}[{index}]", found=[part.start, part.end], expected=f"a range inside [0, {length}]"
            )
