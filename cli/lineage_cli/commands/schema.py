"""``schema``: the JSON Schema of the recorded forms."""

from __future__ import annotations

from lineage_cli.app import command
from lineage_cli.output import as_json


@command("schema", "lineage schema > forms.schema.json")
def schema() -> None:
    """Print the JSON Schema of every recorded form: one line of what 'lineage record' reads."""
    from lineage_schema.records import json_schema

    as_json(json_schema())
