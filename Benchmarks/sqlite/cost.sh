#!/bin/bash
# Measures the cost of recording a launch of the sqlite3 shell: the instructions of the whole launch (callgrind), as a
# ratio to the instructions of the uninstrumented build, and the wall time that recording adds to an instrumented launch
# that records nothing (median difference of 20 alternated pairs, a fresh trace each time). Measures the same for a
# build that also records the touched data.
#
# Flags: ./flags. SQL: ./launch.sql. The trace is in the folder given by TMPDIR: put it on ext4.
set -euo pipefail
. "$(dirname "$0")/objects.sh"
build_objects
clang -fuse-ld=lld {sqlite3,shell}.o "${libraries[@]}" -o plain
clang -fuse-ld=lld {sqlite3,shell}.record.o "$runtime" "${libraries[@]}" -o recorded
for file in sqlite3 shell; do
  clang "${flags[@]}" -fsanitize-coverage=func,trace-pc-guard,pc-table,trace-loads,trace-stores \
    -c "$sources/$file.c" -o "$file.data.o"
done
clang -fuse-ld=lld {sqlite3,shell}.data.o "$runtime" "${libraries[@]}" -o data

instructions() { # instructions COMMAND...
  valgrind --tool=callgrind --callgrind-out-file=/dev/null "$@" -batch :memory: <"$here/launch.sql" 2>&1 >/dev/null |
    sed -n 's/.*refs: *//p' | tr -d ,
}
plain=$(instructions ./plain)
silent=$(instructions ./recorded)
recording=$(ORDERFILE_TRACE=$work/launch.oftrace instructions ./recorded)
silent_data=$(instructions ./data)
data=$(ORDERFILE_TRACE=$work/data.oftrace instructions ./data)
awk -v plain="$plain" -v silent="$silent" -v recording="$recording" -v silent_data="$silent_data" \
  -v data="$data" 'BEGIN {
  printf "%-30s %10d instructions\n", "uninstrumented", plain
  printf "%-30s %10d  %.3f\n", "instrumented, not recording", silent, silent / plain
  printf "%-30s %10d  %.3f\n", "recording", recording, recording / plain
  printf "%-30s %10d  %.3f\n", "with data, not recording", silent_data, silent_data / plain
  printf "%-30s %10d  %.3f\n", "recording data, too", data, data / plain }'

# Wall time: use an idle machine, and a folder where few files were deleted recently (ext4 skips their inodes,
# which makes creating a file slow).
clang -O2 "$here/../recorder/launches.c" -o launches
for program in recorded data; do
  read -r silent recording extra low high < <(
    ./launches 20 "$work/launch.oftrace" "$here/launch.sql" "./$program" -batch :memory:)
  printf '%s: wall time of 20 pairs, trace on %s: medians %d us silent, %d us recording\n' \
    "$program" "$(stat -f -c %T .)" "$silent" "$recording"
  printf 'recording adds %d us (quartiles %d to %d; limit 500 without data)\n' "$extra" "$low" "$high"
done
