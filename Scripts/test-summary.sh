#!/bin/bash
# Prints one line about a test run: the number of tests, the seconds, and the tests that did not run, with reasons.
# usage: test-summary.sh RESULTS SECONDS      RESULTS is what swift test printed
set -euo pipefail
results=${1:?usage: test-summary.sh RESULTS SECONDS}
tests=$(sed -n -E 's/^[^ ]* Test run with ([0-9]+) tests .*/\1/p' "$results" | tail -n 1)
# Counts skipped tests by the requirement that no package can install.
skipped=$(sed -n -E 's/^➜ .* skipped: "needs (.*; )?([^;]*), excused: (.*)"$/\2: \3/p' "$results" |
  LC_ALL=C sort | uniq -c | sed -E 's/^ *([0-9]+) (.*)/\1 for want of \2; /' | tr -d '\n')
echo "make test: $tests tests and the core examples passed in $2 s; not run: ${skipped}make test-integrations"
