#!/bin/bash
# Fails unless the example NAME has just printed each line of the block after "<!-- from Examples/NAME -->" in
# README.md, in the order of the block. Ignores numbers and blanks, which depend on the compiler.
set -euo pipefail
cd "$(dirname "$0")/.."
bare() { sed -E -e 's/[0-9]+(\.[0-9]+)?(Ki|Mi)?/N/g' -e 's/-+/-/g' -e 's/[[:blank:]]+/ /g' -e 's/ $//'; }

names=$(sed -n -E 's/^<!-- from Examples\/([A-Za-z]+) -->$/\1/p' README.md)
[[ -n $names ]] || { echo "README.md: missing a block '<!-- from Examples/NAME -->'" >&2; exit 1; }
for name in $names; do
  printed=.build/examples/$name.txt
  [[ -e $printed ]] || { echo "missing $printed: run 'make examples' first" >&2; exit 1; }
  block=$(sed -n "/^<!-- from Examples\/$name -->\$/,\${/^\`\`\`/,/^\`\`\`\$/p}" README.md |
    sed -n '1d;/^```$/q;p' | grep -v -e '^$' -e '^\.\.\.$')
  # The lines of the block that the example did not print, or that it printed before the previous line of the block.
  stale=$(bare <<<"$block" | awk -v printed=<(bare <"$printed") '
    BEGIN { while ((getline line < printed) > 0) lines[++count] = line; at = 1 }
    { for (i = at; i <= count && lines[i] != $0; i++);
      if (i > count) print NR ": " $0; else at = i + 1 }')
  if [[ -n $stale ]]; then
    printf 'README.md: the block from Examples/%s shows what it no longer prints:\n%s\n' "$name" "$stale" >&2
    printf '  hint: copy it again from %s\n' "$printed" >&2
    exit 1
  fi
done
