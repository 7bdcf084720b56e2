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
