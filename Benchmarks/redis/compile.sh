#!/bin/bash
# Compiles the redis server and its libraries from its source package: one object for each source file.
#
# usage: compile.sh FOLDER [FLAG...]      FOLDER gets the objects; CC=gcc compiles them with gcc
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
folder=$(realpath "$1")
sources=$here/../../.build/sources/redis
[[ -e $sources ]] || "$here/../fetch-source" redis "$sources"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp -r "$sources/." "$work"
flags="-O2 -g0 -ffunction-sections ${*:2}"
# REDIS_LD: the caller links.
make -j2 -C "$work/src" redis-server MALLOC=libc CC="${CC:-clang}" OPTIMIZATION= DEBUG= REDIS_LD=true \
  CFLAGS="$flags" REDIS_CFLAGS="$flags" >"$work/log" 2>&1 || { tail -30 "$work/log" >&2; exit 1; }
cd "$work"
for object in src/*.o deps/*/*.o deps/lua/src/*.o; do
  case $object in
    src/redis-cli.o | src/redis-benchmark.o | src/cli_common.o | */lua.o | */luac.o | */print.o) ;;
    *) [[ ! -e $object ]] || cp "$object" "$folder/$(tr / - <<<"$object")" ;;
  esac
done
