"""``add``: register documents."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from lineage import BadInput, Document
from lineage_cli.app import Json, command, opened
from lineage_cli.output import as_json, say


@command("add")
def add(
    files: Annotated[list[Path], typer.Argument(metavar="FILE…", help="Files of UTF-8 text.", show_default=False)],
    uri: Annotated[str | None, typer.Option("--uri", help="The document's uri; the path as given without it.")] = None,
    namespace: Annotated[str | None, typer.Option("--namespace", help="A namespace that derives from it.")] = None,
    title: Annotated[str | None, typer.Option("--title")] = None,
    media_type: Annotated[str, typer.Option("--media-type")] = "text/plain",
    valid_from: Annotated[str | None, typer.Option("--valid-from", help="ISO date from which the text holds.")] = None,
    valid_to: Annotated[str | None, typer.Option("--valid-to", help="ISO date until which the text holds.")] = None,
    label: Annotated[list[str] | None, typer.Option("--label", help="An access label; may be repeated.")] = None,
    as_json_: Json = False,
) -> None:
    """Register documents: their first versions. Equal bytes again are a no-op; other bytes are a conflict.

    Example: lineage add handbook/returns.md --namespace help
    """
    if uri is not None and len(files) > 1:
        raise typer.BadParameter("--uri names one document, and several files are given")
    records = [
        Document(
            uri=uri or str(path),
            text=read_text(path),
            media_type=media_type,
            title=title,
            namespace=namespace,
            valid_from=valid_from,
            valid_to=valid_to,
            labels=tuple(label) if label else None,
        )
        for path in files
    ]
    with opened() as graph:
        done = graph.register(records)
    if as_json_:
        as_json(done.to_json())
    else:
        say(f"{done.written['document']} registered, {done.existed['document']} were there already")


def read_text(path: Path) -> str:
    """A file's exact text: line ends and a leading U+FEFF are part of it.

    Raises :class:`BadInput` for what is no file, or no UTF-8 text.
    """
    try:
        raw = path.read_bytes()
    except IsADirectoryError:
        raise BadInput(str(path), "path", found="a folder", expected="a file", hint=f"lineage add {path}/*") from None
    except OSError as error:
        raise BadInput(str(path), "path", found=error.strerror, expected="a file that can be read") from None
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        raise BadInput(
            str(path),
            "content",
            found=f"byte 0x{raw[error.start]:02x} at {error.start}",
            expected="UTF-8 text",
            hint=f"extract its text first, or: iconv -f WINDOWS-1252 -t UTF-8 {path}",
        ) from None
