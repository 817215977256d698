"""Writes the indexes, the answers and the citation desk: ``python -m lineage.demo.build DIR``.

The handbook is read from the package. The same handbook gives the same bytes.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from pathlib import Path

from lineage.demo import answering, desk, tables, tree
from lineage.demo.files import handbook
from lineage.demo.forms import Form


def contents() -> dict[str, bytes]:
    """The bytes of each file, by its path."""
    pages = {path.name: path.read_bytes().decode("utf-8") for path in handbook()}
    made = {f"graphrag/{name}.csv": tables.as_csv(rows) for name, rows in tables.tables(pages).items()}
    made["raptor/tree.pkl"] = tree.as_pickle(pages)
    made["answers.jsonl"] = _lines(answering.records(pages))
    made["desk/citation_desk.jsonl"] = _lines(desk.records())
    made["desk/citation_desk_judgments.jsonl"] = _lines(desk.judgments())
    return made


def write(folder: Path) -> None:
    """Write every file under ``folder``."""
    for name, content in contents().items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


def _lines(forms: Iterable[Form]) -> bytes:
    return "".join(json.dumps(form, ensure_ascii=False) + "\n" for form in forms).encode("utf-8")


def main(arguments: list[str]) -> int:
    if len(arguments) != 1:
        print("usage: python -m lineage.demo.build DIR", file=sys.stderr)
        return 2
    write(Path(arguments[0]))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
