#!/bin/bash
# Fetches Debian's kernel for AArch64 as .build/arm64/vmlinuz, to boot it in an emulator. Takes it from the
# distribution's package, whose signature apt checks; installs nothing.
# usage: arm64-kernel.sh
set -euo pipefail
cd "$(dirname "$0")/.."

folder=$PWD/.build/arm64
[[ -e $folder/vmlinuz ]] && exit 0

echo "fetching Debian's kernel for AArch64" >&2
work=$folder/download
rm -rf "$work"
mkdir -p "$work"/{lists,cache/archives}/partial
touch "$work/status"
list=/etc/apt/sources.list.d/debian.sources
[[ -e $list ]] || list=/etc/apt/sources.list
apt=(-qq -o "Dir::Etc::sourcelist=$list" -o Dir::Etc::sourceparts=/dev/null
  -o "Dir::State::lists=$work/lists" -o "Dir::State::status=$work/status" -o "Dir::Cache=$work/cache"
  -o APT::Architecture=arm64 -o APT::Architectures=arm64 -o Acquire::Languages=none -o APT::Sandbox::User=root)
log=$work/log
{
  apt-get "${apt[@]}" update &&
    # The meta package for the newest kernel depends on it.
    package=$(apt-cache "${apt[@]}" depends linux-image-cloud-arm64 | sed -n 's/^ *Depends: //p') &&
    (cd "$work" && apt-get "${apt[@]}" download "$package" &&
      dpkg-deb --fsys-tarfile "$package"_*.deb | tar -x --wildcards './boot/vmlinuz-*') &&
    mv "$work"/boot/vmlinuz-* "$folder/vmlinuz"
} >"$log" 2>&1 || { cat "$log" >&2; exit 1; }
rm -rf "$work"
