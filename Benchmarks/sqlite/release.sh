#!/bin/bash
# Prints the folder with sqlite3.o and shell.o of the release build, whose flags are in ./flags. Compiles them if they are
# missing, or if the sources, the flags or the compiler changed.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
sources=$("$here/sources.sh")
objects=$sources-release
inputs=$(clang --version && cat "$here/flags" && cksum "$sources"/*.[ch])
if [[ ! -e $objects/inputs || $(<"$objects/inputs") != "$inputs" ]]; then
  work=$(mktemp -d "$objects.XXXXXX")
  trap 'rm -rf "$work"' EXIT
  read -ra flags <"$here/flags"
  clang "${flags[@]}" -c "$sources/sqlite3.c" -o "$work/sqlite3.o" &
  clang "${flags[@]}" -c "$sources/shell.c" -o "$work/shell.o"
  wait $!
  echo "$inputs" >"$work/inputs"
  rm -rf "$objects"
  mv -T "$work" "$objects"
fi
echo "$objects"
