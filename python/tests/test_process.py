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


LARGE = 300_000


@pytest.mark.parametrize("threads", [None, 1, 2, 7])
def test_large_arrays_on_several_threads(threads: int | None) -> None:
    x = np.zeros(LARGE)
    y = lastbit.laplace(x, scale=1, threads=threads)
    assert not x.any()
    z = lastbit.Laplace(scale=1)(x, out=x, threads=threads)
    assert z is x
    values = np.concatenate([y, z])
    # One in 10^5 runs has an equal pair.
    assert len(np.unique(values)) == len(values)
    # E|L| = 1, with a standard deviation of 1/sqrt(n).
    assert abs(np.abs(values).mean() - 1) < 8 / np.sqrt(len(values))
    counts = lastbit.Budget(epsilon=1).release(
        lastbit.DiscreteLaplace(scale=10, dtype="int64"), np.zeros(LARGE, np.int64), d_in=1, threads=threads
    )
    assert counts.dtype == np.int64 and 8 < np.abs(counts).mean() < 12


@pytest.mark.parametrize("threads", [1, 2, 7])
def test_errors_of_large_arrays_tell_the_first_value(threads: int) -> None:
    x = np.zeros(LARGE)
    x[[150_000, 299_999]] = np.nan
    out = np.ones(LARGE)
    for kwargs in ({}, {"out": out}, {"out": x}):
        before = x.copy()
        with pytest.raises(lastbit.DomainError, match="value 150000 "):
            lastbit.laplace(x, scale=1, threads=threads, **kwargs)
        assert np.array_equal(x, before, equal_nan=True) and (out == 1).all()


@pytest.mark.parametrize("threads", [0, -1, 1.5, "two"])
def test_threads_must_be_a_number(threads: object) -> None:
    with pytest.raises(lastbit.ParameterError, match="threads"):
        lastbit.laplace(np.zeros(3), scale=1, threads=threads)  # type: ignore[call-overload]


def test_threads_of_tables() -> None:
    pyarrow = pytest.importorskip("pyarrow")
    noisy = lastbit.laplace(pyarrow.array(np.zeros(LARGE)), scale=1, threads=2)
    assert len(noisy) == LARGE and len(noisy.unique()) == LARGE


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_fork_after_a_release_on_several_threads() -> None:
    noises = [lastbit.laplace(np.zeros(LARGE), scale=1, threads=2)]
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(read)
        with os.fdopen(write, "wb") as file:
            file.write(lastbit.laplace(np.zeros(LARGE), scale=1, threads=2).tobytes())
        os._exit(0)
    os.close(write)
    with os.fdopen(read, "rb") as file:
        noises.append(np.frombuffer(file.read()))
    os.waitpid(child, 0)
    noises.append(lastbit.laplace(np.zeros(LARGE), scale=1, threads=2))
    values = np.concatenate(noises)
    assert len(values) == 3 * LARGE
    assert len(np.unique(values)) == len(values)


def test_interrupts_are_heard_on_several_threads() -> None:
    """Ctrl-C is heard while several threads work."""
    script = (
        "import os, signal, threading, numpy, lastbit\n"
        "x = numpy.zeros(50_000_000)\n"
        "threading.Timer(0.1, lambda: os.kill(os.getpid(), signal.SIGINT)).start()\n"
        "try:\n"
        "    while True: lastbit.laplace(x, scale=1, threads=2)\n"
        "except KeyboardInterrupt:\n"
        "    print('interrupted')\n"
    )
    done = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True)
    assert done.stdout == "interrupted\n"


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
