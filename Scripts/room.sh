#!/bin/bash
# Ends with a sentence if the disk has no room for a build. SwiftPM only says "I/O error (code: 28)".
# usage: room.sh CONFIGURATION MEGABYTES    the folder in .build, and how large it is after the build
set -euo pipefail
cd "$(dirname "$0")/.."
mkdir -p .build
free=$(df -Pm .build/ | awk 'NR == 2 { print $4 }')
used=0
# The folder may be a link. A file in it may vanish meanwhile, which is no reason to end.
[[ ! -d .build/$1 ]] || used=$({ du -sm ".build/$1/" 2>/dev/null || true; } | cut -f1)
((free + used >= $2)) || {
  echo "no room for the build: $PWD/.build/$1 needs $2 MB and has $used MB, and its disk has $free MB left" >&2
  exit 1
}
