"""Laplace noise of scale 1 as textbooks have it, which leaks: `textbook_laplace.py INPUT SAMPLES`."""

import math
import random
import sys

x, samples = float(sys.argv[1]), int(sys.argv[2])
for _ in range(samples):
    u = random.random() - 0.5
    print((x - math.copysign(1.0, u) * math.log(1.0 - 2.0 * abs(u))).hex())
