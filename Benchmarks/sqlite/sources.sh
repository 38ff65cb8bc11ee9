#!/bin/bash
# Prints the folder that holds sqlite3.c, sqlite3.h and shell.c, and makes it on the first call: from
# the source package of the distribution, signatures checked by apt, without a change to the machine.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
sources=$root/.build/sources/sqlite
if [[ ! -e $sources/complete ]]; then
  exec 3>&1 1>&2
  echo "fetching the source package sqlite3 (once)"
  work=$root/.build/sources/new
  rm -rf "$work" "$sources"
  mkdir -p "$work/lists/partial" "$work/tree" "$sources"
  if [[ -e /etc/apt/sources.list.d/debian.sources ]]; then
    list=$work/list.sources
    sed 's/^Types:.*/Types: deb-src/' /etc/apt/sources.list.d/debian.sources >"$list"
  else
    list=$work/list.list
    sed -n -E 's/^deb(-src)? /deb-src /p' /etc/apt/sources.list | sort -u >"$list"
  fi
  apt=(-qq -o "Dir::Etc::sourcelist=$list" -o Dir::Etc::sourceparts=/dev/null
    -o "Dir::State::lists=$work/lists" -o APT::Sandbox::User=root)
  cd "$work"
  apt-get "${apt[@]}" update
  apt-get "${apt[@]}" source --download-only sqlite3
  tar -xf sqlite3_*.orig.tar.* --strip-components=1 -C tree
  cd tree
  { CC=clang ./configure --disable-tcl --disable-readline && make sqlite3.c shell.c; } >"$work/log" 2>&1 ||
    { cat "$work/log"; exit 1; }
  mv sqlite3.c sqlite3.h shell.c "$sources/"
  touch "$sources/complete"
  rm -rf "$work"
  exec 1>&3
fi
echo "$sources"
