"""Every example of every docstring runs; the stubs and the README say what is there."""

import doctest
import inspect
import os
import re
import shlex
import subprocess
import sysconfig
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


REPOSITORY = Path(__file__).parents[2]


def test_the_first_page() -> None:
    """The Python of the repository's README, with what it shows."""
    text = "\n".join(re.findall(r"```python\n(.*?)```", (REPOSITORY / "README.md").read_text(), re.DOTALL))
    example = doctest.DocTestParser().get_doctest(text, {}, "README.md", None, None)
    output: list[str] = []
    assert len(example.examples) >= 4
    doctest.DocTestRunner().run(example, out=output.append)
    assert not output, "".join(output)


def test_the_attack_of_the_first_page() -> None:
    """Its samples differ each time, and the bound on the loss by a few hundredths."""
    shown = re.search(r"\$ lastbit (attack .*)\n(.*)\n", (REPOSITORY / "README.md").read_text())
    assert shown
    scripts = sysconfig.get_path("scripts")
    path = os.pathsep.join([scripts, os.environ["PATH"]])
    command = [str(Path(scripts) / "lastbit"), *shlex.split(shown.group(1))]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=REPOSITORY, env=os.environ | {"PATH": path})
    assert done.returncode == 1, done.stderr
    number = re.compile(r"at least (\d\.\d\d)")
    line = done.stdout.splitlines()[0]
    found, written = number.search(line), number.search(shown.group(2))
    assert found and written, line
    assert number.sub("", line) == number.sub("", shown.group(2))
    assert abs(float(found.group(1)) - float(written.group(1))) < 0.2
