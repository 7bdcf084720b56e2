"""Every example of every docstring runs; the stubs and the README say what is there."""

import doctest
import inspect
import re
from pathlib import Path
from typing import Any

import pytest

import lastbit


def documented() -> dict[str, str]:
    """The docstrings of the package, its names and their members."""
    texts = {"lastbit": lastbit.__doc__ or ""}
    for name in lastbit.__all__:
        item = getattr(lastbit, name)
        if name.startswith("_"):
            continue
        texts[name] = inspect.getdoc(item) or ""
        if inspect.isclass(item):
            for member, value in vars(item).items():
                if not member.startswith("_"):
                    texts[f"{name}.{member}"] = inspect.getdoc(value) or ""
    return texts


TEXTS = documented()


@pytest.mark.parametrize("name", TEXTS)
def test_is_documented(name: str) -> None:
    assert len(TEXTS[name]) > 10


@pytest.mark.parametrize("name", [name for name in TEXTS if ">>>" in TEXTS[name]])
def test_examples(name: str) -> None:
    example = doctest.DocTestParser().get_doctest(TEXTS[name], {}, name, None, None)
    output: list[str] = []
    flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    doctest.DocTestRunner(optionflags=flags).run(example, out=output.append)
    assert not output, "".join(output)


def test_there_are_examples() -> None:
    functions = [name for name in lastbit.__all__ if inspect.isroutine(getattr(lastbit, name))]
    assert all(">>>" in TEXTS[name] for name in functions)


def test_readme() -> None:
    blocks = re.findall(r"```python\n(.*?)```", (Path(__file__).parents[1] / "README.md").read_text(), re.DOTALL)
    assert blocks
    scope: dict[str, Any] = {}
    for block in blocks:
        exec(block, scope)
