"""`lastbit.prove` and the command say the same."""

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

import lastbit

REPOSITORY = Path(__file__).parents[2]
MECHANISMS = sorted((REPOSITORY / "mechanisms").rglob("*.lb"))
# Long searches stop at the same limit on both sides, but not at the same point.
TIMEOUT = 20


def command() -> "Path | None":
    """The command: what LASTBIT names, or one that was built here."""
    named = os.environ.get("LASTBIT")
    built = [REPOSITORY / "target" / profile / "lastbit" for profile in ("release", "debug")]
    return next((path for path in ([Path(named)] if named else built) if path.exists()), None)


def without_times(value: Any) -> Any:
    """The same without what changes from run to run."""
    if isinstance(value, dict):
        return {name: without_times(inner) for name, inner in value.items() if name != "seconds"}
    return [without_times(inner) for inner in value] if isinstance(value, list) else value


@pytest.mark.parametrize("path", MECHANISMS, ids=lambda path: str(path.relative_to(REPOSITORY)))
def test_the_same_json(path: Path) -> None:
    program = command()
    if program is None:
        pytest.skip("there is no command to compare with: cargo build -p lastbit-cli, or set LASTBIT")
    said = subprocess.run(
        [program, "prove", "--json", "--timeout", f"{TIMEOUT}s", path], capture_output=True, check=False, text=True
    )
    try:
        proofs = lastbit.prove(path.read_text(), timeout=TIMEOUT)
    except lastbit.ProgramError as error:
        assert said.returncode == 2
        assert any(error.message.endswith(found.get("error", "")) for found in json.loads(said.stdout))
        return
    expected = json.loads(said.stdout)
    if any((answer.get("stopped") or {}).get("limit") == "time" for answer in expected):
        pytest.skip("it takes too long to be compared")
    assert without_times([proof.json() for proof in proofs]) == without_times(expected)


AUDITS: "list[tuple[str, Any, dict[str, Any]]]" = [
    ("snapping --epsilon 1 --bound 372 --inputs 371 372", "snapping", {"epsilon": 1, "bound": 372, "inputs": (371, 372)}),
    ("snapping --epsilon 1 --bound 4 --inputs 0 1 --form exact", "snapping", {"form": "exact", "epsilon": 1, "bound": 4, "inputs": (0, 1)}),
    (
        "snapping --epsilon 0.1 --bound 10 --inputs 0 1 --op mul --sampler grid53 --tie even --no-clamp --ln +1ulp --fail-above 1/5",
        "snapping",
        {"epsilon": "0.1", "bound": 10, "inputs": (0, 1), "op": "mul", "sampler": "grid53", "tie": "even", "clamp": False, "ln": "+1ulp", "fail_above": "1/5"},
    ),
    ("textbook-laplace --epsilon 1 --inputs 0 1", "textbook-laplace", {"epsilon": 1, "inputs": (0, 1)}),
    ("sampler discrete-laplace --scale 5/2 --inputs 0 1 --depth 24", "sampler", {"mechanism": "discrete_laplace", "scale": "5/2", "inputs": (0, 1), "depth": 24}),
    ("sampler gaussian --scale 5/2 --inputs 0 1 --depth 14", "sampler", {"mechanism": "gaussian", "scale": "5/2", "inputs": (0, 1), "depth": 14}),
    ("examples/coin.lb --inputs true false", Path("examples/coin.lb"), {"inputs": (True, False)}),
    ("mechanisms/randomized_response.lb --epsilon 1 --inputs true false", Path("mechanisms/randomized_response.lb"), {"epsilon": 1, "inputs": (True, False)}),
    ("mechanisms/laplace.lb --epsilon 1 --inputs 0 1", Path("mechanisms/laplace.lb"), {"epsilon": 1, "inputs": (0, 1)}),
    ("mechanisms/snapping_f64.lb --epsilon 0.7 --bound 9 --inputs -3 -2.25", Path("mechanisms/snapping_f64.lb"), {"epsilon": "0.7", "bound": 9, "inputs": (-3, -2.25)}),
]  # fmt: skip


@pytest.mark.parametrize(("line", "what", "arguments"), AUDITS, ids=[line for line, _, _ in AUDITS])
def test_the_same_audits(line: str, what: Any, arguments: "dict[str, Any]", monkeypatch: pytest.MonkeyPatch) -> None:
    """Every kind of audit; inputs of texts are told as they were given, in either language."""
    program = command()
    if program is None:
        pytest.skip("there is no command to compare with: cargo build -p lastbit-cli, or set LASTBIT")
    monkeypatch.chdir(REPOSITORY)
    said = subprocess.run([program, "audit", *line.split(), "--json"], capture_output=True, check=False, text=True)
    expected, found = json.loads(said.stdout), lastbit.audit(what, **arguments).json()
    if isinstance(what, Path):
        del expected["inputs"], found["inputs"]
    assert found == expected
