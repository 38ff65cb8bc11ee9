#!/bin/bash
# Runs fuzz targets one after the other, each for SECONDS, and stops at the first failure.
# usage: fuzz.sh SECONDS [TARGET ...]
set -euo pipefail
cd "$(dirname "$0")/.."

seconds=${1:?usage: fuzz.sh SECONDS [TARGET ...]}
shift
toolchain=$(dirname "$(dirname "$(readlink -f "$(command -v swiftc)")")")
ORDERFILE_LIBFUZZER=$(echo "$toolchain"/lib/clang/*/lib/linux/libclang_rt.fuzzer_no_main-"$(uname -m)".a)
export ORDERFILE_LIBFUZZER
[[ -f $ORDERFILE_LIBFUZZER ]] || { echo "fuzz.sh: missing libFuzzer in $toolchain" >&2; exit 1; }

build=.build/fuzz
# The frontend gets -sanitize=fuzzer, because the Swift driver would link a second main. -Ounchecked would hide traps.
swift build -c release --product fuzz --scratch-path $build \
  -Xswiftc -Xfrontend -Xswiftc -sanitize=fuzzer -Xcc -fsanitize=fuzzer-no-link 2>&1 | tail -n 1

mapfile -t all < <($build/release/fuzz)
if (($#)); then targets=("$@"); else targets=("${all[@]}"); fi
for target in "${targets[@]}"; do
  [[ " ${all[*]} " == *" $target "* ]] ||
    { echo "fuzz.sh: unknown target '$target': expected one of ${all[*]}" >&2; exit 64; }
done
for target in "${targets[@]}"; do
  found=$build/corpus/$target failures=$build/failures/$target
  mkdir -p "$found" "$failures"
  # Targets of one format share its inputs; link maps and exports are already fixtures of the tests.
  seeds=("Fuzz/Corpus/$target" "Fuzz/FailCases/$target" "Fuzz/Corpus/${target%%-*}")
  case $target in
    image) seeds+=(Fuzz/Corpus/elf Fuzz/Corpus/macho) ;;
    map-gnu) seeds+=(Tests/Fixtures/linkmap/bfd*) ;;
    map-*) seeds+=(Tests/Fixtures/linkmap/"${target#map-}"*) ;;
    xctrace) seeds+=(Tests/Fixtures/xctrace/*) ;;
  esac
  inputs=("$found")
  for folder in "${seeds[@]}"; do if [[ -d $folder ]]; then inputs+=("$folder"); fi; done
  options=(-max_total_time="$seconds" -rss_limit_mb=1024 -malloc_limit_mb=512 -timeout=20
    -artifact_prefix="$failures/" -close_fd_mask=3 -print_final_stats=0 -verbosity=0)
  dictionary=Fuzz/Dictionaries/$target.dict
  if [[ -f $dictionary ]]; then options+=(-dict="$dictionary"); fi
  echo "$target"
  FUZZ_TARGET=$target nice $build/release/fuzz "${options[@]}" "${inputs[@]}" >"$build/log" 2>&1 || {
    cat "$build/log" >&2
    echo "fuzz.sh: $target failed: mend it, and add $failures/* as Fuzz/FailCases/$target/NAME" >&2
    exit 1
  }
done
