#!/bin/bash
# The sqlite3 shell: recorded with breakpoints while it runs some SQL, ordered, relinked from the same objects.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../setup.sh"
sqlite=$root/Benchmarks/sqlite
objects=$("$sqlite/release.sh")
cp "$sqlite/launch.sql" "$objects"/*.o .
lld=(-fuse-ld=lld -Wl,--build-id)
libraries=(-lm -lpthread -ldl)

step "the build to ship, in the linker's own order"
clang "${lld[@]}" shell.o sqlite3.o "${libraries[@]}" -o sqlite3-default

step "1. record: one launch"
run "$ORDERFILE" record --breakpoints -o sqlite3.oftrace -- ./sqlite3-default -batch :memory: ".read launch.sql" >report.txt

step "2. order: functions by first use"
run "$ORDERFILE" gen sqlite3.oftrace -o sqlite3.order

step "3. relink: the same objects and one more option"
run clang "${lld[@]}" -Wl,--symbol-ordering-file=sqlite3.order shell.o sqlite3.o "${libraries[@]}" -o sqlite3

step "what that saves"
run "$ORDERFILE" diff sqlite3-default sqlite3 --trace sqlite3.oftrace --order sqlite3.order

./sqlite3 -batch :memory: ".read launch.sql" | cmp - report.txt
check_order sqlite3-default sqlite3 sqlite3.oftrace sqlite3.order
