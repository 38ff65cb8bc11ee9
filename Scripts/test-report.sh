#!/bin/bash
# Writes reports of real programs, from a small one to the command itself, and checks them in a browser.
# usage: test-report.sh [FOLDER-FOR-SCREENSHOTS]
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
here=$root/Benchmarks
orderfile=${ORDERFILE:-$root/.build/release/orderfile}
. "$here/programs.sh"
python=$root/.build/report-python
packages=(playwright==1.65.2 axe-playwright-python==0.1.8)
shots=()
if (($#)); then shots=(--shots "$(realpath -m "$1")"); fi

stamp=$python/$(cksum <<<"${packages[*]}" | cut -d' ' -f1)
if [[ ! -e $stamp ]]; then
  echo "fetching ${packages[*]} from PyPI" >&2
  rm -rf "$python"
  mkdir -p "$python"
  python3 -m pip -q install --target "$python" "${packages[@]}" >"$python/log" 2>&1 || { cat "$python/log" >&2; exit 1; }
  touch "$stamp"
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

# report NAME LINK-WORD... -- ARGUMENT...: links in both orders, by appending options to the link command, and writes a
# report of a launch with these arguments. Beside the report are the documents whose contents it has to show.
report() {
  local name=$1 link=()
  shift
  while [[ $1 != -- ]]; do link+=("$1"); shift; done
  shift
  "${link[@]}" -Wl,--color-diagnostics=never -o "$name-before"
  "$orderfile" record -q --breakpoints -o "$name.oftrace" -- "./$name-before" "$@" >/dev/null
  "$orderfile" gen -q "$name.oftrace" -o "$name.order"
  "${link[@]}" "-Wl,--symbol-ordering-file=$name.order" -o "$name"
  for image in "$name-before" "$name"; do
    "$orderfile" pages -q --json -o "$image.json" -- "./$image" "$@" >/dev/null
    "$orderfile" show -q --json -o "$image.show" "$image"
  done
  "$orderfile" diff -q --json -o "$name.diff" "$name-before" "$name" --trace "$name.oftrace" --order "$name.order" \
    --pages-before "$name-before.json" --pages-after "$name.json"
  "$orderfile" measure -q --json -o "$name.measure" --warm --runs 10 --control --before "./$name-before" --after "./$name" -- "$@"
  "$orderfile" stages -q --json -o "$name.stages" --runs 5 -- "./$name" "$@" >/dev/null
  for image in "$name-before" "$name"; do
    "$orderfile" faults -q --cold --json -o "$image.faults" -- "./$image" "$@" >/dev/null
  done
  # The document before gets the image name of the document after, because a history is of one image name.
  sed "s|$name-before\"|$name\"|" "$name-before.json" >committed.json
  "$orderfile" history add -q "$name.jsonl" committed.json --commit before --time 1700000000
  "$orderfile" history add -q "$name.jsonl" "$name.json" --commit after --time 1700086400
  "$orderfile" check -q --init -o "$name.budget" "$name.json"
  # The redis server before has to keep the budget of the server after, which is also its base. So one report has a
  # failed budget.
  local checked=("$name.json")
  if [[ $name == redis ]]; then checked=(--base "$name.json" committed.json); fi
  "$orderfile" check -q --json -o "$name.check" --budget "$name.budget" "${checked[@]}" || (($? == 2))
  "$orderfile" report -q --demangle none -o "$name.html" "$name-before" "$name" "$name.oftrace" "$name.order" \
    "$name-before.json" "$name.json" "$name-before.faults" "$name.faults" "$name.measure" "$name.stages" "$name.jsonl" \
    "$name.budget" "$name.check"
}

mkdir small-objects redis-objects
clang -O1 -ffunction-sections -c "$root/Examples/C/main.c" -o small-objects/main.o
# Names of functions that would end the script, begin an element, and change the colours of a terminal.
clang -ffunction-sections -x c -c - -o small-objects/hostile.o <<'C'
void hostile(void) __asm__("</script><b>'\"&");
void hostile(void) {}
void ansi(void) __asm__("ansi\033[1m");
void ansi(void) {}
__attribute__((constructor)) static void call(void) { hostile(); ansi(); }
C
clang=(clang -fuse-ld=lld -Wl,--build-id)
# A file name that is wider than a phone's screen.
small=small_$(printf 'and_long_%.0s' {1..12})
report "$small" "${clang[@]}" small-objects/*.o --
sqlite3_objects=$("$root/Benchmarks/sqlite/release.sh")
report sqlite3 "${clang[@]}" "$sqlite3_objects"/*.o "${sqlite3_libraries[@]}" -- "${sqlite3_launch[@]}"
compile_redis redis-objects
# Without a client, only this launch of a server ends with success.
report redis "${clang[@]}" redis-objects/*.o "${redis_libraries[@]}" -- --version
cat >main.swift <<'SWIFT'
struct Greeting<Name: CustomStringConvertible> { var name: Name; @inline(never) func text() -> String { "hello, \(name)" } }
@inline(never) func unused() { print("unused") }
@inline(never) func greet(_ names: [String]) { for name in names { print(Greeting(name: name).text()) } }
if CommandLine.arguments.count > 5 { unused() }
greet(["a", "b"])
SWIFT
swiftc -O -Xfrontend -function-sections -module-name greeting -c main.swift -o swift.o
report swift swiftc -use-ld=lld -Xclang-linker -Wl,--build-id swift.o -Xclang-linker --

# A Swift program with more than 20,000 functions.
cp "$orderfile" orderfile
"$orderfile" record -q --breakpoints -o orderfile.oftrace -- ./orderfile show "$small" >/dev/null
"$orderfile" pages -q --json -o orderfile.json -- ./orderfile show "$small" >/dev/null
"$orderfile" report -q -o orderfile.html orderfile orderfile.oftrace orderfile.json

# A check with as many limits as possible and without an image. A few of the limits are exceeded.
python3 - >many.check <<'PYTHON'
import json
import sys
limits = [{"causes": [], "image": "app", "line": 1 + n, "max": 100, "metric": "pages.textPages", "pageSizeBytes": 4096,
           "outcome": "pass" if n % 60_000 else "fail", "requirement": "at most 100", "value": 90 if n % 60_000 else 101 + n // 60_000}
          for n in range(240_000)]
json.dump({"base": [], "budget": "many.budget", "images": [], "limits": limits, "outcome": "fail", "schema": "orderfile.check/1"}, sys.stdout)
PYTHON
"$orderfile" report -q -o many.html many.check

PYTHONPATH=$python:$root/Scripts python3 "$root/Scripts/test-report.py" "${shots[@]}" \
  "$small.html" sqlite3.html redis.html swift.html orderfile.html many.html
