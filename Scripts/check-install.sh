#!/bin/bash
# Installs into a folder of its own, runs the command with the libraries there, and removes everything again.
set -euo pipefail
cd "$(dirname "$0")/.."
scripts=$PWD/Scripts
prefix=$(mktemp -d)
trap 'rm -rf "$prefix"' EXIT
fail() { echo "check-install.sh: $*" >&2; exit 1; }

Scripts/install.sh install "$prefix"
for file in bin/orderfile lib/orderfile_{rt,tasks}.o include/orderfile_{runtime,tasks}.h share/man/man1/orderfile-gen.1 \
  share/man/man1/cargo-orderfile-run.1 share/bash-completion/completions/orderfile; do
  [[ -s $prefix/$file ]] || fail "missing $file"
done

if [[ -n $(command -v cmake) ]]; then
  mkdir "$prefix/project"
  printf 'cmake_minimum_required(VERSION 3.19)\nproject(x NONE)\nfind_package(orderfile 0.2 REQUIRED)\n' \
    >"$prefix/project/CMakeLists.txt"
  (unset orderfile_DIR && cmake -S "$prefix/project" -B "$prefix/project" -DCMAKE_PREFIX_PATH="$prefix" >"$prefix/log" 2>&1) ||
    { cat "$prefix/log" >&2; fail "find_package(orderfile)"; }
  rm -r "$prefix/project" "$prefix/log"
fi

# Prints the completions of bash for a line, whose words are the arguments. Its readers, grep without -q, read to the
# end, because a program that writes to a closed pipe fails.
complete_line() {
  # shellcheck disable=SC2016
  (cd "$prefix/bin" && bash -c 'shopt -s extglob; . "$1"; shift
    COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMP_LINE="$*" COMP_POINT=${#COMP_LINE}
    _orderfile_or_command orderfile "${@: -1}" "${@: -2:1}" && printf "%s\n" "${COMPREPLY[@]}"' _ "$prefix/${1}" "${@:2}")
}
bash=share/bash-completion/completions/orderfile
complete_line $bash orderfile record --breakpoints -- ./ord | grep -x ./orderfile >/dev/null || fail "no file behind record --"
complete_line $bash orderfile pages -- base6 | grep -x base64 >/dev/null || fail "no command behind pages --"
complete_line $bash orderfile record -- ls ord | grep -x orderfile >/dev/null || fail "no file behind a command"
complete_line $bash orderfile gen --linker ld-p | grep -x ld-prime >/dev/null || fail "no value in bash"

# WANTED LINE: WANTED is a word that the shell offers for LINE, or LINE after completion.
mkdir "$prefix/files"
touch "$prefix/files/a.oftrace"
fish_offers() {
  # shellcheck disable=SC2016
  (cd "$prefix/files" && PATH=$prefix/bin:$PATH fish -N -c 'source $argv[1]; complete -C $argv[2]' \
    "$prefix/share/fish/vendor_completions.d/orderfile.fish" "$2") | cut -f 1 | grep -Fx -- "$1" >/dev/null ||
    fail "fish does not offer '$1' for '$2'"
}
zsh_makes() {
  local found
  found=$(cd "$prefix/files" &&
    PATH=$prefix/bin:$PATH zsh -f "$scripts/complete.zsh" "$prefix/share/zsh/site-functions" "$2")
  [[ $found == "$1" ]] || fail "zsh makes '$found' of '$2'"
}
if [[ $(uname) == Linux ]]; then
  fish_offers gen 'orderfile ge'
  fish_offers ld-prime 'orderfile gen --linker ld'
  fish_offers a.oftrace 'orderfile gen a'
  fish_offers base64 'orderfile pages -- base6'
  fish_offers a.oftrace 'orderfile pages -- ls a'
  zsh_makes 'orderfile record ' 'orderfile rec'
  zsh_makes 'orderfile gen --linker ld-prime ' 'orderfile gen --linker ld-p'
  zsh_makes 'orderfile gen a.oftrace ' 'orderfile gen a'
  zsh_makes 'orderfile pages -- base64 ' 'orderfile pages -- base6'
  zsh_makes 'orderfile pages -- ls a.oftrace ' 'orderfile pages -- ls a'
fi
rm -r "$prefix/files"

if [[ $(uname) == Linux ]]; then
  for library in pages qemu stages; do
    [[ -x $prefix/lib/orderfile/liborderfile-$library.so ]] || fail "missing liborderfile-$library.so"
  done
  [[ -z $(command -v man) ]] || man -M "$prefix/share/man" -w orderfile-import-xctrace >/dev/null ||
    fail "no man page orderfile-import-xctrace"
  libraries=$prefix/lib/orderfile/swift
  # shellcheck disable=SC2016
  readelf -d "$prefix/bin/orderfile" | grep -q 'RUNPATH.*\$ORIGIN/../lib/orderfile/swift' ||
    fail "the command does not look for Swift's libraries in $libraries"
  elsewhere=$(LD_LIBRARY_PATH=$libraries ldd "$prefix/bin/orderfile" | awk '$3 ~ "/swift/linux/" { print $3 }')
  [[ -z $elsewhere ]] || fail "the command needs the toolchain's" $elsewhere
  LD_LIBRARY_PATH=$libraries "$prefix/bin/orderfile" --version >/dev/null
  [[ $(LD_LIBRARY_PATH=$libraries "$prefix/bin/cargo-orderfile" orderfile run --help) == *'cargo orderfile run'* ]] ||
    fail "cargo-orderfile is another command"
fi

Scripts/install.sh uninstall "$prefix"
left=$(find "$prefix" -type f)
[[ -z $left ]] || fail "uninstall left" $left
echo 'installed, ran and uninstalled'
