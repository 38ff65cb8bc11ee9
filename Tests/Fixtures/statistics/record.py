#!/usr/bin/env python3
"""Writes expected.json: samples, and what numpy and scipy say of them. Needs numpy and scipy:

python3 -m venv /tmp/venv && /tmp/venv/bin/pip install numpy scipy
/tmp/venv/bin/python3 Tests/Fixtures/statistics/record.py
"""

import itertools
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
    "rising": (
        [5e6 + 1e4 * i + v for i, v in enumerate(launches(40, 2e5))],
        [5e6 + 1e4 * i + v for i, v in enumerate(launches(40, 1e5))],
    ),
}


def summary(values):
    quartiles = np.percentile(values, [25, 50, 75, 95])
    return {
        "minimum": min(values),
        "lowerQuartile": quartiles[0],
        "median": quartiles[1],
        "mean": np.mean(values),
        "upperQuartile": quartiles[2],
        "percentile95": quartiles[3],
        "maximum": max(values),
        "standardDeviation": np.std(values, ddof=1),
    }


def trend(values):
    index = np.arange(len(values))
    tau = stats.kendalltau(index, values, method="asymptotic")
    return {"p": None if np.isnan(tau.pvalue) else tau.pvalue, "slope": stats.theilslopes(values, index).slope}


def exact_p(differences):
    """scipy's exact method is for differences without ties; with ties all signs are tried."""
    sizes = np.abs(differences[differences != 0])
    if len(sizes) == 0:
        return 1.0
    tied = len(set(sizes)) < len(sizes) or len(sizes) < len(differences)
    if tied and len(sizes) > 12:
        return None
    method = stats.PermutationMethod(n_resamples=np.inf) if tied else "exact"
    return stats.wilcoxon(differences[differences != 0], method=method).pvalue


def change(before, after):
    """The estimate of Hodges and Lehmann on logarithms, and its 95% interval, if there is one."""
    logarithms = np.log(np.array(after) / np.array(before))
    n = len(logarithms)
    means = np.sort([(logarithms[i] + logarithms[j]) / 2 for i in range(n) for j in range(i, n)])
    subsets = [1]  # how many subsets of 1...n have each sum
    for rank in range(1, n + 1):
        longer = subsets + [0] * rank
        for total, count in enumerate(subsets):
            longer[total + rank] += count
        subsets = longer
    if n <= 50:
        below = np.cumsum([float(count / 2**n) for count in subsets])
        place = int(np.sum(below <= 0.025))
    else:
        place = int(n * (n + 1) / 4 - stats.norm.ppf(0.975) * np.sqrt(n * (n + 1) * (2 * n + 1) / 24))
    interval = [np.expm1(means[place - 1]), np.expm1(means[len(means) - place])] if place else None
    return {"share": np.expm1(np.median(means)), "interval": interval}


def apart(before, after):
    """Two samples without rounds: the rank-sum test, the shift and its 95% interval, and that of the first's median."""
    m, n = len(before), len(after)
    u = stats.mannwhitneyu(after, before, method="asymptotic").statistic
    ties = len(set(before + after)) < m + n
    p = stats.mannwhitneyu(after, before, method="exact" if m + n <= 40 and not ties else "asymptotic").pvalue
    if m + n <= 40 and ties:
        # scipy has no exact test for equal values: the share of all choices that are as far from the middle.
        ranks = stats.rankdata(before + after)
        far = abs(ranks[m:].sum() - n * (m + n + 1) / 2) - 1e-9
        choices = [abs(sum(one) - n * (m + n + 1) / 2) >= far for one in itertools.combinations(ranks, n)]
        p = sum(choices) / len(choices)
    differences = np.sort([b - a for a in before for b in after])
    if m + n <= 40:
        # How many choices of the values of `after` have each U, by the number of chosen values.
        ways = [{0: 1}] + [{} for _ in range(n)]
        for value in range(m + n):
            for chosen in range(min(n, value + 1), 0, -1):
                for total, count in ways[chosen - 1].items():
                    larger = total + value - (chosen - 1)
                    ways[chosen][larger] = ways[chosen].get(larger, 0) + count
        counts = [ways[n].get(total, 0) for total in range(m * n + 1)]
        place = int(np.sum(np.cumsum(counts) / sum(counts) <= 0.025))
    else:
        place = int(m * n / 2 - stats.norm.ppf(0.975) * np.sqrt(m * n * (m + n + 1) / 12))
    ordered = sorted(before)
    if m <= 50:
        middle = int(np.sum(stats.binom.cdf(range(m), m, 0.5) <= 0.025))
    else:
        middle = int(m / 2 - stats.norm.ppf(0.975) * np.sqrt(m) / 2)
    return {
        "u": u,
        "p": 1.0 if np.isnan(p) else p,
        "difference": np.median(differences),
        "interval": [differences[place - 1], differences[m * n - place]] if place else None,
        "medianInterval": [ordered[middle - 1], ordered[m - middle]] if middle else None,
    }


cases = []
for name, (a, b) in pairs.items():
    differences = np.array(b) - np.array(a)
    nonzero = differences[differences != 0]
    exact = exact_p(differences)
    case = {
        "name": name,
        "a": a,
        "b": b,
        "summaryA": summary(a),
        "summaryB": summary(b),
        "w": float(sum(stats.rankdata(np.abs(nonzero))[nonzero > 0])),
        "p": exact if len(a) <= 50 else stats.wilcoxon(differences, correction=True, method="asymptotic").pvalue,
        "trendA": trend(a),
        "trendB": trend(b),
        "apart": apart(a, b[: 2 * len(b) // 3 + 1]),
    }
    if min(a + b) > 0:
        case["change"] = change(a, b)
    cases.append(case)

document = {"scipy": scipy.__version__, "numpy": np.__version__, "cases": cases}
path = pathlib.Path(__file__).with_name("expected.json")
path.write_text(json.dumps(document, indent=1) + "\n")
