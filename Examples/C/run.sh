#!/bin/bash
# One C file, built without a build system.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../setup.sh"
cp "$here/main.c" .

step "the build to ship: each function in a section of its own, so that the linker can move it"
run clang -O1 -fno-inline -ffunction-sections -c main.c
run clang -fuse-ld=lld -Wl,--build-id main.o -o app-default

step "1. record: an instrumented build, launched once"
run clang -O1 -fno-inline -fsanitize-coverage=func,trace-pc-guard,pc-table -c main.c -o main-record.o
run clang -fuse-ld=lld -Wl,--build-id main-record.o "$ORDERFILE_RUNTIME" -o app-record
run "$ORDERFILE" record -o app.oftrace -- ./app-record

step "2. order"
run "$ORDERFILE" gen app.oftrace --image app-default -o app.order
run cat app.order

step "3. relink"
run clang -fuse-ld=lld -Wl,--build-id -Wl,--symbol-ordering-file=app.order main.o -o app
run "$ORDERFILE" diff app-default app --trace app.oftrace --order app.order

./app | cmp - <(./app-default)
check_order app-default app app.oftrace app.order
