#!/bin/bash
# Runs the commands of docs/start/TUTORIAL.md, the lines that begin with "$ ", in a new home folder. Fails unless each
# command succeeds, and the commands print the lines that the page shows, in the same order. Ignores numbers and blanks,
# which depend on the compiler.
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD
[[ -x .build/release/orderfile ]] || { echo "missing .build/release/orderfile: run 'make build' first" >&2; exit 1; }
home=$(mktemp -d)
trap 'rm -rf "$home"' EXIT

# The output of a command goes on, over blank lines, to the next command or the end of the block.
awk '/^```/ { inside = !inside; shown = 0; next } /^\$ / { shown = inside } shown' docs/start/TUTORIAL.md >"$home/shown"
{
  echo 'set -euo pipefail'
  sed -n 's/^\$ //p' "$home/shown" | while read -r command; do
    printf "printf '%%s\\\\n' %q\n%s\n" "\$ $command" "$command"
  done
} >"$home/script"
grep -q 'orderfile auto' "$home/script" || { echo 'docs/start/TUTORIAL.md: no commands found' >&2; exit 1; }
HOME=$home PATH=$root/.build/release:$PATH bash "$home/script" >"$home/printed" 2>&1 ||
  { cat "$home/printed"; echo 'docs/start/TUTORIAL.md: the last of these commands fails' >&2; exit 1; }

bare() {
  sed -E -e "s|$home|/home/you|g" -e '/^(\.\.\.)?$/d' -e '/^\$ /!s/[0-9]+(\.[0-9]+)?(Ki|Mi)?/N/g' -e 's/-+/-/g' \
    -e 's/[[:blank:]]+/ /g' -e 's/ $//'
}
# The lines of the page that were not printed, or that were printed before the previous line of the page.
missing=$(bare <"$home/shown" | awk -v printed=<(bare <"$home/printed") '
  BEGIN { while ((getline line < printed) > 0) lines[++count] = line; at = 1 }
  { for (i = at; i <= count && lines[i] != $0; i++);
    if (i > count) print; else at = i + 1 }')
if [[ -n $missing ]]; then
  cat "$home/printed"
  printf 'docs/start/TUTORIAL.md shows what its commands no longer print:\n%s\n' "$missing" >&2
  exit 1
fi
