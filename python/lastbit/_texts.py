"""Texts where a file may be meant: a path is read, and messages name it."""

import os
from pathlib import Path

_ENDINGS = (".lb", ".fpcore", ".json")

TEXT = "text"
"""What messages call a text that is from no file."""


def read(given: "str | os.PathLike[str]", example: str) -> "tuple[str, str]":
    """What messages call a text, and the text: a path is read, and so is a string that looks like one.

    A string is a path if it has one line and either ends as such files do or names a file. `example`: how a text begins.

    >>> read("mechanism m() -> real { return 0 }", "")
    ('text', 'mechanism m() -> real { return 0 }')
    """
    if isinstance(given, str) and not _is_path(given):
        return TEXT, given
    path = Path(given)
    try:
        return str(path), path.read_text(encoding="utf-8")
    except FileNotFoundError as error:
        message = f"there is no such file; a text in its place would look like {example}"
        raise FileNotFoundError(error.errno, message, str(path)) from None


def _is_path(given: str) -> bool:
    if "\n" in given or "\0" in given:
        return False
    return given.endswith(_ENDINGS) or os.path.isfile(given)
