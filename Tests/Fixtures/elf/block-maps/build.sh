#!/bin/bash
# Makes the maps here anew: NAME.map is the section .llvm_bb_addr_map of functions.c, compiled and linked,
# NAME.txt what llvm-readobj-22 says of it, a line for each run of code (its address) and for each block
# (offset, size, flags); of version 1, which that no longer reads, llvm-readobj-19. Needs Debian's clang-16,
# clang-19, llvm-19, clang-22, lld-22 and llvm-22, and the clang of Swift 6.3.
set -euo pipefail
cd "$(dirname "$0")"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

make_map() { # make_map NAME COMPILER FLAG...
  local name=$1 compiler=$2 map=-fbasic-block-address-map readobj=llvm-readobj-22
  shift 2
  if [[ $name == version-1 ]]; then map=-fbasic-block-sections=labels readobj=llvm-readobj-19; fi
  "$compiler" -O1 $map "$@" -c functions.c -o "$work/o"
  ld.lld-22 -shared --unresolved-symbols=ignore-all "$work/o" -o "$work/image"
  llvm-objcopy-22 --dump-section ".llvm_bb_addr_map=$name.map" "$work/image"
  $readobj --bb-addr-map --elf-output-style=JSON "$work/image" | python3 -c '
import json, sys
bits = ["HasReturn", "HasTailCall", "IsEHPad", "CanFallThrough", "HasIndirectBranch"]
for entry in json.load(sys.stdin)[0]["BBAddrMap"]:
    for run in entry["Function"]["BB Ranges"]:
        print(hex(run["Base Address"]))
        for block in run.get("BB Entries", []):
            flags = sum(1 << bit for bit, name in enumerate(bits) if block[name])
            print("  ", block["Offset"], block["Size"], flags)
' >"$name.txt"
}

make_map version-1 clang-16
make_map version-2 clang-19
make_map version-2-analysis clang-19 -mllvm -pgo-analysis-map=func-entry-count,bb-freq,br-prob
make_map version-2-parts clang-19 -fbasic-block-sections=all
make_map version-3 clang
make_map version-3-parts clang -fbasic-block-sections=all
make_map version-5 clang-22
make_map version-5-analysis clang-22 -mllvm -pgo-analysis-map=all
make_map version-5-hash clang-22 -mllvm -emit-bb-hash
make_map version-5-parts clang-22 -fbasic-block-sections=all
make_map version-5-omitted clang-22 -mllvm -basic-block-address-map-skip-bb-entries \
  -mllvm -pgo-analysis-map=func-entry-count
