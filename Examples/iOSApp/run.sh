#!/bin/bash
# An iOS app, as far as possible without a Mac: cross-compiled with the flags of the .xcconfig files, linked by
# ld64.lld, launched in an emulator, ordered, and relinked.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../setup.sh"
for program in ld64.lld-19 llvm-nm-19 python3 swiftc; do
  command -v $program >/dev/null || { echo "missing $program: run 'make test' first" >&2; exit 1; }
done
"$root/Scripts/apple-sdk.sh"
make -s -C "$root" runtime-darwin
sdk=$root/.build/apple/sdk
cp -r "$here/Sources" .

step "the settings, as an Xcode user gets them"
run "$ORDERFILE" init --print xcode -o orderfile --recorder "$root/.build/runtime" >steps.txt
cp orderfile/app.order empty.order
# A user who runs the command in /Users/me/App, with the recorder installed, gets the committed files.
for name in record order; do
  sed -e "s,$(pwd -P)/orderfile,/Users/me/App/orderfile,g" -e "s,$root/.build/runtime,/usr/local/lib/orderfile,g" \
    orderfile/orderfile-$name.xcconfig | diff "$here/orderfile-$name.xcconfig" - ||
    { echo "orderfile-$name.xcconfig is not what 'orderfile init --print xcode' writes" >&2; exit 1; }
done

# setting FILE NAME: the value that Xcode would compute for iPhones, where only PLATFORM_NAME is set.
setting() {
  local value name
  value=$(sed -n "s/^$2 = //p" "$1")
  # The innermost reference first, as Xcode does.
  while [[ $value =~ \$\(([A-Za-z_]+)(:default=[A-Z]+)?\) ]]; do
    name=${BASH_REMATCH[1]}
    case $name in
      PLATFORM_NAME) value=${value//"\$($name)"/iphoneos} ;;
      IS_MACCATALYST) value=${value//"\$($name:default=NO)"/NO} ;;
      *) value=${value//"\$($name)"/$(sed -n "s/^$name = //p" "$1")} ;;
    esac
  done
  printf '%s' "$value" | tr -d '"'
}

# compile FOLDER [FILE]: compiles all sources, with the flags of the .xcconfig FILE if it is given. Two of the objects
# become a static library. Debug information, which Xcode adds, too, states the object file of each function.
compile() {
  local clang="" swift="" source
  if [[ $# == 2 ]]; then
    clang=$(setting "$2" OTHER_CFLAGS) swift=$(setting "$2" OTHER_SWIFT_FLAGS)
  fi
  mkdir -p "$1"
  for source in Sources/*.m Sources/*.c Sources/*.cpp; do
    clang -target arm64-apple-ios18.0 -isysroot "$sdk" -I"$root/Runtime/Recorder/include" -O1 -g $clang \
      -c "$source" -o "$1/$(basename "${source%.*}").o"
  done
  swiftc -target arm64-apple-ios18.0 -sdk "$sdk" -enable-experimental-feature Embedded -wmo \
    -parse-as-library -O -g $swift -c Sources/Greeting.swift -o "$1/Greeting.o"
  llvm-ar rc "$1/libStore.a" "$1/Store.o" "$1/Launch.o"
}

# link IMAGE FOLDER OPTION...
link() {
  local image=$1 folder=$2
  shift 2
  run ld64.lld-19 -arch arm64 -platform_version ios 18.0 18.0 -syslibroot "$sdk" -lSystem -lobjc \
    -dead_strip -ObjC -map "$image.map" -o "$image" "$@" \
    "$folder"/{main,AppDelegate,Theme,Greeting}.o "$folder/libStore.a"
}

step "the build to ship"
compile ship
link App-default ship -order_file empty.order

step "1. record: an instrumented build, launched once"
compile record orderfile/orderfile-record.xcconfig
link App-record record $(setting orderfile/orderfile-record.xcconfig OTHER_LDFLAGS_normal)
mkdir -p container/Documents
# Instead of a device, Tests/MachOEmulator launches the app: it simulates dyld and libSystem.
export PYTHONPATH=$root/.build/apple/python PYTHONDONTWRITEBYTECODE=1
emulate() { python3 "$root/Tests/MachOEmulator/run.py" --folder "$PWD" "$@"; }
run emulate --env HOME="$PWD/container" --env ORDERFILE_TRACE=app.oftrace App-record
cp container/Documents/app.oftrace .

step "2. order"
run "$ORDERFILE" gen app.oftrace --recorded App-record --image App-default --link-map App-default.map \
  -o orderfile/app.order
run cat orderfile/app.order

step "3. relink"
link App ship -order_file "$(setting orderfile/orderfile-order.xcconfig ORDER_FILE)"
run "$ORDERFILE" diff App-default App --trace app.oftrace --order orderfile/app.order

[[ $(emulate App) == "$(emulate App-default)" ]]
# The order file has code that runs before main, and both functions with the same name.
for line in '+[Launch load]' __GLOBAL__sub_I_Theme.cpp 'libStore.a(Store.o):_check' 'libStore.a(Launch.o):_check'; do
  grep -qxF -e "$line" orderfile/app.order || { echo "app.order has no line '$line'" >&2; exit 1; }
done
# The linker followed the order file: the new map begins with the functions of the order file, in its order. A map
# refers to object files by number.
awk -F '\t' '
  /^# / { part = $0; next }
  part == "# Object files:" { split($0, words, /\] */); number = words[1]; sub(/^\[ */, "", number)
    sub(/.*\//, "", words[2]); file[number] = words[2]; next }
  part ~ /^# Address/ && $3 ~ /^\[/ { number = $3; sub(/^\[ */, "", number); name = number
    sub(/\].*/, "", number); sub(/^[0-9]*\] /, "", name); print file[number] ":" name }' App.map >placed
grep -v '^#' orderfile/app.order >wanted
head -n "$(wc -l <wanted)" placed | awk -F : 'NR == FNR { wanted[NR] = $0; next }
  wanted[FNR] != $0 && wanted[FNR] != substr($0, index($0, ":") + 1) { print wanted[FNR] ", found " $0; bad = 1 }
  END { exit bad }' wanted - >&2
printf '\nApp.map: all %s entries of app.order come first and in order\n' "$(wc -l <wanted)"
