#!/bin/bash
# Runs every example: one line for each, and all its output if it fails. What they print stays in
# .build/examples.
set -uo pipefail
cd "$(dirname "$0")"
logs=../.build/examples
mkdir -p "$logs"
failed=0
for example in */run.sh; do
  log=$logs/${example%/run.sh}.txt
  if "$example" >"$log" 2>&1; then
    printf 'ok      %-14s %s\n' "${example%/run.sh}" "$(tail -n 1 "$log")"
  else
    printf 'FAILED  %s\n' "${example%/run.sh}"
    cat "$log"
    failed=1
  fi
done
exit $failed
