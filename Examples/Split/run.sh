#!/bin/bash
# Orders parts of functions: the parts that a launch ran are placed together, and the rest of each function elsewhere.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../setup.sh"
cp "$here/tally.cpp" .
flags=(-O2 -gline-tables-only -ffunction-sections -fbasic-block-address-map)
lld=(-fuse-ld=lld -Wl,--build-id)

step "the release build, with a map of its basic blocks"
run clang++ "${flags[@]}" -c tally.cpp
run clang++ "${lld[@]}" tally.o -o tally-default

step "1. record: the blocks that a launch runs"
run "$ORDERFILE" record --breakpoints --blocks -o tally.oftrace -- ./tally-default "12 30" >/dev/null

step "2. write the profile for the compiler, and the order file for the linker"
run "$ORDERFILE" gen tally.oftrace --image tally-default --split-profile tally.clusters -o tally.order
run cat tally.clusters tally.order

step "3. compile with the profile, and link with the order file"
run clang++ "${flags[@]}" -fbasic-block-sections=list=tally.clusters -c tally.cpp
run clang++ "${lld[@]}" -Wl,--symbol-ordering-file=tally.order tally.o -o tally

step "what that saves, and whether the compiler and the linker followed"
run "$ORDERFILE" diff tally-default tally --trace tally.oftrace --order tally.order

# The program still catches exceptions, and prints the same messages.
for text in "12 30" "1 x" "1234567890"; do
  ./tally "$text" >split.txt 2>&1
  ./tally-default "$text" 2>&1 | cmp - split.txt
done
[[ $(nm tally) == *' t _Z5parseRPKc.cold'* ]]
check_order tally-default tally tally.oftrace tally.order
