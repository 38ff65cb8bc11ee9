#!/bin/bash
# Prints the folder with sqlite3.c, sqlite3.h and shell.c, and creates it on the first call.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
sources=$here/../../.build/sources
mkdir -p "$sources"
sources=$(cd "$sources" && pwd)/sqlite
if [[ ! -e $sources/complete ]]; then
  rm -rf "$sources" "$sources.new"
  "$here/../fetch-source" sqlite3 "$sources.new"
  cd "$sources.new"
  { CC=clang ./configure --disable-tcl --disable-readline && make sqlite3.c shell.c; } >log 2>&1 ||
    { cat log >&2; exit 1; }
  mkdir "$sources"
  mv sqlite3.c sqlite3.h shell.c "$sources/"
  touch "$sources/complete"
  rm -rf "$sources.new"
fi
echo "$sources"
