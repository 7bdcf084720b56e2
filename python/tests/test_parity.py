"""Python and the command say the same: proofs, attacks, and every audit that the documentation shows."""

import json
import os
import re
import shlex
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy
import pytest

import lastbit

REPOSITORY = Path(__file__).parents[2]
MECHANISMS = sorted((REPOSITORY / "mechanisms").rglob("*.lb"))
PAGES = [*sorted((REPOSITORY / "docs").glob("*.md")), REPOSITORY / "README.md", REPOSITORY / "python/README.md"]
# Long searches stop at the same limit on both sides, but not at the same point.
TIMEOUT = 20


def command() -> Path:
    """The command: what LASTBIT names, or one that was built here. Where neither is there is nothing to compare with."""
    named = os.environ.get("LASTBIT")
    if named:
        assert Path(named).exists(), f"LASTBIT names {named}, which is not there"
        return Path(named)
    built = (REPOSITORY / "target" / profile / "lastbit" for profile in ("release", "debug"))
    program = next((path for path in built if path.exists()), None)
    return program or pytest.skip("there is no command to compare with: cargo build -p lastbit-cli, or set LASTBIT")


def run(*arguments: "str | Path") -> "subprocess.CompletedProcess[str]":
    return subprocess.run([command(), *arguments], capture_output=True, check=False, text=True, cwd=REPOSITORY)


def printed(*arguments: "str | Path") -> Any:
    """The JSON that the command prints."""
    said = run(*arguments, "--json")
    assert said.stdout, said.stderr
    return json.loads(said.stdout)


def without_times(value: Any) -> Any:
    """The same without what changes from run to run."""
    if isinstance(value, dict):
        return {name: without_times(inner) for name, inner in value.items() if name != "seconds"}
    return [without_times(inner) for inner in value] if isinstance(value, list) else value


@pytest.mark.parametrize("name", [str(path.relative_to(REPOSITORY)) for path in MECHANISMS])
def test_the_same_proofs(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(REPOSITORY)
    said = run("prove", "--json", "--timeout", f"{TIMEOUT}s", name)
    try:
        proofs = lastbit.prove(name, timeout=TIMEOUT)
    except lastbit.ProgramError as error:
        assert said.returncode == 2
        assert any(error.message.endswith(found.get("error", "")) for found in json.loads(said.stdout))
        return
    expected = json.loads(said.stdout)
    if any((answer.get("stopped") or {}).get("limit") == "time" for answer in expected):
        pytest.skip("it takes too long to be compared")
    assert without_times([proof.json() for proof in proofs]) == without_times(expected)


CERTIFIED: "list[tuple[str, dict[str, Any]]]" = [
    ("mechanisms/laplace.lb", {}),
    ("mechanisms/snapping_f64.lb", {"epsilon": 1, "bound": 8}),
    ("mechanisms/randomized_response.lb", {}),
    ("crates/lastbit-cli/tests/programs/average.fpcore", {}),
]


def in_words(text: str) -> "list[str]":
    """What both print of a proof: not the options that show more."""
    return [line.split("; --")[0].replace("  for values", " for values") for line in text.splitlines()]


@pytest.mark.parametrize(("name", "parameters"), CERTIFIED, ids=[name for name, _ in CERTIFIED])
def test_the_same_certificates(name: str, parameters: "dict[str, Any]", tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Written by the one and checked by the other; and what both write for Coq."""
    monkeypatch.chdir(REPOSITORY)
    certificate = tmp_path / "certificate.json"
    options = [word for option, value in parameters.items() for word in (f"--{option}", str(value))]
    said = run("prove", name, *options, "--certificate", certificate)
    assert said.returncode == 0
    (proof,) = lastbit.prove(name, **parameters)
    assert in_words(str(proof)) == in_words(said.stdout)
    assert proof.certificate is not None and certificate.read_text().strip() == proof.certificate.strip()

    checked = lastbit.check(certificate, name)
    assert [checked.json()] == printed("check", certificate, "--program", name)
    assert f"ACCEPTED: {checked}" in " ".join(run("check", certificate).stdout.split())

    written = tmp_path / "certificate.v"
    said = run("certify", certificate, "--coq", written)
    if said.returncode == 0:
        assert lastbit.certify(certificate) == written.read_text()
    else:
        with pytest.raises(lastbit.CertificateError, match="cannot be written for Coq"):
            lastbit.certify(certificate)


def text_of(samples: "list[float]") -> str:
    return "".join(f"{sample.hex()}\n" for sample in samples)


HALVES = [(i * 171 % 401) / 2 for i in range(401)]
THIRDS = [(i * 171 % 401 + 1 / 3) / 2 for i in range(401)]
NORMAL = [float(sample) for sample in numpy.random.default_rng(7).normal(size=3000)]
SPECIAL = [float("nan"), float("inf"), float("-inf"), -0.0, 5e-324] * 100


@pytest.mark.parametrize(
    ("first", "second", "options"),
    [
        (HALVES, THIRDS, {}),
        (HALVES, THIRDS, {"epsilon": "1", "inputs": ("0", "1")}),
        (THIRDS, HALVES, {"epsilon": "4", "delta": "1e-5", "confidence": "99/100"}),
        (NORMAL, [sample + 1 for sample in NORMAL], {"epsilon": "1/10", "inputs": ("0", "0x1p0")}),
        (NORMAL, NORMAL[::-1], {"epsilon": "0.5"}),
        (SPECIAL, NORMAL, {"epsilon": "1"}),
        (HALVES[:5], THIRDS[:5], {"epsilon": "1"}),
    ],
)
def test_the_same_attacks(first: "list[float]", second: "list[float]", options: "dict[str, Any]", tmp_path: Path) -> None:
    files = [tmp_path / "first.txt", tmp_path / "second.txt"]
    for path, samples in zip(files, (first, second)):
        path.write_text(text_of(samples))
    words = [word for name, value in options.items() for word in (f"--{name}", *([value] if isinstance(value, str) else value))]
    inputs = [float.fromhex(x) for x in options.get("inputs", ())]
    expected = printed("attack", *files, *words)
    found = lastbit.attack(first, second, **(options | {"inputs": inputs or None})).json()
    # docs/attack.md: samples are called as their files are, and those of Python have none.
    assert [input.pop("name") for input in expected["inputs"]] == [str(path) for path in files]
    assert [input.pop("name") for input in found["inputs"]] == ["the first input", "the second input"]
    assert found == expected


# Audits: a command line, and the call in Python that asks the same.

PRESENTATION = {"--map": 0, "--json": 0, "--details": 0, "--all": 0, "--digits": 1}
"""Options with nothing of the kind in Python, since they change what is shown and not what is asked; with how many values each has."""

BUDGET = "1s"
"""Searches of the documentation take longer than a test may."""

COMMON = {"--epsilon": "epsilon", "--fail-above": "fail_above", "--delta-at": "delta_at"}
SNAPPING = COMMON | {f"--{name}": name for name in ("bound", "form", "sampler", "op", "scale", "tie", "ln", "sensitivity")}
TEXTBOOK = COMMON | {"--sampler": "sampler"}
SAMPLER = {"--scale": "scale", "--bound": "bound", "--fail-above": "fail_above", "--delta-at": "delta_at"}
TEXT = COMMON | {f"--{name}": name for name in ("bound", "grid", "program", "ln")}


def value(word: str) -> Any:
    """A value of an argument: a truth value, a list, or a number in writing."""
    if "," in word:
        return [value(part) for part in word.split(",")]
    return {"true": True, "false": False}.get(word, word)


def argument(word: str) -> Any:
    """An input of a text; several arguments have names."""
    if "=" not in word:
        return value(word)
    return {name: value(inner) for name, _, inner in (part.partition("=") for part in word.split(";"))}


def seconds(word: str) -> float:
    number, unit = re.fullmatch(r"([\d.]+)(ms|s|m)", word).groups()  # type: ignore[union-attr]
    return float(number) * {"ms": 0.001, "s": 1.0, "m": 60.0}[unit]


def without_presentation(words: "list[str]") -> "Iterator[str]":
    left = iter(words)
    for word in left:
        if word == "--budget":
            next(left)
            yield from (word, BUDGET)
        elif word not in PRESENTATION:
            yield word
        else:
            for _ in range(PRESENTATION[word]):
                next(left)


def in_python(words: "list[str]") -> "tuple[str, dict[str, Any]]":
    """What `lastbit.audit` is called with. Fails on an option that it does not know: then it is to be taught."""
    what, *rest = words
    arguments: "dict[str, Any]" = {}
    known = {"snapping": SNAPPING, "textbook-laplace": TEXTBOOK, "sampler": SAMPLER}.get(what, TEXT)
    if what == "sampler":
        arguments["mechanism"] = rest.pop(0).replace("-", "_")
    left = iter(rest)
    for option in left:
        if option == "--inputs":
            pair = (next(left), next(left))
            arguments["inputs"] = tuple(argument(word) for word in pair) if known is TEXT else pair
        elif option in known:
            arguments[known[option]] = next(left)
        elif known is SNAPPING and option == "--no-clamp":
            arguments["clamp"] = False
        elif known is SNAPPING and option == "--worst":
            arguments["worst"] = True
        elif known is SNAPPING and option == "--budget":
            arguments["budget"] = seconds(next(left))
        elif known is SNAPPING and option == "--grid":
            grid = next(left)
            arguments["grid"] = None if grid == "auto" else grid
        elif known is TEXTBOOK and option == "--type":
            arguments["dtype"] = {"f64": "float64", "f32": "float32"}[next(left)]
        elif known is SAMPLER and option in ("--depth", "--k"):
            arguments[option[2:]] = int(next(left))
        elif known is TEXT and option == "--param":
            name, _, given = next(left).partition("=")
            arguments[name] = given
        else:
            raise AssertionError(f"lastbit audit {shlex.join(words)}: how is {option} said in Python?")
    return what, arguments


def documented() -> "Iterator[str]":
    """What follows `lastbit audit` in the blocks and the comments of the documentation."""
    for page in PAGES:
        is_block = False
        for line in page.read_text().splitlines():
            if line.startswith("```"):
                is_block = not is_block
            if "lastbit audit" not in line or not (is_block or line.startswith("<!--")):
                continue
            shown = re.fullmatch(r"(?:\$ |<!-- )lastbit audit (.*?)(?: -->)?", line)
            assert shown, f"{page.name}: is this an audit, and how is it run? {line}"
            yield shlex.join(without_presentation(shlex.split(shown.group(1), comments=True)))


MORE = [
    "snapping --epsilon 1 --bound 4 --inputs 0 1 --form exact",
    "snapping --epsilon 0.1 --bound 10 --inputs 0 1 --op mul --sampler grid53 --tie even --no-clamp --ln +1ulp --fail-above 1/5",
    "snapping --epsilon 1 --bound 10 --inputs -1.1 0x1p-3 --grid 1/4 --delta-at 1/2",
    "snapping --epsilon 1 --bound 4 --grid auto --worst --sensitivity 1/2 --budget 500ms",
    "textbook-laplace --epsilon 0.3 --inputs -0.7 1 --type f64",
    "sampler gaussian --scale 5/2 --inputs 0 1 --depth 14",
    "sampler grid-laplace --scale 1 --k -3 --depth 20",
    "sampler snapping --scale 1 --bound 4 --depth 20",
    "mechanisms/snapping_f64.lb --epsilon 0.7 --bound 9 --inputs -3 -2.25",
    "mechanisms/snapping_f64.lb --epsilon 1 --bound 4 --inputs 0.1 -1.1 --ln -1ulp --grid 2",
    "mechanisms/grid_laplace.lb --epsilon 1 --param k=-1 --inputs 0 1",
    "mechanisms/standard/noisy_max.lb --program noisy_max_lap --epsilon 1 --inputs 0,1/2,0.25,0,0 1,1/2,0.25,0,0",
    "mechanisms/standard/broken_sparse_vector.lb --program svt_5 --epsilon 1 --inputs 'q=0,0,0,0,1;T=0' 'T=0;q=1,1,1,1,0'",
]
"""What the documentation shows no command of."""

AUDITS = list(dict.fromkeys([*documented(), *MORE]))


def test_the_documentation_shows_audits() -> None:
    """One of each kind at least: or they are not found."""
    kinds = {line.split()[0] for line in documented()}
    assert kinds >= {"snapping", "textbook-laplace", "sampler", "examples/coin.lb"}


def test_an_option_that_is_not_known_is_no_audit() -> None:
    with pytest.raises(AssertionError, match="how is --fast said in Python"):
        in_python(["snapping", "--epsilon", "1", "--fast"])
    with pytest.raises(AssertionError, match="how is other said in Python"):
        in_python(["mechanisms/laplace.lb", "other"])


@pytest.mark.parametrize("line", AUDITS)
def test_the_same_audits(line: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(REPOSITORY)
    words = shlex.split(line)
    what, arguments = in_python(words)
    said = run("audit", *words, "--json")
    try:
        found = lastbit.audit(what, **arguments).json()
    except lastbit.Error as error:
        assert said.returncode == 2 and not said.stdout
        pytest.fail(f"both refuse it: {error}; {said.stderr}")
    expected = json.loads(said.stdout)
    if "--worst" in words:
        # How far a search gets depends on the machine; what is certified and what it comes to do not.
        for answer in (expected, found):
            assert answer["worst"]["certified"]
        members = ("schema", "question", "mechanism", "form", "parameters", "verdict", "method")
        assert [found[name] for name in members] == [expected[name] for name in members]
        assert found["worst"]["certified"] == expected["worst"]["certified"]
        assert found.keys() == expected.keys() and found["worst"].keys() == expected["worst"].keys()
        return
    assert found == expected
