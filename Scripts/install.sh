#!/bin/bash
# Installs what `make build` has built below PREFIX, or removes it.
# usage: install.sh install|uninstall PREFIX      below $DESTDIR, if that is set
# SWIFT_BUILD is the command of the build, which the Makefile sets. BUILD is the folder of the build (.build).
set -euo pipefail
[[ $# == 2 && -n $2 ]] || { echo "usage: make $1 PREFIX=dir [DESTDIR=dir]" >&2; exit 64; }
[[ $1 == install ]] || [[ -d ${DESTDIR:-}$2 ]] || exit 0
mkdir -p "${DESTDIR:-}$2"
prefix=$(cd "${DESTDIR:-}$2" && pwd)
cd "$(dirname "$0")/.."
BUILD=${BUILD:-.build}

libraries=(lib/orderfile_{rt,tasks}.o lib/liborderfile_rt.a lib/orderfile/liborderfile-pages.so lib/orderfile/liborderfile-qemu.so
  lib/orderfile/liborderfile-stages.so
  lib/orderfile/{macosx,maccatalyst,iphone{os,simulator},appletv{os,simulator},xr{os,simulator},watch{os,simulator}}/orderfile_{rt,tasks}.o)
completions=(share/bash-completion/completions/orderfile share/zsh/site-functions/_orderfile
  share/fish/vendor_completions.d/orderfile.fish)
cmake=lib/cmake/orderfile

if [[ $1 == uninstall ]]; then
  cd "$prefix"
  rm -f bin/{cargo-,}orderfile bin/.debug/orderfile.debug include/orderfile_{runtime,tasks}.h "${libraries[@]}" "${completions[@]}" \
    share/man/man1/{cargo-,}orderfile.1 share/man/man1/{cargo-,}orderfile-*.1
  rm -f lib/orderfile/swift/*.so $cmake/orderfileConfig{,Version}.cmake
  # Folders that only this project uses.
  rmdir lib/orderfile/* lib/orderfile $cmake bin/.debug 2>/dev/null || true
  exit
fi

SWIFT_BUILD=${SWIFT_BUILD:?"run 'make install' instead"}
install -D -m 755 "$BUILD/release/orderfile" "$prefix/bin/orderfile"
if [[ $(uname) == Linux ]]; then  # puts the symbols where debuggers and profilers look for them
  mkdir -p "$prefix/bin/.debug"
  (cd "$prefix/bin" && objcopy --only-keep-debug orderfile .debug/orderfile.debug &&
    objcopy --strip-all --add-gnu-debuglink=.debug/orderfile.debug orderfile)
  chmod 644 "$prefix/bin/.debug/orderfile.debug"
fi
ln -sf orderfile "$prefix/bin/cargo-orderfile"
install -D -m 644 Runtime/Recorder/include/orderfile_runtime.h "$prefix/include/orderfile_runtime.h"
install -D -m 644 Runtime/Tasks/include/orderfile_tasks.h "$prefix/include/orderfile_tasks.h"
for library in "${libraries[@]}"; do
  case $library in
    lib/orderfile/*.so) built=$BUILD/release/${library##*/} ;;  # the tracers and the plugin, on Linux only
    lib/orderfile/*) built=.build/runtime/${library#lib/orderfile/} ;;  # where `make runtime-darwin` has made it
    *) built=.build/runtime/${library#lib/} ;;
  esac
  [[ ! -e $built && $library == lib/orderfile/* ]] || install -D -m 644 "$built" "$prefix/$library"
done
chmod -f 755 "$prefix"/lib/orderfile/*.so || true

# Installs Swift's libraries, so that the command starts on a machine without Swift. A command that is linked statically
# needs none.
for library in $(ldd "$BUILD/release/orderfile" 2>/dev/null | awk '$3 ~ "/swift/linux/" { print $3 }'); do
  install -D -m 755 "$library" "$prefix/lib/orderfile/swift/${library##*/}"
done

# The files that find_package(orderfile) reads.
sources=Sources/Features/Projects/Init/CMake
version=$(sed -n 's/^package let toolVersion = "\(.*\)"$/\1/p' Sources/Features/Rendering/ToolVersion.swift)
install -D -m 644 $sources/orderfileConfig.cmake "$prefix/$cmake/orderfileConfig.cmake"
sed "s/@VERSION@/$version/" Scripts/package/orderfileConfigVersion.cmake >"$prefix/$cmake/orderfileConfigVersion.cmake"

for index in 0 1 2; do
  shells=(bash zsh fish)
  mkdir -p "$prefix/$(dirname "${completions[index]}")"
  Scripts/completions.sh "$BUILD/release/orderfile" "${shells[index]}" >"$prefix/${completions[index]}"
done

# The man pages have the date of the latest commit, so that the same sources give the same bytes.
seconds=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || echo 0)}
log=$($SWIFT_BUILD --product generate-manual 2>&1) || { echo "$log" >&2; exit 1; }
pages=$(mktemp -d)
trap 'rm -rf "$pages"' EXIT
# The same command under the name by which cargo finds it.
command=$(cd "$BUILD/release" && pwd)/orderfile
ln -s "$command" "$pages/cargo-orderfile"
for command in "$command" "$pages/cargo-orderfile"; do
  "$BUILD/release/generate-manual" "$command" --multi-page \
    --date "$(date -u -d "@$seconds" +%F)" --output-directory "$pages"
done
mkdir -p "$prefix/share/man/man1"
for page in "$pages"/*.1; do
  name=$(basename "$page" .1)
  [[ $name == *orderfile.help ]] && continue
  # A quote at the start of a line would begin a request of roff.
  sed -E -e "s/^'/\\\\\&'/" -e '/^\.(Dt|Nm|Xr) /s/(cargo|CARGO) /\1-/' -e 's/ORDERFILE\.([A-Z])/ORDERFILE-\1/g' \
    -e 's/orderfile\.([a-z])/orderfile-\1/g' -e '/^\.Xr "?(cargo-)?orderfile-help"? /d' \
    -e '/^\.Nm "/s/ /-/2g' -e 's/^$/.Pp/' "$page" \
    >"$prefix/share/man/man1/$(tr ' .' -- <<<"$name").1"
done
