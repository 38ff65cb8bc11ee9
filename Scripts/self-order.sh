#!/bin/bash
# Orders the orderfile command itself: records one of its runs, links it again, and prints what this saves.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
work=$root/.build/self-order
mkdir -p "$work"
cd "$root"

# toolset NAME COVERAGE LINKER-OPTION...: the flags of one build
toolset() {
  local coverage=$2 swift='"-Xfrontend", "-function-sections", "-use-ld=lld"' c='"-ffunction-sections"'
  if [[ -n $coverage ]]; then
    swift+=", \"-Xfrontend\", \"-sanitize=fuzzer\", \"-Xfrontend\", \"-sanitize-coverage=$coverage\""
    c+=", \"-fsanitize-coverage=$coverage\""
  fi
  cat >"$work/$1.json" <<JSON
{
  "schemaVersion": "1.0",
  "swiftCompiler": { "extraCLIOptions": [$swift] },
  "cCompiler": { "extraCLIOptions": [$c] },
  "linker": { "extraCLIOptions": [$(printf '"%s", ' "${@:3}")"--build-id"] }
}
JSON
}

build() { # build TOOLSET FOLDER
  echo "building $2" >&2
  swift build -c release --product orderfile --toolset "$work/$1.json" --scratch-path "$work/$2" \
    >"$work/log" 2>&1 || { cat "$work/log" >&2; exit 1; }
}

toolset record func,trace-pc-guard,pc-table "$root/.build/runtime/orderfile_rt.o"
toolset ship ""
toolset order "" "--symbol-ordering-file=$work/orderfile.order"

build ship ship
before=$work/orderfile-before
cp "$work/ship/release/orderfile" "$before"

build record record
orderfile=$root/.build/release/orderfile
"$orderfile" record -o "$work/orderfile.oftrace" -- \
  "$work/record/release/orderfile" show --json "$before" >/dev/null
"$orderfile" gen "$work/orderfile.oftrace" --image "$before" -o "$work/orderfile.order"

build order ship
cd "$work"
"$orderfile" diff orderfile-before ship/release/orderfile --trace orderfile.oftrace --order orderfile.order
