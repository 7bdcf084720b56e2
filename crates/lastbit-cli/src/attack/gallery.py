"""Samples of other libraries' noise, for `lastbit attack --gallery`.

`versions` prints a line for every package that is installed: its name and its version.
`NAME INPUT N` prints N samples of a mechanism as hexadecimal floats, which show every bit.

Noise is for a loss of 1 and a sensitivity of 1, with DELTA where the mechanism needs it, as the library itself makes it.
"""

import importlib.metadata
import math
import sys

PACKAGES = ["numpy", "diffprivlib", "opendp", "python-dp"]
DELTA = 1e-5
# Samples that are made together.
BATCH = 2000
# Where the bounded mechanisms clamp: far from both inputs.
BOUND = 10.0
# ρ = 1/(2·5²) = 0.02 has ε = ρ + 2·√(ρ·ln(1/δ)) < 1 at DELTA.
SIGMA = 5.0


def numpy_laplace(x):
    import numpy

    generator = numpy.random.default_rng()
    return lambda n: x + generator.laplace(0.0, 1.0, n)


def numpy_gaussian(x):
    import numpy

    generator = numpy.random.default_rng()
    sigma = math.sqrt(2.0 * math.log(1.25 / DELTA))
    return lambda n: x + generator.normal(0.0, sigma, n)


def diffprivlib(name, number=float, **parameters):
    """A mechanism of diffprivlib, which has one input type and some parameters of its own."""

    def noise(x):
        import diffprivlib.mechanisms

        mechanism = getattr(diffprivlib.mechanisms, name)(sensitivity=1, **parameters)
        x = number(x)
        return lambda n: [mechanism.randomise(x) for _ in range(n)]

    return noise


def opendp(name, number, scale):
    """A measurement of opendp on vectors, whose entries have independent noise."""

    def noise(x):
        import opendp.prelude as dp

        dp.enable_features("contrib")
        atoms = dp.atom_domain(T=float, nan=False) if number is float else dp.atom_domain(T=int)
        metric = dp.l1_distance(T=number) if name == "make_laplace" else dp.l2_distance(T=float)
        measurement = getattr(dp.m, name)(dp.vector_domain(atoms), metric, scale=scale)
        x = number(x)
        return lambda n: measurement([x] * n)

    return noise


def python_dp(name, number, *parameters):
    """A mechanism of python-dp, with the overload for this type of number."""

    def noise(x):
        import pydp.algorithms.numerical_mechanisms as mechanisms

        mechanism = getattr(mechanisms, name)(*parameters, 1.0)
        x = number(x)
        return lambda n: [mechanism.add_noise(x) for _ in range(n)]

    return noise


BOUNDS = {"lower": -BOUND, "upper": BOUND}
MECHANISMS = {
    "numpy rng.laplace": numpy_laplace,
    "numpy rng.normal": numpy_gaussian,
    "diffprivlib Laplace": diffprivlib("Laplace", epsilon=1),
    "diffprivlib LaplaceTruncated": diffprivlib("LaplaceTruncated", epsilon=1, **BOUNDS),
    "diffprivlib LaplaceBoundedDomain": diffprivlib("LaplaceBoundedDomain", epsilon=1, **BOUNDS),
    "diffprivlib LaplaceBoundedNoise": diffprivlib("LaplaceBoundedNoise", epsilon=1, delta=DELTA),
    "diffprivlib Staircase": diffprivlib("Staircase", epsilon=1),
    "diffprivlib Snapping": diffprivlib("Snapping", epsilon=1, **BOUNDS),
    "diffprivlib Geometric": diffprivlib("Geometric", int, epsilon=1),
    "diffprivlib Gaussian": diffprivlib("Gaussian", epsilon=1, delta=DELTA),
    "diffprivlib GaussianAnalytic": diffprivlib("GaussianAnalytic", epsilon=1, delta=DELTA),
    "diffprivlib GaussianDiscrete": diffprivlib("GaussianDiscrete", int, epsilon=1, delta=DELTA),
    "diffprivlib Uniform": diffprivlib("Uniform", delta=0.25),
    "opendp make_laplace(float)": opendp("make_laplace", float, 1.0),
    "opendp make_laplace(int)": opendp("make_laplace", int, 1.0),
    "opendp make_gaussian(float)": opendp("make_gaussian", float, SIGMA),
    "opendp make_gaussian(int)": opendp("make_gaussian", int, SIGMA),
    "python-dp LaplaceMechanism(float)": python_dp("LaplaceMechanism", float, 1.0),
    "python-dp LaplaceMechanism(int)": python_dp("LaplaceMechanism", int, 1.0),
    "python-dp GaussianMechanism(float)": python_dp("GaussianMechanism", float, 1.0, DELTA),
    "python-dp GaussianMechanism(int)": python_dp("GaussianMechanism", int, 1.0, DELTA),
}


def versions():
    for package in PACKAGES:
        try:
            print(package, importlib.metadata.version(package))
        except importlib.metadata.PackageNotFoundError:
            pass


def samples(name, x, count):
    draw = MECHANISMS[name](x)
    while count > 0:
        batch = min(count, BATCH)
        sys.stdout.write("".join(f"{float(y).hex()}\n" for y in draw(batch)))
        count -= batch


if sys.argv[1] == "versions":
    versions()
else:
    samples(sys.argv[1], float(sys.argv[2]), int(sys.argv[3]))
