"""A pickle read without running what it names.

A pickle can call anything that it names, so it is never loaded with ``pickle.load``. Its
instructions are listed first, without running them: if one names a global that is not on the list,
nothing is built at all. Only then is it read, by an unpickler that knows the same names and gives
each an inert class of its own, made for this one file.
"""

from __future__ import annotations

import io
import pickle
import pickletools
from collections.abc import Iterator, Mapping
from typing import Any, Final, NoReturn

from lineage_schema.errors import BadInput

Global = tuple[str, str]

TREE: Final[Global] = ("raptor.tree_structures", "Tree")
NODE: Final[Global] = ("raptor.tree_structures", "Node")
SETS: Final[frozenset[Global]] = frozenset({("builtins", "set"), ("__builtin__", "set")})
"""What protocols before 4 write for a node's children; it can do no more than hold them."""
ALLOWED: Final[frozenset[Global]] = frozenset({TREE, NODE}) | SETS
NUMPY: Final[frozenset[Global]] = frozenset(
    (module, name)
    for module, name in (
        ("numpy", "ndarray"),
        ("numpy", "dtype"),
        ("numpy.core.multiarray", "_reconstruct"),
        ("numpy.core.multiarray", "scalar"),
        ("numpy.core.numeric", "_frombuffer"),
        ("numpy._core.multiarray", "_reconstruct"),
        ("numpy._core.multiarray", "scalar"),
        ("numpy._core.numeric", "_frombuffer"),
    )
)
"""How embeddings of NumPy's types are rebuilt. Ours rebuild nothing: embeddings are not read."""

# Instructions that reach outside of the file: the extension registry, and objects kept elsewhere.
_OUTSIDE: Final = frozenset({"EXT1", "EXT2", "EXT4", "PERSID", "BINPERSID", "NEXT_BUFFER", "READONLY_BUFFER"})
_UNREADABLE: Final = ("?", "?")


class Inert:
    """What a name of a pickle stands for: it keeps what it is given and does nothing."""

    def __init__(self, *arguments: object, **named: object) -> None:
        pass

    def __setstate__(self, state: object) -> None:
        if isinstance(state, Mapping):
            self.__dict__.update({str(name): value for name, value in state.items()})


def load(data: bytes, item: str, *, allow_numpy: bool = False) -> tuple[Any, type[Inert], type[Inert]]:
    """The object in ``data``, and the classes that stand for ``Tree`` and ``Node`` in it.

    Raises :class:`BadInput`, which names the global, before anything is built of a pickle that
    names another one.
    """
    allowed = ALLOWED | NUMPY if allow_numpy else ALLOWED
    for name in globals_of(data, item):
        if name not in allowed:
            _refuse(item, name)
    classes: dict[Global, type[Inert]] = {name: type(name[1], (Inert,), {}) for name in allowed - SETS}
    try:
        found = _Reader(data, {**classes, **dict.fromkeys(SETS, set)}, item).load()
    except BadInput:
        raise
    except Exception as error:
        # Whatever a damaged file makes the reader stumble over, it is the file's fault.
        what = f"{type(error).__name__}: {error}"
        raise BadInput(item, "pickle", found=what, expected="a pickled RAPTOR tree") from None
    return found, classes[TREE], classes[NODE]


def globals_of(data: bytes, item: str) -> Iterator[Global]:
    """The globals that ``data`` names, in order, found by reading its instructions and running none."""
    strings: list[str | None] = []
    memo: dict[int, str | None] = {}
    count = 0
    try:
        for count, (operation, argument, _) in enumerate(pickletools.genops(data), 1):
            name = operation.name
            if name in _OUTSIDE:
                raise BadInput(item, "pickle", found=name, expected="no reference to what is outside the file")
            if name in ("GLOBAL", "INST"):
                module, _, attribute = str(argument).partition(" ")
                yield module, attribute
                strings.append(None)
            elif name == "STACK_GLOBAL":
                module_name, attribute_name = (strings[-2], strings[-1]) if len(strings) > 1 else (None, None)
                yield (module_name, attribute_name) if module_name and attribute_name else _UNREADABLE
                strings.append(None)
            elif name == "MEMOIZE":
                memo[len(memo)] = strings[-1] if strings else None
            elif name in ("PUT", "BINPUT", "LONG_BINPUT"):
                number = int(argument or 0)
                if number > count:
                    # The reader would make room for so many.
                    raise BadInput(item, "pickle", found=f"{name} {number}", expected="memo numbers in order")
                memo[number] = strings[-1] if strings else None
            elif name in ("GET", "BINGET", "LONG_BINGET"):
                strings.append(memo.get(int(argument or 0)))
            elif name not in ("PROTO", "FRAME"):
                # Whatever else stands on the stack is no name. Only what is on top matters here.
                strings.append(argument if isinstance(argument, str) and "UNICODE" in name else None)
            del strings[:-2]
    except (ValueError, IndexError, UnicodeDecodeError) as error:
        raise BadInput(item, "pickle", found=str(error), expected="a whole pickle") from None


def _refuse(item: str, name: Global) -> NoReturn:
    shown = "a global whose name is not written in the file" if name == _UNREADABLE else ".".join(name)
    raise BadInput(
        item,
        "pickle",
        found=shown,
        expected="only the globals raptor.tree_structures.Tree and .Node",
        hint="a pickle can run whatever it names, so nothing of it was built"
        + ("; --allow-numpy reads a tree whose embeddings are NumPy's" if name in NUMPY else ""),
    )


class _Reader(pickle.Unpickler):
    """The second wall: it knows no names but those given, whatever the list of instructions said."""

    def __init__(self, data: bytes, classes: Mapping[Global, type[object]], item: str) -> None:
        super().__init__(io.BytesIO(data))
        self._classes = classes
        self._item = item

    def find_class(self, module_name: str, global_name: str, /) -> type[object]:
        found = self._classes.get((module_name, global_name))
        if found is None:
            _refuse(self._item, (module_name, global_name))
        return found

    def persistent_load(self, pid: object, /) -> NoReturn:
        _refuse(self._item, ("persistent id", str(pid)))
