#!/bin/bash
# Prints what a test run did, in one line: tests, seconds, and what was not run and why.
# usage: test-summary.sh RESULTS SECONDS      RESULTS is what swift test printed
set -euo pipefail
results=${1:?usage: test-summary.sh RESULTS SECONDS}
tests=$(sed -n -E 's/^[^ ]* Test run with ([0-9]+) tests .*/\1/p' "$results" | tail -n 1)
# Of the requirements of a test, the one that no package can install.
skipped=$(sed -n -E 's/^➜ .* skipped: "needs (.*; )?([^;]*), excused: (.*)"$/\2: \3/p' "$results" |
  LC_ALL=C sort | uniq -c | sed -E 's/^ *([0-9]+) (.*)/\1 for want of \2; /' | tr -d '\n')
echo "make test: $tests tests and the core examples passed in $2 s; not run: ${skipped}make test-integrations"
