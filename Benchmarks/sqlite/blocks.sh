#!/bin/bash
# Measures how exact a trace of basic blocks is, on the sqlite3 shell. Compares the bytes and pages of .text that one
# launch executes (callgrind; exact, no sampling) with the figures of `show` and `diff`, for the linker's default order
# and for the order that `gen` makes. Also measures the cost of recording.
#
# Flags: ./flags. SQL: ./launch.sql.
set -euo pipefail
. "$(dirname "$0")/objects.sh"
for file in sqlite3 shell; do
  clang "${flags[@]}" -fno-pie -fbasic-block-address-map -c "$sources/$file.c" -o "$file.o" &
done
wait
link() { clang -fuse-ld=lld -no-pie -Wl,--build-id {sqlite3,shell}.o "${libraries[@]}" "$@"; }
launch() { "$@" -batch :memory: <"$here/launch.sql"; }
judge() { # judge IMAGE
  launch valgrind -q --tool=callgrind --dump-instr=yes --callgrind-out-file="$1.callgrind" "./$1" >/dev/null
  "$here/../executed-bytes" "$1.callgrind" "$1"
}

link -o default
for options in "" --blocks; do
  launch "$orderfile" record --breakpoints $options -o launch.oftrace -- ./default 2>&1 >/dev/null
done
"$orderfile" gen launch.oftrace --image default -o launch.order 2>/dev/null
link -Wl,--symbol-ordering-file=launch.order -o ordered

predict() { # predict PAGE_SIZE: the predicted pages of .text, before and after
  "$orderfile" diff default ordered --trace launch.oftrace --json --page-size "$1" | python3 -c '
import json, sys
pages = [row["pages"] for row in json.load(sys.stdin)["sections"] if row["name"] == ".text"][0]
print(pages["before"], pages["after"])'
}
read -r bytes before4 before16 _ < <(judge default)
read -r _ after4 after16 _ < <(judge ordered)
found=$("$orderfile" show --json launch.oftrace | python3 -c '
import json, sys; print(json.load(sys.stdin)["executedBytes"])')
printf '%-34s %9s %9s\n' '' callgrind blocks 'bytes executed' "$bytes" "$found"
for size in 4 16; do
  read -r before after < <(predict ${size}k)
  measured=before$size
  printf '%-34s %9d %9d\n' "pages of $size KiB, default order" "${!measured}" "$before"
  ((before - ${!measured} <= 2 && ${!measured} - before <= 2)) || failed=1
  measured=after$size
  printf '%-34s %9d %9d\n' "pages of $size KiB, ordered" "${!measured}" "$after"
  ((after - ${!measured} <= 2 && ${!measured} - after <= 2)) || failed=1
done
((100 * (found - bytes) <= bytes && 100 * (bytes - found) <= bytes && ! ${failed:-0})) ||
  { echo "expected bytes within 1% and pages within 2" >&2; exit 1; }
