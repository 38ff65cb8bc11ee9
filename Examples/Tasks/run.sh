#!/bin/bash
# Twelve start-up tasks that register themselves; a third of them is postponed by one word each.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../setup.sh"
cp "$here"/*.c "$here"/work.h .
headers=(-I"$root/Runtime/Tasks/include" -I"$root/Runtime/Recorder/include")
tasks=${ORDERFILE_RUNTIME%/*}/orderfile_tasks.o

# build NAME: the release build NAME, and NAME-record, which the recorder is linked into.
build() {
  for file in main storage network screen; do
    clang -O1 -ffunction-sections "${headers[@]}" -c $file.c
    clang -O1 -fsanitize-coverage=func,trace-pc-guard,pc-table "${headers[@]}" -c $file.c -o $file-record.o
  done
  clang -fuse-ld=lld -Wl,--build-id,--gc-sections,-Map,"$1.map" {main,storage,network,screen}.o "$tasks" -o "$1"
  clang -fuse-ld=lld -Wl,--build-id {main,storage,network,screen}-record.o "$tasks" "$ORDERFILE_RUNTIME" -o "$1-record"
}

# count NAME: the functions and the tasks that a launch of NAME-record runs before the mark "first screen".
count() {
  ORDERFILE_TRACE=$1.oftrace ORDERFILE_STOP_AT="first screen" "./$1-record" >/dev/null
  "$ORDERFILE" show --json "$1.oftrace" >show.json
  functions=$(grep -c '{"entry": ' show.json)
  ended=$(grep -o 'end task [a-z ]* of first screen' show.json | sort -u | wc -l)
  printf '%s: %s functions and %s tasks before the first screen\n' "$1" "$functions" "$ended"
}

step "twelve tasks before the first screen"
build before
run "$ORDERFILE" audit before --link-map before.map | sed -n '/PRIORITY/,/^$/p'
run ./before

step "four of them can wait: each registration gets another stage"
for task in "search index" push statistics map; do
  sed -i "s/\"first screen\", \"$task\"/\"after first screen\", \"$task\"/" {storage,network,screen}.c
done
run grep -h 'after first screen' storage.c network.c screen.c
build after
run ./after

step "before and after"
count before
before=($functions $ended)
count after
after=($functions $ended)
[[ ${before[1]} == 12 && ${after[1]} == 8 && $((before[0] - after[0])) == 12 ]] ||
  { echo "expected 12 and then 8 tasks, and 12 functions less" >&2; exit 1; }

step "each task has a row"
ORDERFILE_TRACE=all.oftrace ./after-record >/dev/null
"$ORDERFILE" stages all.oftrace >stages.txt
[[ $(grep -c ' of which task .* of first screen$' stages.txt) == 8 ]] || { cat stages.txt >&2; exit 1; }
echo "stages: 8 tasks before the first screen, $(grep -c ' of which task .* of after first screen$' stages.txt) after it"

step "a limit keeps it so"
for build in before after; do "$ORDERFILE" audit --json -o "$build.json" "$build"; done
run "$ORDERFILE" check --limit 'tasks.first screen.count<=8' after.json
"$ORDERFILE" check --limit 'tasks.first screen.count<=8' before.json >check.txt 2>&1 && status=0 || status=$?
[[ $status == 2 ]] || { cat check.txt >&2; exit 1; }
grep -m1 'expected at most 8, found 12' check.txt
