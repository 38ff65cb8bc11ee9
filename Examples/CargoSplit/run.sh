#!/bin/bash
# A cargo program whose functions the linker splits: stable rustc, no change to Cargo.toml.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../setup.sh"
cp -r "$here/../Cargo/Cargo.toml" "$here/../Cargo/src" .

target=$(rustc -vV | sed -n 's/^host: //p')
# The lld of rustc's toolchain: it has rustc's version of LLVM.
lld=$(rustc --print sysroot)/lib/rustlib/$target/bin/gcc-ld/ld.lld
[[ -x $lld ]] || { echo "rustc has no rust-lld: rustup's toolchains do"; exit 77; }
flags="-Clinker-plugin-lto -Ccodegen-units=1 -Clinker=clang -Clink-arg=--ld-path=$lld -Clink-arg=-Wl,--build-id\
 -Clink-arg=-Wl,--lto-basic-block-address-map"
build() { # build FLAGS FOLDER
  run env RUSTFLAGS="$1" cargo build --release --offline --quiet --target "$target" --target-dir "$2"
}

step "the release build, with a map of its basic blocks"
build "$flags" default
cp "default/$target/release/words" words-default

step "1. record: the blocks that a launch runs"
run "$ORDERFILE" record --breakpoints --blocks -o words.oftrace -- ./words-default To be or not to be

step "2. write the profile and the order file for the linker"
run "$ORDERFILE" gen words.oftrace --image words-default --split-profile words.clusters -o words.order

step "3. link with both"
build "$flags -Clink-arg=-Wl,--lto-basic-block-sections=$PWD/words.clusters\
 -Clink-arg=-Wl,--symbol-ordering-file=$PWD/words.order" split
cp "split/$target/release/words" words

step "what that saves, and whether the linker followed"
run "$ORDERFILE" diff words-default words --trace words.oftrace --order words.order --limit 'diff.drifted<=0'

for text in "To be or not to be" ""; do
  # shellcheck disable=SC2086
  ./words $text >split.txt 2>&1 || true
  # shellcheck disable=SC2086
  { ./words-default $text 2>&1 || true; } | cmp - split.txt
done
[[ $(nm words) == *.cold* ]]
check_order words-default words words.oftrace words.order
