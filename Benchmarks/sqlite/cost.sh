#!/bin/bash
# What recording costs a launch of the sqlite3 shell: instructions of the whole launch (callgrind) to the
# uninstrumented build's, and the wall time that recording adds to an instrumented launch that records
# nothing (median difference of 20 alternated pairs, a fresh trace each time).
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

# Wall time: least disturbed on an idle machine, and in a folder where few files were deleted lately (ext4
# passes over the inodes of those, which makes creating one slow).
clang -O2 "$here/../recorder/launches.c" -o launches
read -r silent recording extra low high < <(
  ./launches 20 "$work/launch.oftrace" "$here/launch.sql" ./recorded -batch :memory:)
printf 'wall time of 20 pairs, trace on %s: medians %d us silent, %d us recording\n' \
  "$(stat -f -c %T .)" "$silent" "$recording"
printf 'recording adds %d us (quartiles %d to %d; limit 500)\n' "$extra" "$low" "$high"
