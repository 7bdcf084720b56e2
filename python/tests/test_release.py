"""Released tables and ledgers: the same as the command says and keeps, and everything that Python adds to it."""

import json
import os
import signal
import subprocess
import threading
import time
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from markup import elements
from test_parity import command

import lastbit

SPEC = """
[table]
path = "trips.csv"
dataset = "trips"
unit = "rider"
[bounds]
groups = 2
rows = 3
[by]
columns = "city"
keys = ["Thun", "007", "Bern, old"]
[privacy]
epsilon = 1
[[query]]
name = "trips"
kind = "count"
[[query]]
name = "fare"
kind = "mean"
column = "fare"
bounds = [0, 100]
[[query]]
name = "ages"
kind = "histogram"
column = "age"
edges = [0, 18, 65, 120]
"""

ROWS = "rider,city,fare,age\nr1,007,12.50,31\nr1,Thun,3,31\nr2,\"Bern, old\",99.95,17\n"


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("trips.csv").write_text(ROWS)
    Path("release.toml").write_text(SPEC)


def run(*arguments: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run([command(), *arguments], capture_output=True, check=False, text=True)


def printed(*arguments: str) -> Any:
    said = run(*arguments, "--json")
    assert said.stdout, said.stderr
    return json.loads(said.stdout)


@pytest.mark.parametrize(
    ("options", "asked"),
    [
        ([], {}),
        (["--confidence", "0.5", "--non-negative", "--digits", "2"], {"confidence": "0.5", "non_negative": True, "digits": 2}),
        (["--integers"], {"digits": 0}),
    ],
)
def test_the_same_releases(options: "list[str]", asked: "dict[str, Any]") -> None:
    for seed in (1, 2):
        words = ["release", "release.toml", "--insecure-seed", str(seed), *options]
        found = lastbit.release("release.toml", insecure_seed=seed, **asked)
        assert found.json() == printed(*words)
        assert str(found) == run(*words).stdout.rstrip()
        assert found.claim is None and found.ledger is None
        csv = run(*words, "--csv", "-").stdout.splitlines()
        assert list(found.columns()) == found.to_arrow().column_names == list(found.to_pandas().columns)
        assert csv[0].startswith("city,trips,trips_low,trips_high,fare,")


def test_the_same_dry_runs() -> None:
    expected = printed("release", "release.toml", "--dry-run")
    for spec in ("release.toml", Path("release.toml"), SPEC):
        found = lastbit.release(spec, dry_run=True)
        assert found.json() == expected
        assert str(found) == run("release", "release.toml", "--dry-run").stdout.rstrip()
        assert found.claim is not None and found.claim.loss == 1 and found.rows == [] and found.columns() == {}
        elements(found._repr_html_())


def test_rows_and_columns() -> None:
    found = lastbit.release(SPEC)
    assert [row["city"] for row in found.rows] == ["007", "Bern, old", "Thun"]
    assert len(found.rows[0]["ages"]) == 3 and len(found.rows[0]["trips_interval"]) == 2
    assert found.claim is not None and found.claim.loss == 1 and found.claim.unit == "rider"
    assert lastbit.account(found.claim).pure == 1
    frame, table = found.to_pandas(), found.to_arrow()
    assert list(frame["city"]) == ["007", "Bern, old", "Thun"]
    assert table["trips"].to_pylist() == list(frame["trips"]) == [row["trips"] for row in found.rows]
    assert [row["ages"][1] for row in found.rows] == list(frame["ages[18,65)"])
    assert "no ledger" in found._repr_html_()
    elements(found._repr_html_())
    assert repr(found) == "<TableRelease: 3 groups, trips, fare, ages>"


def test_a_release_is_charged_once() -> None:
    ledger = lastbit.Ledger.create("budget.db", dataset="trips", unit="rider", epsilon=2)
    first = lastbit.release(SPEC, ledger=ledger, id="a")
    assert first.ledger is not None and not first.ledger["again"] and first.ledger["head"] == ledger.head
    again = lastbit.release(SPEC, ledger="budget.db", id="a", digits=3)
    assert again.ledger is not None and again.ledger["again"] and again.ledger["head"] == first.ledger["head"]
    assert [row["trips"] for row in again.rows] == [row["trips"] for row in first.rows]
    # What Python has released the command shows, and the other way round.
    told = printed("release", "release.toml", "--ledger", "budget.db", "--id", "b")
    assert lastbit.release("release.toml", ledger=ledger, id="b").rows == told["rows"]
    assert ledger.budgets[0].left == 0 and ledger.budgets[0].charges == 2
    with pytest.raises(lastbit.Error, match="only 0 is left"):
        lastbit.release(SPEC, ledger=ledger, id="c")
    elements(first._repr_html_())


def test_the_same_budgets() -> None:
    ledger = lastbit.Ledger.create("budget.db", dataset="trips", unit="rider", epsilon=3)
    ledger.declare("visits", epsilon=1, delta="1e-6")
    ledger.declare("zero", unit="person", rho="1/8")
    ledger.limit("trips", analyst="ann", epsilon="1.5")
    lastbit.release(SPEC, ledger=ledger, analyst="ann")
    run("budget", "create", "same.db", "--dataset", "trips", "--unit", "rider", "--epsilon", "3")
    run("budget", "create", "same.db", "--dataset", "visits", "--epsilon", "1", "--delta", "1e-6")
    run("budget", "create", "same.db", "--dataset", "zero", "--unit", "person", "--rho", "1/8")
    run("budget", "limit", "same.db", "--dataset", "trips", "--analyst", "ann", "--epsilon", "1.5")
    run("release", "release.toml", "--ledger", "same.db", "--analyst", "ann")
    assert lastbit.Ledger("same.db").budgets == ledger.budgets
    for path in ("budget.db", "same.db"):
        same = lastbit.Ledger(path)
        assert same.json() == printed("budget", "show", path)
        assert same.history() == printed("budget", "history", path)["entries"]
        assert same.export() == json.loads(run("budget", "export", path).stdout)
        assert str(same) == run("budget", "show", path).stdout.rstrip()
        for head in (None, same.head, "99:" + "0" * 64):
            words = [] if head is None else ["--head", head]
            said = run("budget", "verify", path, *words)
            assert bool(same.verify(head)) == (said.returncode == 0)
            assert str(same.verify(head)) == said.stdout.rstrip()
    whole, ann, visits, zero = ledger.budgets
    assert (whole.analyst, whole.limit, whole.left, whole.measure) == (None, 3, 2, "epsilon")
    assert (ann.analyst, ann.limit, ann.spent, ann.left) == ("ann", Fraction(3, 2), 1, Fraction(1, 2))
    assert visits.measure == "rho" and visits.target == (1, Fraction(1, 10**6))
    assert zero.limit == Fraction(1, 8) and zero.neighbours == "one person added or removed"
    elements(ledger._repr_html_())


def test_what_is_refused() -> None:
    ledger = lastbit.Ledger.create("budget.db", dataset="trips", unit="rider", epsilon=1)
    head = ledger.head
    for spec, options, problem in [
        ("[table]\n", {}, "the spec, line 1"),
        (SPEC.replace("groups = 2", "groop = 2"), {}, "did you mean `groups`"),
        (SPEC.replace('unit = "rider"', 'unit = "ridder"'), {}, 'did you mean "rider"'),
        (SPEC, {"confidence": 1}, "between 0 and 1"),
        (SPEC, {"digits": 31}, "0 to 30"),
        (SPEC, {"insecure_seed": 1}, "goes into no ledger"),
        (SPEC.replace("epsilon = 1", "epsilon = 1.5"), {}, "only 1 is left"),
        (SPEC.replace("rider", "fare"), {}, "Only losses about the same neighbours add"),
    ]:
        with pytest.raises(lastbit.Error, match=problem):
            lastbit.release(spec, ledger=ledger, **options)
    for options, problem in [({"id": "x"}, "there is none"), ({"ledger": "other.db"}, "there is no ledger|other.db")]:
        with pytest.raises(lastbit.Error, match=problem):
            lastbit.release(SPEC, **options)
    with pytest.raises(FileNotFoundError):
        lastbit.release("missing.toml")
    with pytest.raises(lastbit.UnsupportedType):
        lastbit.release(7)  # type: ignore[arg-type]
    with pytest.raises(lastbit.Error):
        lastbit.Ledger("other.db")
    for limit in ({}, {"epsilon": 1, "rho": 1}, {"delta": "1e-6"}, {"epsilon": "nan"}, {"epsilon": -1}):
        with pytest.raises(lastbit.Error):
            ledger.declare("more", **limit)
    with pytest.raises(lastbit.Error, match="trips"):
        ledger.declare("trips", epsilon=1)
    assert ledger.head == head and not Path("other.db").exists()


def test_what_is_private_stays_private() -> None:
    Path("trips.csv").write_text(ROWS + "KANARI,KANARI,770077077,770077077\nKANARI,KANARI\n")
    with pytest.raises(lastbit.Error) as caught:
        lastbit.release(SPEC)
    assert "line 6" in str(caught.value) and "KANARI" not in str(caught.value) and "7700" not in str(caught.value)


def test_ctrl_c_stops_a_release() -> None:
    """What was charged may be computed again, at no charge."""
    row = "r{},Bern,1,2\n"
    with open("trips.csv", "w") as file:
        file.write("rider,city,fare,age\n")
        for block in range(300):
            file.write("".join(row.format(block * 7919 + i) for i in range(10_000)))
    ledger = lastbit.Ledger.create("budget.db", dataset="trips", epsilon=1)

    def press() -> None:
        while not ledger.budgets[0].charges:
            time.sleep(0.01)
        os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=press).start()
    with pytest.raises(KeyboardInterrupt):
        lastbit.release(SPEC, ledger=ledger, id="a")
    (budget,) = ledger.budgets
    assert (budget.charges, budget.unfinished, budget.left) == (1, 1, 0)
    Path("trips.csv").write_text(ROWS)
    assert len(lastbit.release(SPEC, ledger=ledger, id="a").rows) == 3
    assert ledger.budgets[0].unfinished == 0
