#!/bin/bash
# Prints one line about a test run: the number of tests, the seconds, and the tests that did not run, with reasons.
# usage: test-summary.sh SECONDS RESULTS...      RESULTS are what processes of swift test printed
set -euo pipefail
seconds=${1:?usage: test-summary.sh SECONDS RESULTS...}
shift
tests=$(sed -n -E 's/^[^ ]* Test run with ([0-9]+) tests .*/\1/p' "$@" | awk '{ sum += $1 } END { print sum }')
# Counts skipped tests by the requirement that no package can install.
skipped=$(sed -n -E 's/^➜ .* skipped: "needs (.*; )?([^;]*), excused: (.*)"$/\2: \3/p' "$@" |
  LC_ALL=C sort | uniq -c | sed -E 's/^ *([0-9]+) (.*)/\1 for want of \2; /' | tr -d '\n')
echo "make test: $tests tests and the core examples passed in $seconds s; not run: ${skipped}make test-integrations"
