#!/bin/bash
# Installs missing Debian packages. For integrations and fleet, also runs the scripts that fetch other packages.
# usage: bootstrap.sh [build] [demo] [bench] [test] [integrations] [browser] [fleet] [package]
set -euo pipefail

build=(binutils libc6-dev libdwarf-dev libexpat1-dev libiberty-dev libxxhash-dev libzstd-dev make zlib1g-dev)
demo=(ca-certificates tcl xz-utils)  # the sqlite3 shell from its source package
bench=(bolt-19 gcc gdb llvm python3 qemu-user tcl-dev uftrace valgrind)
test=(
  clang-19 g++ gcc git libclang-rt-19-dev lld-19 lld-22 llvm llvm-19 llvm-22 mold musl-tools procps strace valgrind  # compilers, linkers, judges
  g++-aarch64-linux-gnu gcc-aarch64-linux-gnu libc6-dev-arm64-cross  # AArch64
  cmake ninja-build  # the recipes of docs/how-to/BUILD-SYSTEMS.md
  btrfs-progs  # a file system that does not overwrite blocks
  busybox mksh  # shells of other machines, for `record --on`
  python3  # Mach-O: the packages of apple-sdk.sh, and the emulator
)
integrations=(
  bolt-19 gdb qemu-user  # judges: tools to compare with
  gcc-riscv64-linux-gnu libc6-dev-riscv64-cross  # RISC-V
  autoconf automake ccache libtool meson  # build systems of `auto`
  cpio qemu-system-arm  # an AArch64 machine, with the kernel that arm64-kernel.sh fetches
  cmark-gfm influxdb libxml2-utils prometheus  # readers of the reports of check and of a history's exports
  ghc ocaml  # docs/how-to/LANGUAGES.md
  libdevel-nytprof-perl  # has flamegraph.pl
  fish zsh  # shells whose completions are tested
  iproute2 openssh-client openssh-server  # `record --on`, in a network of its own
)
browser=(chromium poppler-utils python3 python3-pip)  # opens reports; 290 MB
fleet=(default-jre-headless python3 python3-pip)  # Spark; with python-packages.sh fleet 600 MB
package=(debootstrap gcc git libelf-dev libstdc++-12-dev lintian)  # debootstrap: bare systems to install the package in

wanted=("${build[@]}")
for group in "$@"; do
  case $group in
    build) ;;
    demo) wanted+=("${demo[@]}") ;;
    browser) wanted+=("${browser[@]}") ;;
    fleet) wanted+=("${fleet[@]}") ;;
    integrations) wanted+=("${integrations[@]}") ;;
    package) wanted+=("${package[@]}") ;;
    bench) wanted+=("${demo[@]}" "${bench[@]}") ;;
    test)
      wanted+=("${demo[@]}" "${test[@]}")
      command -v cargo >/dev/null || wanted+=(cargo)  # rustup's cargo also suffices
      python3 -m pip --version >/dev/null 2>&1 || wanted+=(python3-pip)
      ;;
    *) echo "bootstrap.sh: unknown group '$group': expected build, demo, bench, test, integrations, browser, fleet or package" >&2; exit 64 ;;
  esac
done

installed=$(dpkg-query -W -f '${Package} ${db:Status-Status}\n' "${wanted[@]}" 2>/dev/null || true)
missing=()
for package in "${wanted[@]}"; do
  grep -qxF "$package installed" <<<"$installed" || missing+=("$package")
done

if ((${#missing[@]})); then
  echo "installing ${missing[*]}" >&2
  run=(env DEBIAN_FRONTEND=noninteractive)
  if ((EUID != 0)); then
    command -v sudo >/dev/null ||
      { echo "bootstrap.sh: missing packages, and no sudo: run as root 'apt-get install ${missing[*]}'" >&2; exit 1; }
    run=(sudo "${run[@]}")
  fi
  apt=("${run[@]}" apt-get -qq -o DPkg::Lock::Timeout=300)
  log=$(mktemp)
  trap 'rm -f "$log"' EXIT
  # Another process, such as a daily update, may hold apt's locks. apt-get does not wait for the lock of the lists.
  update() {
    for ((tries = 60; tries > 0; tries--)); do
      if "${apt[@]}" update >"$log" 2>&1; then return; fi
      grep -q lists/lock "$log" || return 1
      sleep 5
    done
    return 1
  }
  { update && "${apt[@]}" -y --no-install-recommends install "${missing[@]}" >"$log" 2>&1; } || {
    cat "$log" >&2
    echo "bootstrap.sh: unable to install ${missing[*]}: the lines above are apt-get's" >&2
    exit 1
  }
fi

if [[ " ${wanted[*]} " == *" qemu-user "* ]] && ! readelf -lW "$(command -v qemu-x86_64)" | grep -q INTERP; then
  echo "bootstrap.sh: qemu-user of this system is statically linked and loads no plugins: tests of record --qemu need" \
    "another QEMU, see 'Build a QEMU with plugins' in CONTRIBUTING.md" >&2
fi

for program in swift clang ld.lld; do
  command -v $program >/dev/null ||
    { echo "bootstrap.sh: missing '$program' on PATH: install Swift, https://www.swift.org/install" >&2; exit 1; }
done

if [[ " $* " == *" integrations "* ]]; then
  "$(dirname "$0")/arm64-kernel.sh"
  "$(dirname "$0")/python-packages.sh"
fi
if [[ " $* " == *" fleet "* ]]; then "$(dirname "$0")/python-packages.sh" fleet; fi
