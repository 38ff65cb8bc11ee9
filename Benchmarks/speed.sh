#!/usr/bin/env bash
# Measures how fast the command reads large inputs, as ratios to tools that do less, in one run.
#
#   show --json, gen     with an image that has a large symbol table; the ratio to llvm-nm --defined-only
#   gen --link-map       with a link map of 100 MB, of ld.lld and of ld64; the ratio to wc -w in the C locale
#   peak memory          of gen --link-map; the ratio to the map's size
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

"$here/make-map" lld "$image" > "$work/lld.map"
"$here/make-map" ld64 "$image" > "$work/ld64.map"
"$here/sealed-trace" "$image" 20000 "$work/many.oftrace"
"$here/sealed-trace" "$image" 1000 "$work/lld.oftrace"
"$here/sealed-trace" "$image" 1000 "$work/ld64.oftrace" _

# Medians of 7 rounds; each round runs every command once, so that disturbances affect all of them.
python3 - "$orderfile" "$image" "$work" <<'PYTHON'
import os, resource, statistics, subprocess, sys, time

orderfile, image, work = sys.argv[1:]
environment = dict(os.environ, LC_ALL="C")
commands = {
    "llvm-nm": ["llvm-nm", "--defined-only", image],
    "show --json": [orderfile, "show", "--json", image],
    "gen": [orderfile, "gen", work + "/many.oftrace", "--image", image, "-o", work + "/a.order"],
}
for linker in ["lld", "ld64"]:
    path = f"{work}/{linker}.map"
    commands[f"wc -w, {linker}"] = ["wc", "-w", path]
    commands[f"gen --link-map, {linker}"] = [
        orderfile, "gen", f"{work}/{linker}.oftrace", "--link-map", path, "-o", work + "/b.order"]
seconds = {name: [] for name in commands}
peak = {}
for _ in range(7):
    for name, command in commands.items():
        start = time.perf_counter()
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                   env=environment)
        _, status, usage = os.wait4(process.pid, 0)
        seconds[name].append(time.perf_counter() - start)
        if status:
            sys.exit(f"{name} failed with status {status}")
        peak[name] = max(peak.get(name, 0), usage.ru_maxrss * 1024)
medians = {name: statistics.median(times) for name, times in seconds.items()}
print(f"{'':20} {'seconds':>8}  ratio")
for name, base in [("llvm-nm", None), ("show --json", "llvm-nm"), ("gen", "llvm-nm"),
                   ("wc -w, lld", None), ("gen --link-map, lld", "wc -w, lld"),
                   ("wc -w, ld64", None), ("gen --link-map, ld64", "wc -w, ld64")]:
    ratio = f"{medians[name] / medians[base]:.2f} of {base}" if base else ""
    print(f"{name:20} {medians[name]:8.3f}  {ratio}")
for linker in ["lld", "ld64"]:
    size = os.path.getsize(f"{work}/{linker}.map")
    ratio = peak[f"gen --link-map, {linker}"] / size
    print(f"peak memory of gen --link-map, {linker}: {ratio:.2f} of the map's {size} bytes")
PYTHON
