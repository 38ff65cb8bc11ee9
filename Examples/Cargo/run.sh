#!/bin/bash
# A cargo program: stable rustc, no additional crate, no change to Cargo.toml.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../setup.sh"
cp -r "$here/Cargo.toml" "$here/src" .

# With --target, cargo does not apply RUSTFLAGS to build scripts and procedural macros, which run during
# the build.
target=$(rustc -vV | sed -n 's/^host: //p')
# One codegen unit per crate: with more, functions are instrumented before they are inlined across units,
# and the trace names functions that the release build does not have.
flags="-Ccodegen-units=1 -Clinker=clang -Clink-arg=-fuse-ld=lld -Clink-arg=-Wl,--build-id"
build() { # build FLAGS FOLDER
  run env RUSTFLAGS="$1" cargo build --release --offline --quiet --target "$target" --target-dir "$2"
}

step "the build to ship"
build "$flags" ship
cp "ship/$target/release/words" words-default

step "1. record: an instrumented build, launched once"
build "$flags -Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=1\
 -Cllvm-args=-sanitizer-coverage-trace-pc-guard -Cllvm-args=-sanitizer-coverage-pc-table\
 -Clink-arg=$ORDERFILE_RUNTIME" record
run "$ORDERFILE" record -o words.oftrace -- "record/$target/release/words" To be or not to be

step "2. order"
run "$ORDERFILE" gen words.oftrace --image words-default -o words.order

step "3. relink"
build "$flags -Clink-arg=-Wl,--symbol-ordering-file=$PWD/words.order" ship
cp "ship/$target/release/words" words
run "$ORDERFILE" diff words-default words --trace words.oftrace --order words.order

[[ $(./words To be or not to be) == "$(./words-default To be or not to be)" ]]
grep -q 'words.*text.*count' words.order
check_order words-default words words.oftrace words.order
