#!/bin/bash
# A Swift package with several modules and a C target. The flags are in three toolsets, not in the manifest.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../setup.sh"
cp -r "$here/Package.swift" "$here/Sources" "$here"/*.json .
cp "$ORDERFILE_RUNTIME" orderfile_rt.o
build() { run swift build -c release --product greet -q "$@"; }

step "the build to ship: function sections, lld, a build ID"
build --toolset ship.json
cp .build/release/greet greet-default

step "1. record: an instrumented build in a folder of its own, launched once"
build --toolset ship.json --toolset record.json --scratch-path .build-record
run "$ORDERFILE" record -o greet.oftrace -- .build-record/release/greet Ada 30000

step "2. order"
run "$ORDERFILE" gen greet.oftrace --image greet-default -o greet.order

# SwiftPM relinks because the options changed. If only greet.order changes, it does not: remove
# .build/release/greet first.
step "3. relink: one more toolset"
build --toolset ship.json --toolset order.json
cp .build/release/greet greet
run "$ORDERFILE" diff greet-default greet --trace greet.oftrace --order greet.order

[[ $(./greet Ada 30000) == "Good morning, Ada." ]]
grep -q cclock_hour greet.order
grep -q '^\$s7Catalog' greet.order
check_order greet-default greet greet.oftrace greet.order
