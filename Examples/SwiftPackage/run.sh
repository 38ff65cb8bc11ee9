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
run "$ORDERFILE" record -o app.oftrace -- .build-record/release/greet Ada 30000

step "2. order"
run "$ORDERFILE" gen app.oftrace --image greet-default -o app.order

# SwiftPM does not notice changed contents of app.order. Without rm, it would not link again when app.order changes.
step "3. relink: one more toolset"
run rm .build/release/greet
build --toolset ship.json --toolset order.json
cp .build/release/greet greet
run "$ORDERFILE" diff greet-default greet --trace app.oftrace --order app.order

[[ $(./greet Ada 30000) == "Good morning, Ada." ]]
grep -q cclock_hour app.order
grep -q '^\$s7Catalog' app.order
check_order greet-default greet app.oftrace app.order
