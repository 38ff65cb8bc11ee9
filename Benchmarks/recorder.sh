#!/bin/sh
# Measures the cost of the recorder, in instructions (callgrind) and in wall time, in one run. The instructions of a
# load include the loop that calls the callback.
#
#   Benchmarks/recorder.sh [FOLDER]     FOLDER on the file system to be timed; default: here
#
# Limits: for a call of a function seen before, at most 9 instructions more than a plain call; for a launch, at most 500
# us more than the same launch with recording disabled. The exit status is 2 if a limit is exceeded.
set -eu
cd "$(dirname "$0")/.."
make -s runtime
here=$PWD/Benchmarks/recorder
runtime=$PWD/.build/runtime/orderfile_rt.o
work=$(mktemp -d "${1:-$PWD/.build}/bench.XXXXXX")
trap 'rm -rf "$work"' EXIT
cd "$work"

coverage=-fsanitize-coverage=func,trace-pc-guard,pc-table
for name in calls first_hits touches launches; do clang -O2 -c "$here/$name.c" -o "$name.o"; done
clang -O2 $coverage -c "$here/calls.c" -o instrumented.o
clang calls.o -o plain
clang instrumented.o "$runtime" -o instrumented
clang first_hits.o "$runtime" -o first_hits
clang touches.o "$runtime" -o touches
clang launches.o -o launches

# instructions PROGRAM ARGUMENT...
instructions() {
  valgrind --tool=callgrind --callgrind-out-file=/dev/null "./$@" 2>&1 |
    sed -n 's/.*Collected : \([0-9]*\).*/\1/p'
}
# each PROGRAM [ARGUMENT]: instructions for one more call
each() {
  few=$(instructions "$@" 1000)
  many=$(instructions "$@" 11000)
  awk "BEGIN { printf \"%.2f\", ($many - $few) / 10000 }"
}

plain=$(each plain)
silent=$(each instrumented)
export ORDERFILE_TRACE="$work/trace"
recorded=$(each instrumented)
first=$(each first_hits)
seen_data=$(each touches seen) stack=$(each touches stack) first_touch=$(each touches first)
unset ORDERFILE_TRACE
set -- $(./launches 20 "$work/trace" /dev/null "$work/instrumented")
seen=$(awk "BEGIN { print $recorded - $plain }")

printf 'instructions\n'
printf '  %-44s %8s\n' 'plain call' "$plain"
printf '  %-44s %8s\n' 'seen call, extra, recording (limit 9)' "$seen"
printf '  %-44s %8s\n' 'seen call, extra, silent' "$(awk "BEGIN { print $silent - $plain }")"
printf '  %-44s %8s\n' 'first hit, all in all' "$first"
printf '  %-44s %8s\n' 'callback of a load, touched granule' "$seen_data" \
  'callback of a load, stack' "$stack" 'callback of a load, first touch' "$first_touch"
printf 'microseconds of 20 alternated pairs of launches on %s, medians\n' "$(stat -f -c %T .)"
printf '  %-44s %8s\n' 'disabled' "$1" 'recording' "$2" 'extra (limit 500)' "$3"
awk "BEGIN { exit !($seen <= 9) }" && [ "$3" -le 500 ] || exit 2
