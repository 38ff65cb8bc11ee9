#!/bin/bash
# Lays out what `make build` has built under a folder. usage: install.sh PREFIX
set -euo pipefail
[[ $# == 1 && -n $1 ]] || { echo "usage: make install PREFIX=dir" >&2; exit 64; }
mkdir -p "$1"
prefix=$(cd "$1" && pwd)
cd "$(dirname "$0")/.."

install -D -m 755 .build/release/orderfile "$prefix/bin/orderfile"
# The page tracer, which Linux has.
[[ ! -e .build/release/liborderfile-pages.so ]] ||
  install -D -m 755 .build/release/liborderfile-pages.so "$prefix/lib/orderfile/liborderfile-pages.so"
install -D -m 644 .build/runtime/orderfile_rt.o "$prefix/lib/orderfile_rt.o"
install -D -m 644 .build/runtime/liborderfile_rt.a "$prefix/lib/liborderfile_rt.a"
# The recorder for Apple's platforms, where `make runtime-darwin` has made it.
for object in .build/runtime/{iphoneos,iphonesimulator,macosx}/orderfile_rt.o; do
  [[ ! -e $object ]] || install -D -m 644 "$object" "$prefix/lib/orderfile/${object#.build/runtime/}"
done
install -D -m 644 Runtime/Recorder/include/orderfile_runtime.h "$prefix/include/orderfile_runtime.h"

complete() { # complete SHELL PATH
  mkdir -p "$prefix/$(dirname "$2")"
  .build/release/orderfile --generate-completion-script "$1" >"$prefix/$2"
}
complete bash share/bash-completion/completions/orderfile
complete zsh share/zsh/site-functions/_orderfile
complete fish share/fish/vendor_completions.d/orderfile.fish

# The pages carry the date of the latest commit, so that the same sources give the same bytes.
seconds=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || echo 0)}
log=$(swift package plugin generate-manual --multi-page --configuration release \
  --date "$(date -u -d "@$seconds" +%F)" 2>&1) || { echo "$log" >&2; exit 1; }
mkdir -p "$prefix/share/man/man1"
for page in .build/plugins/GenerateManual/outputs/orderfile/*.1; do
  name=$(basename "$page" .1)
  [[ $name == orderfile.help ]] && continue
  sed -E -e 's/ORDERFILE\.([A-Z])/ORDERFILE-\1/g' -e 's/orderfile\.([a-z])/orderfile-\1/g' -e '/^\.Xr orderfile-help /d' "$page" \
    >"$prefix/share/man/man1/${name/./-}.1"
done
