#!/bin/bash
# Draws docs/pictures/page-map.svg: the pages of the sqlite3 shell's code that a launch executes, in the linker's default
# order and in the order of `orderfile gen`. `orderfile pages` counts the pages.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
here=$root/Benchmarks
orderfile=${ORDERFILE:-$root/.build/release/orderfile}
. "$here/programs.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

mkdir objects
compile_sqlite3 objects
link() { clang -fuse-ld=lld -Wl,--build-id "${@:2}" objects/*.o "${sqlite3_libraries[@]}" -o "$1"; }
pages() { "$orderfile" pages --json -o "$1.json" -- "./$1" "${sqlite3_launch[@]}" >/dev/null; }

link default
"$orderfile" record --breakpoints -o launch.oftrace -- ./default "${sqlite3_launch[@]}" >/dev/null
"$orderfile" gen launch.oftrace -o launch.order
link ordered -Wl,--symbol-ordering-file=launch.order
pages default
pages ordered
"$root/Scripts/page-map.py" default default.json ordered ordered.json >map.svg
mv map.svg "$root/docs/pictures/page-map.svg"
