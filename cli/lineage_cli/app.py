"""The application, how a command is registered, and how it gets at its store."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

import typer

from lineage_cli.output import data
from lineage_cli.settings import Address, address

if TYPE_CHECKING:
    from lineage.graph import LineageGraph

UNTOUCHED = "interrupted: what was committed stays, nothing is half done"


@dataclass(slots=True)
class Common:
    """What holds for one command line. ``interrupted`` gives the line that an interrupt is answered with."""

    store: str | None = None
    debug: bool = False
    interrupted: Callable[[], str] = lambda: UNTOUCHED

    def reset(self) -> None:
        """Forgets the last command line: several may run in one process."""
        self.store, self.debug, self.interrupted = None, False, lambda: UNTOUCHED


COMMON = Common()

app = typer.Typer(
    name="lineage",
    no_args_is_help=True,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(asked: bool) -> None:
    if asked:
        from importlib.metadata import version

        data(f"lineage {version('evidence-lineage')}")
        raise typer.Exit


@app.callback()
def common(
    store: Annotated[
        str | None, typer.Option("--store", metavar="URL", help="The store, such as sqlite:///lineage.db.")
    ] = None,
    debug: Annotated[bool, typer.Option("--debug", help="Show tracebacks, of known errors too.")] = False,
    _: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """What answers stand on, and which of them a source correction affected.

    Examples:

    \b
      lineage demo
      lineage trace claim:demo/returns/C1
      lineage correct returns.md --replace "30 days" "14 days" --reason "policy" --dry-run
      lineage affected last
      lineage check returns

    The store is --store, else LINEAGE_STORE, else 'store' in lineage.toml, else sqlite:///lineage.db.
    --store and --debug may also stand behind the command.
    """
    _take(store, debug)


def _take(store: str | None, debug: bool) -> None:
    COMMON.store = store or COMMON.store
    COMMON.debug = debug or COMMON.debug
    if COMMON.debug:
        _tell_notifications()


def _tell_notifications() -> None:
    """What a Neo4j server remarks on statements goes to standard error."""
    import logging

    logger = logging.getLogger("neo4j.notifications")
    logger.setLevel(logging.INFO)
    if not any(isinstance(handler, logging.StreamHandler) for handler in logger.handlers):
        logger.addHandler(logging.StreamHandler())


def command(
    name: str, *examples: str, group: typer.Typer | None = None
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Registers a command. Its help is its docstring, with the examples right behind the first paragraph."""

    def register(function: Callable[..., None]) -> Callable[..., None]:
        about = inspect.cleandoc(function.__doc__ or "")
        first, _, rest = about.partition("\n\n")
        shown = "\n".join(f"  {example}" for example in examples)
        title = "Example:" if len(examples) == 1 else "Examples:"
        text = "\n\n".join(part for part in (first, title, f"\b\n{shown}", rest) if part)
        (group or app).command(name, help=text)(_with_common(function))
        return function

    return register


def _with_common(function: Callable[..., None]) -> Callable[..., None]:
    """The command, with the options of all commands behind its name too, where people write them."""
    hints = get_type_hints(function, include_extras=True)
    parameters = [
        parameter.replace(annotation=hints[parameter.name])
        for parameter in inspect.signature(function).parameters.values()
    ]
    for name, annotation, default in (
        ("common_store", Annotated[str | None, typer.Option("--store", hidden=True)], None),
        ("common_debug", Annotated[bool, typer.Option("--debug", hidden=True)], False),
    ):
        parameters.append(
            inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)
        )

    @functools.wraps(function)
    def called(*, common_store: str | None, common_debug: bool, **given: Any) -> None:
        _take(common_store, common_debug)
        function(**given)

    called.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    called.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    del called.__wrapped__
    return called


def opened(*, read_only: bool = False) -> LineageGraph:
    """The store of this call, which must exist."""
    # Loaded here, so that help, completion and usage errors do not wait for it.
    from lineage.graph import LineageGraph

    return LineageGraph.open(url(), read_only=read_only)


def url() -> str:
    """The URL of the store of this call."""
    return store().url


def store() -> Address:
    """The store of this call, and who named it."""
    return address(COMMON.store)
