#!/bin/bash
# Builds the initial file system of the AArch64 machine: the tracer of ProcessTracing, what it traces, and a
# program with the recorder.
# usage: build.sh FOLDER    makes FOLDER/initramfs.cpio
set -euo pipefail
cd "$(dirname "$0")"
here=$PWD
sources=$PWD/../../Sources
runtime=$PWD/../../Runtime
mkdir -p "$1/root"/{lib,proc}
cd "$1"

cc() { aarch64-linux-gnu-gcc -std=gnu11 -O1 -Wall -Wextra -Werror "$@"; }
clang() { command clang --target=aarch64-linux-gnu --gcc-toolchain=/usr "$@"; }

# Embedded Swift knows one AArch64 system, which is none; its code and Linux's are alike.
resources=$(swiftc -print-target-info | sed -n 's/.*"runtimeResourcePath": "\(.*\)".*/\1/p')
swift() {
  swiftc -target aarch64-none-none-elf -enable-experimental-feature Embedded -wmo -parse-as-library -Onone \
    -package-name orderfile -swift-version 6 -enable-upcoming-feature ExistentialAny -I . \
    -Xcc -D__linux__=1 -Xcc -nostdlibinc -Xcc -isystem -Xcc /usr/aarch64-linux-gnu/include \
    -Xcc "-fmodule-map-file=$here/module.modulemap" -Xcc "-I$runtime/PageTrace/include" \
    -Xcc "-I$runtime/InProcess/include" "${maps[@]}" \
    -module-cache-path modules "$@"
}
maps=()
includes=(-I /usr/aarch64-linux-gnu/include "-I$runtime"/{InProcess,PageTrace,Recorder,TraceFormat}/include)
for target in CPages CProcess CPtrace; do
  maps+=(-Xcc "-fmodule-map-file=$sources/System/$target/include/module.modulemap")
  includes+=("-I$sources/System/$target/include")
done
module() { # module NAME FILE...
  swift -module-name "$1" -emit-module -emit-module-path "$1.swiftmodule" -c -o "$1.o" "${@:2}"
}
module Addresses "$sources"/Bytes/Addresses/*.swift
module LibC "$sources"/Libraries/LibC/*.swift
module ProcessLaunch "$sources"/System/ProcessLaunch/*.swift "$here/CommandLine.swift"
module ImageModel "$sources/Model/ImageModel/Access.swift"
module Guest "$sources"/System/ProcessTracing/{Breakpoints,Pages,Processes,Tracer}/*.swift "$here/Guest.swift"
objects=()
for file in "$here/guest.c" "$sources"/System/{CPages,CProcess,CPtrace}/*.c \
  "$runtime"/PageTrace/*.c; do
  objects+=("${#objects[@]}.$(basename "$file" .c).o")
  clang "${includes[@]}" -std=c11 -O1 -Wall -Wextra -Werror -c -o "${objects[-1]}" "$file"
done
clang -static -fuse-ld=lld -o root/guest "${objects[@]}" Guest.o ImageModel.o ProcessLaunch.o LibC.o Addresses.o \
  "$resources/embedded/aarch64-none-none-elf/libswiftUnicodeDataTables.a"

cc -static -o root/init "$here/init.c"
cc -static -pthread -o root/static "$here/program.c"
for library in guarded plugin; do
  cc -mbranch-protection=standard -fPIC -shared -nostdlib -Wl,-soname,lib$library.so \
    -o root/lib/lib$library.so "$here/$library.c"
done
cc -DDYNAMIC -pthread -Wl,-z,now -o root/dynamic "$here/program.c" root/lib/libguarded.so
for file in "$runtime"/Recorder/*.c; do echo "#include \"$file\""; done >recorder.c
clang "${includes[@]}" "-I$runtime/Recorder" -D_GNU_SOURCE -std=c11 -O2 -moutline-atomics -fPIC -c -o recorder.o recorder.c
clang "${includes[@]}" -O1 -DRECORDED -fsanitize-coverage=func,trace-pc-guard,pc-table -c -o recorded.o \
  "$here/program.c"
cc -pthread -o root/recorded recorded.o recorder.o
cp /usr/aarch64-linux-gnu/lib/{ld-linux-aarch64.so.1,libc.so.6} root/lib/

(cd root && find . -print0 | LC_ALL=C sort -z | cpio --null --create --format=newc --quiet) >initramfs.cpio
