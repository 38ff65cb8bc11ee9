#!/usr/bin/env bash
# How fast the command reads large inputs, as ratios to tools that do less, side by side in one run.
#
#   show --json, gen     on an image with a large symbol table, to llvm-nm --defined-only on it
#   gen --link-map       on a link map of 100 MB, to wc -w in the C locale on it
#   peak memory          of gen --link-map, to the map's size
#
# usage: speed.sh [IMAGE]      IMAGE defaults to the toolchain's swift-frontend, 290,000 symbols
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
orderfile=${ORDERFILE:-$here/../.build/release/orderfile}
tools=$(dirname "$(realpath "$(command -v swiftc)")")
image=${1:-$tools/swift-frontend}
export PATH="$tools:$PATH"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$here/make-map" "$image" > "$work/big.map"
"$here/sealed-trace" "$image" 20000 "$work/many.oftrace"
"$here/sealed-trace" "$image" 1000 "$work/few.oftrace"

# Medians of 7 rounds; in each round every command runs once, so that what disturbs the machine disturbs all.
python3 - "$orderfile" "$image" "$work" <<'PYTHON'
import os, resource, statistics, subprocess, sys, time

orderfile, image, work = sys.argv[1:]
environment = dict(os.environ, LC_ALL="C")
commands = {
    "llvm-nm": ["llvm-nm", "--defined-only", image],
    "show --json": [orderfile, "show", "--json", image],
    "gen": [orderfile, "gen", work + "/many.oftrace", "--image", image, "-o", work + "/a.order"],
    "wc -w": ["wc", "-w", work + "/big.map"],
    "gen --link-map": [orderfile, "gen", work + "/few.oftrace", "--link-map", work + "/big.map",
                       "-o", work + "/b.order"],
}
seconds = {name: [] for name in commands}
peak = 0
for _ in range(7):
    for name, command in commands.items():
        start = time.perf_counter()
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                   env=environment)
        _, status, usage = os.wait4(process.pid, 0)
        seconds[name].append(time.perf_counter() - start)
        if status:
            sys.exit(f"{name} failed with status {status}")
        if name == "gen --link-map":
            peak = max(peak, usage.ru_maxrss * 1024)
medians = {name: statistics.median(times) for name, times in seconds.items()}
print(f"{'':16} {'seconds':>8}  ratio")
for name, base in [("llvm-nm", None), ("show --json", "llvm-nm"), ("gen", "llvm-nm"),
                   ("wc -w", None), ("gen --link-map", "wc -w")]:
    ratio = f"{medians[name] / medians[base]:.2f} of {base}" if base else ""
    print(f"{name:16} {medians[name]:8.3f}  {ratio}")
size = os.path.getsize(work + "/big.map")
print(f"peak memory of gen --link-map: {peak / size:.2f} of the map's {size} bytes")
PYTHON
