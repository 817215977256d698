"""``schema``: the JSON Schema of the recorded forms."""

from __future__ import annotations

from lineage_cli.app import command
from lineage_cli.output import as_json
from lineage_schema.records import json_schema


@command("schema")
def schema() -> None:
    """Print the JSON Schema of every recorded form.

    Example: lineage schema > forms.schema.json
    """
    as_json(json_schema())
