#!/bin/bash
# A Swift package whose functions lld splits, with link-time optimization.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../setup.sh"
cp -r "$here/../SwiftPackage/Package.swift" "$here/../SwiftPackage/Sources" .
build() { # build LINKER_OPTION...: adds these options of lld to the options that both builds have
  local option options=()
  for option in --build-id --lto-basic-block-address-map "$@"; do options+=(-Xlinker "$option"); done
  run swift build -c release --product greet -q --experimental-lto-mode=full -Xswiftc -use-ld=lld "${options[@]}"
}

step "the release build, with a map of its basic blocks"
build
cp .build/release/greet greet-default

step "1. record: the blocks that a launch runs"
run "$ORDERFILE" record --breakpoints --blocks -o app.oftrace -- ./greet-default Ada 30000

step "2. write the profile and the order file for the linker"
run "$ORDERFILE" gen app.oftrace --image greet-default --split-profile app.clusters -o app.order

# SwiftPM does not notice changed contents of the profile and the order file, so the image is removed.
step "3. link with both"
run rm .build/release/greet
build "--lto-basic-block-sections=$PWD/app.clusters" "--symbol-ordering-file=$PWD/app.order"
cp .build/release/greet greet

step "what that saves, and whether the linker followed"
run "$ORDERFILE" diff greet-default greet --trace app.oftrace --order app.order --limit 'diff.drifted<=0'

for arguments in "Ada 30000" "" "Ada"; do
  # shellcheck disable=SC2086
  ./greet $arguments >split.txt 2>&1 || true
  # shellcheck disable=SC2086
  { ./greet-default $arguments 2>&1 || true; } | cmp - split.txt
done
[[ $(nm greet) == *.cold* ]]
check_order greet-default greet app.oftrace app.order
