#!/bin/bash
# Writes reports of three programs, a small one, the sqlite3 shell and the command itself, and checks them in a browser.
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

# report NAME LINK-OPTION... -- ARGUMENT...: links objects in both orders, and reports of a launch with these arguments
report() {
  local name=$1 options=()
  shift
  while [[ $1 != -- ]]; do options+=("$1"); shift; done
  shift
  local link=(clang -fuse-ld=lld -Wl,--build-id "$name"-objects/*.o)
  "${link[@]}" "${options[@]}" -o "$name-before"
  "$orderfile" record -q --breakpoints -o "$name.oftrace" -- "./$name-before" "$@" >/dev/null
  "$orderfile" gen -q "$name.oftrace" -o "$name.order"
  "${link[@]}" -Wl,--symbol-ordering-file="$name.order" "${options[@]}" -o "$name"
  for image in "$name-before" "$name"; do "$orderfile" pages -q --json -o "$image.json" -- "./$image" "$@" >/dev/null; done
  "$orderfile" measure -q --json -o "$name.measure" --warm --runs 10 --control --before "./$name-before" --after "./$name" -- "$@"
  "$orderfile" history add -q "$name.jsonl" "$name.json" --commit before --time 1700000000
  "$orderfile" report -q -o "$name.html" "$name-before" "$name" "$name.oftrace" "$name.order" "$name-before.json" "$name.json" \
    "$name.measure" "$name.jsonl"
}

mkdir small-objects sqlite3-objects
clang -O1 -ffunction-sections -c "$root/Examples/C/main.c" -o small-objects/main.o
# A name that would end the script and begin an element.
clang -ffunction-sections -x c -c - -o small-objects/hostile.o <<'C'
void hostile(void) __asm__("</script><b>'\"&");
void hostile(void) {}
__attribute__((constructor)) static void call(void) { hostile(); }
C
compile_sqlite3 sqlite3-objects
report small --
report sqlite3 "${sqlite3_libraries[@]}" -- "${sqlite3_launch[@]}"

cp "$orderfile" swift
"$orderfile" record -q --breakpoints -o swift.oftrace -- ./swift show small >/dev/null
"$orderfile" pages -q --json -o swift.json -- ./swift show small >/dev/null
"$orderfile" report -q -o swift.html swift swift.oftrace swift.json

PYTHONPATH=$python python3 "$root/Scripts/test-report.py" "${shots[@]}" small.html sqlite3.html swift.html
