"""Texts where a file may be meant: a path is read, and messages name it."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from lastbit.errors import ProgramError

_ENDINGS = (".lb", ".fpcore", ".json")


def read(given: "str | os.PathLike[str]", example: str) -> "tuple[str, str | None]":
    """The text, and the name of the file that it is from: a path is read, and so is a string that looks like one.

    A string is a path if it has one line and either ends as such files do or names a file.

    >>> read("mechanism m() -> real { return 0 }", "")
    ('mechanism m() -> real { return 0 }', None)
    """
    if isinstance(given, str) and not _is_path(given):
        return given, None
    path = Path(given)
    try:
        return path.read_text(encoding="utf-8"), str(path)
    except FileNotFoundError as error:
        message = f"there is no such file; a text in its place would look like {example}"
        raise FileNotFoundError(error.errno, message, str(path)) from None


def _is_path(given: str) -> bool:
    if "\n" in given or "\0" in given:
        return False
    return given.endswith(_ENDINGS) or os.path.isfile(given)


@contextmanager
def named(name: "str | None") -> Iterator[None]:
    """Makes mistakes in a text name the file that it comes from."""
    try:
        yield
    except ProgramError as error:
        if name is None:
            raise
        shown = str(error).replace(" --> text:", f" --> {name}:")
        raise ProgramError(shown, error.message, error.line, error.column, error.hint) from None
