#!/bin/bash
# Prints the folder with sqlite3.o and shell.o of the release build. Compiles them if they are missing, or if the sources,
# the flags or the compiler changed.
set -euo pipefail
here=$(cd "$(dirname "$0")/.." && pwd)
. "$here/programs.sh"
sources=$("$here/sqlite/sources.sh")
objects=$sources-release
inputs=$("${CC:-clang}" --version && cat "$here/sqlite/flags" && cksum "$sources"/*.[ch])
if [[ ! -e $objects/inputs || $(<"$objects/inputs") != "$inputs" ]]; then
  work=$(mktemp -d "$objects.XXXXXX")
  trap 'rm -rf "$work"' EXIT
  compile_sqlite3 "$work"
  echo "$inputs" >"$work/inputs"
  rm -rf "$objects"
  mv -T "$work" "$objects"
fi
echo "$objects"
