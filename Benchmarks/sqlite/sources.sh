#!/bin/bash
# Prints the folder with sqlite3.c, sqlite3.h and shell.c, and creates it on the first call.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
sources=$here/../../.build/sources
mkdir -p "$sources"
sources=$(cd "$sources" && pwd)/sqlite
if [[ ! -e $sources/complete ]]; then
  # SQLite's makefile fails in a folder whose path has a blank.
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
  "$here/../fetch-source" sqlite3 "$work/sqlite"
  cd "$work/sqlite"
  { CC=clang ./configure --disable-tcl --disable-readline && make sqlite3.c shell.c; } >log 2>&1 ||
    { cat log >&2; exit 1; }
  rm -rf "$sources"
  mkdir "$sources"
  mv sqlite3.c sqlite3.h shell.c "$sources/"
  touch "$sources/complete"
fi
echo "$sources"
