"""Threads, forks, start-up."""

import multiprocessing
import os
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import lastbit


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_fork_after_first_use_gives_different_noise() -> None:
    m = lastbit.Laplace(scale=1)
    lastbit.laplace(0.0, scale=1)
    m(np.zeros(10_000))
    noises = []
    for _ in range(3):
        read, write = os.pipe()
        child = os.fork()
        if child == 0:
            os.write(write, m(np.zeros(100)).tobytes())
            os._exit(0)
        os.waitpid(child, 0)
        noises.append(os.read(read, 800))
        os.close(read)
        os.close(write)
    noises.append(m(np.zeros(100)).tobytes())
    values = np.frombuffer(b"".join(noises))
    assert len(values) == 400
    assert len(set(values.tolist())) == 400, "no value of one process comes again in another"


def _noise(n: int) -> list[float]:
    return lastbit.laplace([0.0] * n, scale=1)


def test_worker_processes() -> None:
    lastbit.laplace(0.0, scale=1)
    with multiprocessing.get_context("fork").Pool(4) as pool:
        values = [y for part in pool.map(_noise, [50] * 8, chunksize=1) for y in part]
    assert len(set(values)) == 400


def test_threads_do_not_share_noise() -> None:
    results: list[np.ndarray] = []

    def work() -> None:
        results.extend(lastbit.laplace(np.zeros(1000), scale=1) for _ in range(20))

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    values = np.concatenate(results)
    assert len(values) == 160_000
    # Doubles near 0 are dense: among 160,000 draws a pair of equal ones is less likely than 10^-5.
    assert len(np.unique(values)) == len(values)


def test_other_threads_run_meanwhile() -> None:
    """While noise is added to a large array, the interpreter goes on."""
    x = np.zeros(30_000_000)
    done = threading.Event()

    def work() -> None:
        lastbit.laplace(x, scale=1, out=x)
        done.set()

    ticks = 0
    thread = threading.Thread(target=work)
    thread.start()
    while not done.is_set():
        time.sleep(0.001)
        ticks += 1
    thread.join()
    assert ticks > 10


def test_start_up_imports_no_numpy() -> None:
    script = (
        "import sys, lastbit; "
        "lastbit.laplace(1.0, scale=1); lastbit.laplace([1.0], scale=1); "
        "assert not {'numpy', 'pandas', 'polars', 'pyarrow', 'dataclasses', 'inspect', 'fractions'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", script], check=True)


def test_memory_of_a_large_release() -> None:
    """The values, the result, and nothing of that size beside them."""
    script = (
        "import resource, numpy, lastbit\n"
        "n = 20_000_000\n"
        "x = numpy.ones(n)\n"
        "lastbit.laplace(x[:1000], scale=1)\n"
        "before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        "y = lastbit.laplace(x, scale=1)\n"
        "after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        "assert (after - before) * 1024 < 1.1 * 8 * n, (before, after)\n"
        "lastbit.laplace(x, scale=1, out=y)\n"
        "lastbit.laplace(x, scale=1, out=x)\n"
        "again = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        "assert (again - after) * 1024 < 0.1 * 8 * n, (after, again)\n"
    )
    pytest.importorskip("resource")
    subprocess.run([sys.executable, "-c", script], check=True)
