#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""extrap.py LOG N [MOST]: Extra-P's method as published, on the sizes of a log of perseus predict.

One term of its search space and a constant, by least squares on the medians of five sizes; the
hypothesis of the least symmetric relative error under leave-one-out cross-validation is the model.
"""
import json
import math
import statistics
import sys

# Exponents as (numerator, denominator, power of the logarithm): those of Extra-P's default space.
SPACE = [(0, 1, 1), (0, 1, 2), (1, 4, 0), (1, 3, 0), (1, 4, 1), (1, 3, 1), (1, 4, 2), (1, 3, 2), (1, 2, 0),
         (1, 2, 1), (1, 2, 2), (2, 3, 0), (3, 4, 0), (2, 3, 1), (3, 4, 1), (4, 5, 0), (2, 3, 2), (3, 4, 2),
         (1, 1, 0), (1, 1, 1), (1, 1, 2), (5, 4, 0), (5, 4, 1), (4, 3, 0), (4, 3, 1), (3, 2, 0), (3, 2, 1),
         (3, 2, 2), (5, 3, 0), (7, 4, 0), (2, 1, 0), (2, 1, 1), (2, 1, 2), (9, 4, 0), (7, 3, 0), (5, 2, 0),
         (5, 2, 1), (5, 2, 2), (8, 3, 0), (11, 4, 0), (3, 1, 0), (3, 1, 1)]


def term(e, x):
    return x ** (e[0] / e[1]) * math.log2(x) ** e[2]


def fit(e, points):
    """Constant and coefficient; without a term the mean."""
    y = [p[1] for p in points]
    if not e:
        return statistics.mean(y), 0
    t = [term(e, p[0]) for p in points]
    mt, my = statistics.mean(t), statistics.mean(y)
    square = sum((v - mt) ** 2 for v in t)
    c = sum((v - mt) * (w - my) for v, w in zip(t, y)) / square if square else 0
    return my - c * mt, c


def value(e, c, x):
    return c[0] + (c[1] * term(e, x) if e else 0)


def error(e, points):
    """Symmetric relative error of points that were left out."""
    off = 0
    for i, (x, y) in enumerate(points):
        said = value(e, fit(e, points[:i] + points[i + 1:]), x)
        off += 2 * abs(said - y) / (abs(said) + abs(y))
    return off


def predict(points, target):
    best = min([None] + SPACE, key=lambda e: error(e, points))
    return value(best, fit(best, points), target)


def sizes(path):
    of = {}
    for line in list(open(path))[1:]:
        probe = json.loads(line)
        if probe["end"] == "ok":
            of.setdefault(probe["at"][0], []).append(probe["figure"])
    return sorted((n, statistics.median(y)) for n, y in of.items())


if __name__ == "__main__":
    print("%.9g" % predict(sizes(sys.argv[1])[-5:], float(sys.argv[2])))
