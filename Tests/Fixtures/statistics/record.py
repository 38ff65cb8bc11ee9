#!/usr/bin/env python3
"""Writes expected.json: samples, and what numpy and scipy say of them. Needs numpy and scipy:

    python3 -m venv /tmp/venv && /tmp/venv/bin/pip install numpy scipy
    /tmp/venv/bin/python3 Tests/Fixtures/statistics/record.py
"""
import json
import pathlib

import numpy as np
import scipy
from scipy import stats

random = np.random.default_rng(5)


def launches(count, median, tail=0.0):
    """Times in nanoseconds: a bulk, and now and then one that was held up."""
    times = median * random.lognormal(0, 0.04, count)
    return [float(round(t * (1 + tail * (random.random() < 0.1)))) for t in times]


pairs = {
    "three of each": ([4e6, 5e6, 4.5e6], [3e6, 6e6, 7e6]),
    "one apart": ([1.0, 2.0, 4.0], [3.0, 5.0, 6.0]),
    "far apart": ([1.0, 2.0, 3.0, 4.0, 5.0], [11.0, 12.0, 13.0, 14.0, 15.0]),
    "the same values": ([7.0] * 6, [7.0] * 6),
    "ties": ([1.0, 2.0, 2.0, 3.0, 3.0, 3.0], [2.0, 3.0, 3.0, 4.0, 5.0, 5.0]),
    "negative and zero": ([-3.0, 0.0, 2.5, -1.25], [0.0, 0.5, -2.0, 9.0]),
    "thirty, equal": (launches(30, 5e6), launches(30, 5e6)),
    "thirty, 3% faster": (launches(30, 5e6, 2), launches(30, 4.85e6, 2)),
    "fifty, 1% slower": (launches(50, 5e6, 1), launches(50, 5.05e6, 1)),
    "two hundred, 1% faster": (launches(200, 5e6, 3), launches(200, 4.95e6, 3)),
    "rising": ([5e6 + 1e4 * i + v for i, v in enumerate(launches(40, 2e5))],
               [5e6 + 1e4 * i + v for i, v in enumerate(launches(40, 1e5))]),
}


def summary(values):
    quartiles = np.percentile(values, [25, 50, 75, 95])
    return {
        "minimum": min(values), "lowerQuartile": quartiles[0], "median": quartiles[1],
        "mean": np.mean(values), "upperQuartile": quartiles[2], "percentile95": quartiles[3],
        "maximum": max(values), "standardDeviation": np.std(values, ddof=1),
    }


def trend(values):
    index = np.arange(len(values))
    tau = stats.kendalltau(index, values, method="asymptotic")
    return {"p": None if np.isnan(tau.pvalue) else tau.pvalue,
            "slope": stats.theilslopes(values, index).slope}


cases = []
for name, (a, b) in pairs.items():
    ties = len(set(a + b)) < len(a + b)
    test = stats.mannwhitneyu(a, b, method="asymptotic" if ties or len(a) > 50 else "exact")
    case = {
        "name": name, "a": a, "b": b, "summaryA": summary(a), "summaryB": summary(b),
        "u": test.statistic, "p": 1 if np.isnan(test.pvalue) else test.pvalue,
        "asymptoticP": None if np.isnan(p := stats.mannwhitneyu(a, b, method="asymptotic").pvalue)
        else p,
        "trendA": trend(a), "trendB": trend(b),
    }
    if len(a) >= 30:
        interval = stats.bootstrap(
            (np.array(a), np.array(b)),
            lambda a, b, axis: np.median(b, axis=axis) - np.median(a, axis=axis),
            paired=True, method="percentile", n_resamples=100_000, vectorized=True,
            random_state=7).confidence_interval
        case["interval"] = [interval.low, interval.high]
    cases.append(case)

document = {"scipy": scipy.__version__, "numpy": np.__version__, "cases": cases}
path = pathlib.Path(__file__).with_name("expected.json")
path.write_text(json.dumps(document, indent=1) + "\n")
