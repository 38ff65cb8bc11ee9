#!/bin/bash
# run-all.sh [NAME...]: runs the named examples, or all, as many at once as there are processors. Prints one line for
# each example, and all its output if it fails. An example exits with status 77 if it needs a tool that no package can
# install. The output of the examples stays in .build/examples.
set -uo pipefail
cd "$(dirname "$0")"
export logs=../.build/examples
mkdir -p "$logs"
rm -f "$logs"/*
scripts=(*/run.sh)
[[ $# == 0 ]] || scripts=("${@/%//run.sh}")

run() {
  local log=$logs/${1%/run.sh}
  "$1" >"$log.txt" 2>&1
  case $? in
    0) touch "$log.passed" ;;
    77) touch "$log.excused" ;;
  esac
}
export -f run
printf '%s\n' "${scripts[@]}" | xargs -P "$(getconf _NPROCESSORS_ONLN)" -I {} bash -c 'run {}'

failed=0
for example in "${scripts[@]}"; do
  name=${example%/run.sh}
  if [[ -e $logs/$name.passed ]]; then
    printf 'ok      %-14s %s\n' "$name" "$(tail -n 1 "$logs/$name.txt")"
  elif [[ -e $logs/$name.excused ]]; then
    printf 'excused %-14s %s\n' "$name" "$(tail -n 1 "$logs/$name.txt")"
  else
    printf 'FAILED  %s\n' "$name"
    cat "$logs/$name.txt"
    failed=1
  fi
done
exit $failed
