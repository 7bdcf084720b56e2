"""numpy's Laplace noise of scale 1, which leaks: `numpy_laplace.py INPUT SAMPLES`."""

import sys

import numpy as np

x, samples = float(sys.argv[1]), int(sys.argv[2])
for value in np.random.default_rng().laplace(x, 1.0, samples):
    print(float(value).hex())
