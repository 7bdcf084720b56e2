"""The speed of the noise, as ratios of CPU times from one run: `python -m lastbit.bench`.

Peers that are not installed are left out: `pip install opendp diffprivlib "scikit-learn<1.8"` brings them.
"""

from __future__ import annotations

import argparse
import json
import platform
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from importlib import metadata, util
from typing import Any

import numpy as np

import lastbit

PEERS = ("numpy", "opendp", "diffprivlib")


@dataclass(frozen=True)
class Case:
    """A function of ours beside one of a peer's that does the same job."""

    name: str
    peer: str
    ours: Callable[[], Any]
    theirs: Callable[[], Any]
    our_values: int
    """The number of values in one call of `ours`."""
    their_values: int
    bar: float | None = None
    """The factor by which ours must be faster."""
    most_ns: float | None = None
    """The largest time of ours, in nanoseconds per value."""


@dataclass(frozen=True)
class Result:
    """CPU time in nanoseconds per value, and the factor by which ours is faster: the median over the rounds."""

    name: str
    peer: str
    ours_ns: float
    theirs_ns: float
    ratio: float
    bar: float | None
    most_ns: float | None

    def bars(self) -> str:
        """The bars, and whether they are missed."""
        bars = []
        if self.bar is not None:
            bars.append(f">= {self.bar:g}" + ("" if self.ratio >= self.bar else "  MISSED"))
        if self.most_ns is not None:
            bars.append(f"<= {self.most_ns:g} ns" + ("" if self.ours_ns <= self.most_ns else "  MISSED"))
        return ", ".join(bars)


def numpy_cases() -> Iterator[Case]:
    rng = np.random.default_rng()
    for n in (10_000, 100_000, 1_000_000):
        x = np.random.default_rng(1).normal(size=n)
        yield Case(
            f"laplace f64, n={n:.0e}",
            "numpy x + rng.laplace (leaks)",
            lambda x=x: lastbit.laplace(x, scale=1),  # type: ignore[misc]
            lambda x=x, n=n: x + rng.laplace(size=n),  # type: ignore[misc]
            n,
            n,
            1.9,
        )
    n = 100_000
    x = np.random.default_rng(1).normal(size=n)
    yield Case(
        "gaussian f64, n=1e+05",
        "numpy x + s*rng.standard_normal (leaks)",
        lambda x=x: lastbit.gaussian(x, scale=3),  # type: ignore[misc]
        lambda x=x: x + 3.0 * rng.standard_normal(n),  # type: ignore[misc]
        n,
        n,
        1.0,
    )
    one, calls = lastbit.Gaussian(scale=1), range(1000)
    yield Case(
        "one call, Gaussian(scale=1)(x)",
        "numpy x + rng.standard_normal (leaks)",
        lambda: [one(3.5) for _ in calls],
        lambda: [3.5 + rng.standard_normal() for _ in calls],
        len(calls),
        len(calls),
        most_ns=1000,
    )
    x = np.zeros(n)
    counts = np.zeros(n, np.int64)
    p = 1 - np.exp(-0.1)
    yield Case(
        "grid_laplace f64, k=-20, n=1e+05",
        "numpy x + rng.laplace (leaks)",
        lambda: lastbit.grid_laplace(x, scale=1, k=-20, max_changed=1),
        lambda: x + rng.laplace(size=n),
        n,
        n,
    )
    yield Case(
        "snapping f64, n=1e+05",
        "numpy x + rng.laplace (leaks)",
        lambda: lastbit.snapping(x, epsilon=1, sensitivity=1, bound=100),
        lambda: x + rng.laplace(size=n),
        n,
        n,
    )
    yield Case(
        "discrete_laplace i64, n=1e+05",
        "numpy difference of geometrics",
        lambda: lastbit.discrete_laplace(counts, scale=10),
        lambda: counts + rng.geometric(p, n) - rng.geometric(p, n),
        n,
        n,
    )


def opendp_cases() -> Iterator[Case]:
    import opendp.prelude as dp  # type: ignore[import-not-found,import-untyped,unused-ignore]

    dp.enable_features("contrib")
    n, m = 100_000, 2_000
    x = np.zeros(n)
    counts = np.zeros(n, np.int64)
    domain = dp.atom_domain(T="f64", nan=False)
    vector = dp.m.make_laplace(dp.vector_domain(domain, size=m), dp.l1_distance(T="f64"), scale=1.0)
    some = [0.0] * m
    yield Case(
        "laplace f64, n=1e+05",
        "opendp default, n=2e+03",
        lambda: lastbit.laplace(x, scale=1),
        lambda: vector(some),
        n,
        m,
        2000,
    )
    gaussian = dp.m.make_gaussian(dp.vector_domain(domain, size=m), dp.l2_distance(T="f64"), scale=3.0)
    yield Case(
        "gaussian f64, n=1e+05",
        "opendp default, n=2e+03",
        lambda: lastbit.gaussian(x, scale=3),
        lambda: gaussian(some),
        n,
        m,
        2000,
    )
    integers = dp.m.make_laplace(
        dp.vector_domain(dp.atom_domain(T="i64"), size=m), dp.l1_distance(T="i64"), scale=10.0
    )
    some_counts = [0] * m
    yield Case(
        "discrete_laplace i64, n=1e+05",
        "opendp i64, n=2e+03",
        lambda: lastbit.discrete_laplace(counts, scale=10),
        lambda: integers(some_counts),
        n,
        m,
    )
    one = dp.m.make_laplace(domain, dp.absolute_distance(T="f64"), scale=1.0)
    mechanism = lastbit.Laplace(scale=1)
    calls = range(1000)
    yield Case(
        "one call, Laplace(scale=1)(x)",
        "opendp default, one call",
        lambda: [mechanism(3.5) for _ in calls],
        lambda: [one(3.5) for _ in range(20)],
        1000,
        20,
        150,
    )
    yield Case(
        "one call, laplace(x, scale=1)",
        "opendp default, one call",
        lambda: [lastbit.laplace(3.5, scale=1) for _ in calls],
        lambda: [one(3.5) for _ in range(20)],
        1000,
        20,
        150,
    )


def diffprivlib_cases() -> Iterator[Case]:
    from diffprivlib.mechanisms import Snapping  # type: ignore[import-not-found,import-untyped,unused-ignore]

    n, m = 100_000, 500
    x = np.zeros(n)
    peer = Snapping(epsilon=1.0, sensitivity=1.0, lower=-100.0, upper=100.0)
    yield Case(
        "snapping f64, n=1e+05",
        "diffprivlib Snapping, one by one",
        lambda: lastbit.snapping(x, epsilon=1, sensitivity=1, bound=100),
        lambda: [peer.randomise(0.0) for _ in range(m)],
        n,
        m,
        1000,
    )


def seconds(run: Callable[[], Any], least: float) -> float:
    """CPU seconds of one run, over as many as take `least` together."""
    runs = 0
    start = time.process_time()
    while True:
        run()
        runs += 1
        spent = time.process_time() - start
        if spent >= least:
            return spent / runs


def measure(case: Case, rounds: int, least: float) -> Result:
    """Ours and theirs in turn, so that both see the same machine."""
    case.ours(), case.theirs()
    ours, theirs = [], []
    for _ in range(rounds):
        ours.append(seconds(case.ours, least) / case.our_values * 1e9)
        theirs.append(seconds(case.theirs, least) / case.their_values * 1e9)
    ratio = statistics.median(t / o for o, t in zip(ours, theirs))
    medians = statistics.median(ours), statistics.median(theirs)
    return Result(case.name, case.peer, *medians, ratio, case.bar, case.most_ns)


MEMORY = """
import resource, numpy, lastbit
n = 10**8
lastbit.laplace(numpy.ones(1000), scale=1)
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
x = numpy.ones(n)
y = lastbit.laplace(x, scale=1)
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024 / n)
"""


def bytes_a_value() -> float:
    """Memory at its peak, of 10^8 values and their noisy copy."""
    return float(subprocess.run([sys.executable, "-c", MEMORY], check=True, capture_output=True, text=True).stdout)


def versions() -> dict[str, str]:
    found = {"lastbit": lastbit.__version__, "python": platform.python_version()}
    found.update({peer: metadata.version(peer) for peer in PEERS if util.find_spec(peer)})
    return found


def table(results: list[Result]) -> str:
    """The results as text."""
    rows = [("lastbit", "ns", "peer", "ns", "faster", "bar")]
    for r in results:
        rows.append((r.name, f"{r.ours_ns:,.1f}", r.peer, f"{r.theirs_ns:,.1f}", f"{r.ratio:,.2f}x", r.bars()))
    widths = [max(len(row[i]) for row in rows) for i in range(6)]
    right = (1, 3, 4)
    lines = [
        "  ".join(cell.rjust(width) if i in right else cell.ljust(width) for i, (cell, width) in enumerate(zip(row, widths)))
        for row in rows
    ]
    return "\n".join(line.rstrip() for line in lines)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m lastbit.bench", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rounds", type=int, default=7, help="how often each pair is measured (default: 7)")
    parser.add_argument("--seconds", type=float, default=0.2, help="CPU time of a measurement (default: 0.2)")
    parser.add_argument("--memory", action="store_true", help="also measure the memory of 10^8 values (needs 2 GB)")
    parser.add_argument("--json", action="store_true", help="print JSON")
    options = parser.parse_args()
    groups = {"numpy": numpy_cases, "opendp": opendp_cases, "diffprivlib": diffprivlib_cases}
    found = versions()
    broken: dict[str, str] = {}
    results: list[Result] = []
    for peer, cases in groups.items():
        if peer not in found:
            continue
        try:
            # A peer that is installed need not work: what it imports may be missing or too new.
            prepared = list(cases())
        except Exception as error:
            broken[peer] = f"{type(error).__name__}: {error}"
            continue
        results.extend(measure(case, options.rounds, options.seconds) for case in prepared)
    memory = bytes_a_value() if options.memory else None
    if options.json:
        report = {"versions": found, "left_out": broken, "results": [asdict(r) for r in results], "bytes_a_value": memory}
        print(json.dumps(report, indent=2))
        return
    print(", ".join(f"{name} {version}" for name, version in found.items()))
    for peer in PEERS:
        if peer not in found:
            print(f"{peer} is not installed: left out")
        elif peer in broken:
            print(f"{peer} cannot be used here ({broken[peer]}): left out")
    print(table(results))
    if memory is not None:
        print(f"memory of 10^8 values and their noisy copy: {memory:.2f} bytes a value (16 are the two arrays)")


if __name__ == "__main__":
    main()
