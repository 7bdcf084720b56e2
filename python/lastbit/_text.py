"""Texts of the mechanism language and of FPCore: given as they are, or as files."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

ENDINGS = (".lb", ".fpcore", ".json")


@dataclass(frozen=True)
class Text:
    """A text, and what messages call it."""

    name: str
    text: str


def of(given: Any) -> "Text | None":
    """The text that is given, or that of the file that is named; `None` for a word that is neither.

    >>> of("mechanism m(x: real) -> real { return x }").name
    'text'
    >>> of("snapping") is None
    True
    """
    if isinstance(given, Path):
        return Text(str(given), given.read_text(encoding="utf-8"))
    if not isinstance(given, str):
        raise TypeError(f"expected a text, or the path of a file, and not {type(given).__name__}")
    if "\n" not in given and given.endswith(ENDINGS):
        return Text(given, Path(given).read_text(encoding="utf-8"))
    is_text = "\n" in given or "{" in given or "(" in given or " " in given.strip()
    return Text("text", given) if is_text else None
