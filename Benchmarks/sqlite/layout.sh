#!/bin/bash
# Measures what an order saves on the sqlite3 shell: the same objects are linked in three orders, and the distinct
# 4 KiB pages of .text that one launch executes are counted for each (callgrind; exact, no sampling).
#
#   default     the linker's default order
#   hand-made   a list made by hand from a 20-line tracer's log: one line for each recorded function
#   orderfile   record, gen
#
# Flags: ./flags. SQL: ./launch.sql.
set -euo pipefail
. "$(dirname "$0")/objects.sh"
build_objects -fno-pie
lld=(-fuse-ld=lld -no-pie -Wl,--build-id)
clang -O2 -c "$here/hand-made-tracer.c" -o tracer.o

launch() { "$@" -batch :memory: <"$here/launch.sql"; }
pages() { # pages IMAGE
  launch valgrind -q --tool=callgrind --dump-instr=yes --callgrind-out-file="$1.callgrind" "./$1" >/dev/null
  "$here/../executed-pages" "$1.callgrind" "$1"
}

clang "${lld[@]}" {sqlite3,shell}.o "${libraries[@]}" -o default

clang "${lld[@]}" {sqlite3,shell}.record.o tracer.o "${libraries[@]}" -o traced
launch ./traced >/dev/null
addr2line -f -e traced <hand-made.log | sed -n '1~2p' >hand-made.order
clang "${lld[@]}" -Wl,--symbol-ordering-file=hand-made.order -Wl,--no-warn-symbol-ordering \
  {sqlite3,shell}.o "${libraries[@]}" -o hand-made

clang "${lld[@]}" {sqlite3,shell}.record.o "$runtime" "${libraries[@]}" -o recorded
launch "$orderfile" record -o launch.oftrace -- ./recorded >/dev/null 2>&1
"$orderfile" gen launch.oftrace --image default -o launch.order 2>/dev/null
clang "${lld[@]}" -Wl,--symbol-ordering-file=launch.order {sqlite3,shell}.o "${libraries[@]}" -o ordered

before=$(pages default) hand=$(pages hand-made) ours=$(pages ordered)
predicted=$("$orderfile" diff default ordered --trace launch.oftrace --json --page-size 4k |
  python3 -c 'import json,sys; pages = json.load(sys.stdin)["textPages"]; print(pages["before"], pages["after"])')
printf '%-10s %5s\n' layout pages default "$before" hand-made "$hand" orderfile "$ours"
printf 'orderfile touches %d%% fewer pages than default; diff predicted %s -> %s\n' \
  $((100 * (before - ours) / before)) $predicted
[[ $ours -le $hand && $((100 * ours)) -le $((70 * before)) ]] ||
  { echo "expected at most the hand-made list's pages, and at most 70% of default" >&2; exit 1; }
