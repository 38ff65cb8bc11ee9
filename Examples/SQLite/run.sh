#!/bin/bash
# The sqlite3 shell: recorded while it runs some SQL, ordered, relinked from the same objects.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../setup.sh"
sqlite=$root/Benchmarks/sqlite
sources=$("$sqlite/sources.sh")
read -ra flags <"$sqlite/flags"
libraries=(-lm -lpthread -ldl)
lld=(-fuse-ld=lld -Wl,--build-id)

compile() { # compile FOLDER FLAG...: objects of the two source files
  mkdir "$1"
  for file in sqlite3 shell; do
    clang "${flags[@]}" "${@:2}" -c "$sources/$file.c" -o "$1/$file.o"
  done
}

step "two builds: one to ship, in the linker's own order, and one that records"
compile release &
compile record -fsanitize-coverage=func,trace-pc-guard,pc-table
wait $!
clang "${lld[@]}" release/*.o "${libraries[@]}" -o sqlite3-default
clang "${lld[@]}" record/*.o "$ORDERFILE_RUNTIME" "${libraries[@]}" -o sqlite3-record

step "1. record: one launch"
run "$ORDERFILE" record -o sqlite3.oftrace -- ./sqlite3-record -batch :memory: <"$sqlite/launch.sql" >report.txt

step "2. order: the names that the shipped build has, by first use"
run "$ORDERFILE" gen sqlite3.oftrace --image sqlite3-default -o sqlite3.order

step "3. relink: the same objects and one more option"
run clang "${lld[@]}" -Wl,--symbol-ordering-file=sqlite3.order release/*.o "${libraries[@]}" -o sqlite3

step "what that saves"
run "$ORDERFILE" diff sqlite3-default sqlite3 --trace sqlite3.oftrace --order sqlite3.order

./sqlite3 -batch :memory: <"$sqlite/launch.sql" | cmp - report.txt
check_order sqlite3-default sqlite3 sqlite3.oftrace sqlite3.order
