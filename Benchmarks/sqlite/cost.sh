#!/bin/bash
# What recording costs a launch of the sqlite3 shell: instructions of the whole launch (callgrind) to the
# uninstrumented build's, and the wall time that recording adds to an instrumented launch that records
# nothing (20 alternated pairs, a fresh trace each time).
#
# Flags: ./flags. SQL: ./launch.sql. The trace lies in the folder given by TMPDIR: put it on ext4.
set -euo pipefail
. "$(dirname "$0")/objects.sh"
build_objects
clang -fuse-ld=lld {sqlite3,shell}.o "${libraries[@]}" -o plain
clang -fuse-ld=lld {sqlite3,shell}.record.o "$runtime" "${libraries[@]}" -o recorded

instructions() { # instructions COMMAND...
  valgrind --tool=callgrind --callgrind-out-file=/dev/null "$@" -batch :memory: <"$here/launch.sql" 2>&1 >/dev/null |
    sed -n 's/.*refs: *//p' | tr -d ,
}
plain=$(instructions ./plain)
silent=$(instructions ./recorded)
recording=$(ORDERFILE_TRACE=$work/launch.oftrace instructions ./recorded)
awk -v plain="$plain" -v silent="$silent" -v recording="$recording" 'BEGIN {
  printf "%-30s %10d instructions\n", "uninstrumented", plain
  printf "%-30s %10d  %.3f\n", "instrumented, not recording", silent, silent / plain
  printf "%-30s %10d  %.3f\n", "recording", recording, recording / plain }'

stat -f -c 'trace on %T' .
python3 - "$here/launch.sql" <<'PYTHON'
import os, statistics, subprocess, sys, time

def launch(environment):
    with open(sys.argv[1]) as sql:
        start = time.perf_counter()
        subprocess.run(["./recorded", "-batch", ":memory:"], stdin=sql, stdout=subprocess.DEVNULL,
                       env=environment, check=True)
        return (time.perf_counter() - start) * 1e3

silent = {k: v for k, v in os.environ.items() if not k.startswith("ORDERFILE_")}
added = []
for i in range(21):
    a = launch(silent)
    b = launch(dict(silent, ORDERFILE_TRACE=f"{os.getcwd()}/{i}.oftrace"))
    if i:  # the first pair warms the page cache
        added.append(b - a)
quartiles = statistics.quantiles(added)
print(f"recording adds {statistics.median(added):.2f} ms (quartiles {quartiles[0]:.2f} to {quartiles[2]:.2f})")
PYTHON
