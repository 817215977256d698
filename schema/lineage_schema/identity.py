"""Identity: what makes two things the same, written down before any code.

- *content hash*: sha256 of the exact text in UTF-8. Nothing is normalised.
- *node id*: ``"l1:"`` and the first 40 hex digits of the sha256 of the canonical JSON of an
  object with ``kind``, ``namespace``, ``key``, ``content`` (the content hash) and
  ``attributes`` (the meaning attributes of the kind). ``l1`` names this rule.
- *span id*: the same over ``kind`` = ``span``, ``uri``, ``edition``, ``version`` (number),
  ``start``, ``end``: the range in the **first** version where the span stands.
- *version id*: ``"v1:"`` over uri, edition, number and sha256 (null for a withdrawal).
- *run id*: ``"r1:"`` over namespace and the run's key.
- *correction id*: ``"c1:"`` over the sorted list of (uri, edition, kind, from, to); where ``to`` is a version of
  another edition, that edition's number follows.

A key is a string or an array of strings, none of them empty. A node inside a key is its own
key's canonical JSON. Native ids, ranks, weights, locators, origins and completeness are not
hashed: they stand beside, and may grow.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from typing import Any

from lineage_schema.canonical import canonical_bytes, canonical_json, check_text, encode_string
from lineage_schema.errors import BadInput

NODE_TAG = "l1:"
VERSION_TAG = "v1:"
DIGITS = 40

Key = str | tuple[str, ...]
"""A node's logical name within its namespace and kind."""


def content_hash(text: str) -> str:
    """sha256 of the exact text (UTF-8), 64 hex digits."""
    return hashlib.sha256(text.encode("utf-8")).hexdigest()


def node_id(
    kind: str, namespace: str, key: Key, content: str | None, attributes: Mapping[str, Any] | None = None
) -> str:
    """The id of a derived node, claim or answer. ``content`` is its content hash.

    Raises :class:`BadInput` where an attribute has no canonical form.
    """
    # Canonical JSON put together by hand: its keys are known, and this runs for each node that is registered.
    item = f"{kind}:{namespace}/"
    said = canonical_json(dict(attributes), item=item) if attributes else "{}"
    hashed = "null" if content is None else encode_string(content)
    body = (
        f'{{"attributes":{said},"content":{hashed},"key":{_key_json(key)},'
        f'"kind":{encode_string(kind)},"namespace":{encode_string(namespace)}}}'
    )
    return NODE_TAG + _digest(body, item)


def span_id(uri: str, edition: int, version: int, start: int, end: int) -> str:
    """The id of a span by its range, in code points, in the first version where it stands."""
    body = (
        f'{{"edition":{edition},"end":{end},"kind":"span","start":{start},'
        f'"uri":{encode_string(uri)},"version":{version}}}'
    )
    return NODE_TAG + _digest(body, uri)


def version_id(uri: str, edition: int, number: int, sha256: str | None) -> str:
    """The id of a document version; ``sha256`` is None for a withdrawal, which has no text."""
    return _tagged(VERSION_TAG, {"edition": edition, "number": number, "sha256": sha256, "uri": uri}, item=uri)


def run_id(namespace: str, key: str) -> str:
    """The id of a run: the same key in the same namespace is the same run."""
    return _tagged("r1:", {"key": key, "namespace": namespace}, item=key)


def correction_id(changes: Iterable[tuple[str, int, str, int, int, int]]) -> str:
    """The id of a correction, from its documents' (uri, edition, kind, from, to, edition of ``to``) in any order."""
    said = [[uri, edition, kind, source, target, *([into] if into != edition else [])]
            for uri, edition, kind, source, target, into in changes]  # fmt: skip
    return _tagged("c1:", sorted(said), item="correction")


def key_text(key: Key) -> str:
    """The written form of a key: itself, or an array's canonical JSON."""
    return key if isinstance(key, str) else _key_json(key)


def parse_key(text: str) -> Key:
    """The key that :func:`key_text` wrote; a text that is no JSON array of strings is itself."""
    if text.startswith("["):
        try:
            value = json.loads(text)
        except ValueError:
            return text
        if isinstance(value, list) and value and all(isinstance(part, str) for part in value):
            return tuple(value)
    return text


def check_key(key: Any, *, item: object, field: str = "key") -> Key:
    """``key`` in its stored form, or :class:`BadInput` where it is empty or no string or array of strings."""
    if isinstance(key, str):
        if not key:
            raise BadInput(item, field, found=key, expected="a key that is not empty")
        if key[0] == "[" and key_text_is_array(key):
            raise BadInput(item, field, found=key, expected="an array key given as an array, not as its text")
        return key
    if isinstance(key, (tuple, list)) and key and all([isinstance(part, str) and part for part in key]):  # noqa: C419
        return tuple(key)
    raise BadInput(item, field, found=key, expected="a non-empty string or an array of non-empty strings")


def key_text_is_array(text: str) -> bool:
    """Whether a string key would be read back as an array key."""
    return not isinstance(parse_key(text), str)


def _key_json(key: Key) -> str:
    if isinstance(key, str):
        return encode_string(key)
    return "[" + ",".join(map(encode_string, key)) + "]"


def _digest(body: str, item: object) -> str:
    try:
        return hashlib.sha256(body.encode("utf-8")).hexdigest()[:DIGITS]
    except UnicodeEncodeError:
        check_text(body, item=item, field="key, kind or namespace")
        raise


def _tagged(tag: str, body: Any, *, item: object) -> str:
    return tag + hashlib.sha256(canonical_bytes(body, item=item)).hexdigest()[:DIGITS]
