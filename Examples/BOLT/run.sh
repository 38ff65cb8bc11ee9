#!/bin/bash
# Splits and orders a program by gcc with BOLT, after it was linked: nothing is compiled again.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../setup.sh"
cp "$here/../Split/tally.cpp" .
bolt=$(command -v llvm-bolt || command -v llvm-bolt-19)

step "the release build: linked with its relocations, and not split by gcc itself"
run g++ -O2 -fno-reorder-blocks-and-partition -Wl,--emit-relocs -Wl,--build-id tally.cpp -o tally

step "1. record in an emulator, which sees all code that runs"
run "$ORDERFILE" record --qemu -o tally.oftrace -- ./tally "12 30" >/dev/null

step "2. write the profile and the order for llvm-bolt"
run "$ORDERFILE" gen tally.oftrace --image tally --splitter bolt --split-profile tally.fdata -o tally.order
run cat tally.order

step "3. let BOLT make the ordered program"
run "$bolt" tally -o tally.bolt --data=tally.fdata --reorder-functions=user --function-order=tally.order \
  --split-functions --split-all-cold --reorder-blocks=none --no-huge-pages --align-text=4096 >tally.bolt.log
found=$(awk '/ out of .* execution profile| could not be optimized/ { n += $2 } END { print n }' tally.bolt.log)
entries=$(wc -l <tally.order)
((found == entries)) || { echo "BOLT found $found of $entries functions" >&2; exit 1; }

# The program still catches exceptions, and prints the same messages.
for text in "12 30" "1 x" "1234567890"; do
  ./tally.bolt "$text" >split.txt 2>&1 || true
  { ./tally "$text" 2>&1 || true; } | cmp - split.txt
done
[[ $(nm tally.bolt) == *.cold.* ]]
printf '\ntally.bolt: BOLT found all %s functions of tally.order\n' "$entries"
