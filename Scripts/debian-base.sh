#!/bin/bash
# Makes .build/debian/SUITE, a folder with Debian's smallest system, unless it is there. Needs root, as debootstrap does.
# usage: debian-base.sh SUITE      prints the folder
set -euo pipefail
cd "$(dirname "$0")/.."
suite=${1:?usage: debian-base.sh SUITE}
base=$PWD/.build/debian/$suite
if [[ ! -e $base/.complete ]]; then
  rm -rf "$base"
  mkdir -p "$base"
  log=$(mktemp)
  trap 'rm -f "$log"' EXIT
  debootstrap --variant=minbase "$suite" "$base" http://deb.debian.org/debian >"$log" 2>&1 ||
    { tail -n 20 "$log" >&2; echo "debian-base.sh: debootstrap $suite failed" >&2; exit 1; }
  touch "$base/.complete"
fi
echo "$base"
