#!/usr/bin/env bash
# On a Mac: builds the app with xcodebuild, with two packages that each have a function `check`, launches it in a
# simulator, orders it, and builds it again. Needs Xcode, XcodeGen, `make build`, and bash 4 or later. Nobody has run
# this script yet.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
orderfile=$root/.build/release/orderfile
for program in xcodebuild xcodegen xcrun python3 "$orderfile"; do
  command -v "$program" >/dev/null || { echo "xcode.sh: missing $program" >&2; exit 1; }
done
make -s -C "$root" runtime-darwin
folder=$root/.build/xcode
rm -rf "$folder"
mkdir -p "$folder"
cd "$folder"
cp -r "$here/Sources" .

# package NAME: a package of two targets. NAME is in Swift; it calls CNAME, in C, which has a local function `check`.
package() {
  local name=$1
  mkdir -p "$name/Sources/$name" "$name/Sources/C$name/include"
  cat >"$name/Package.swift" <<END
// swift-tools-version: 6.0
import PackageDescription
let package = Package(
  name: "$name", platforms: [.iOS(.v18)], products: [.library(name: "$name", targets: ["$name"])],
  targets: [.target(name: "C$name"), .target(name: "$name", dependencies: ["C$name"])])
END
  cat >"$name/Sources/C$name/check.c" <<END
#include "C$name.h"
static volatile int wanted = ${#name};
__attribute__((noinline)) static int check(int found) { return found == wanted; }
int c_$name(int found) { return check(found) ? 1 : 2; }
END
  echo "int c_$name(int found);" >"$name/Sources/C$name/include/C$name.h"
  cat >"$name/Sources/$name/$name.swift" <<END
import C$name
@inline(never) public func start$name(_ count: Int32) -> Int32 { c_$name(count) }
END
}
package Left
package Right
cat >Sources/Packages.swift <<'END'
import Left
import Right
@_cdecl("start_packages") public func startPackages(_ count: Int32) -> Int32 {
  startLeft(count) + startRight(count)
}
END
cat >Sources/Start.m <<'END'
#import <Foundation/Foundation.h>
int start_packages(int count);
@interface Start : NSObject
@end
@implementation Start
+ (void)load {
  start_packages(4);
}
@end
END
cat >project.yml <<END
name: App
packages:
  Left: {path: Left}
  Right: {path: Right}
targets:
  App:
    type: application
    platform: iOS
    deploymentTarget: "18.0"
    sources: [Sources]
    dependencies: [{package: Left}, {package: Right}]
    settings:
      CODE_SIGNING_ALLOWED: NO
      GENERATE_INFOPLIST_FILE: YES
      HEADER_SEARCH_PATHS: $root/Runtime/Recorder/include
      PRODUCT_BUNDLE_IDENTIFIER: com.example.app
END
xcodegen generate --quiet

# The first iPhone that Xcode has; the architecture of the simulator is this Mac's.
device=$(xcrun simctl list devices available -j | python3 -c '
import json, sys
devices = [d for list in json.load(sys.stdin)["devices"].values() for d in list]
print(next(d["udid"] for d in devices if d["name"].startswith("iPhone")))')
"$orderfile" init --print xcode -o orderfile --recorder "$root/.build/runtime"

# build NAME: builds with the settings of orderfile-NAME.xcconfig into the folder NAME.
build() {
  XCODE_XCCONFIG_FILE=$folder/orderfile/orderfile-$1.xcconfig xcodebuild build -quiet -project App.xcodeproj \
    -scheme App -configuration Release -destination "id=$device" -derivedDataPath "$1"
}
products() { echo "$1/Build/Products/Release-iphonesimulator/App.app"; }

echo "# 1. record"
build record
for image in "$(products record)/App"; do "$orderfile" show "$image"; done
xcrun simctl boot "$device" || true
xcrun simctl bootstatus "$device" -b
xcrun simctl install "$device" "$(products record)"
SIMCTL_CHILD_ORDERFILE_TRACE=app.oftrace xcrun simctl launch --terminate-running-process "$device" com.example.app
trace=$(xcrun simctl get_app_container "$device" com.example.app data)/Documents/app.oftrace
for ((tries = 60; tries > 0; tries--)); do
  [[ -s $trace ]] && "$orderfile" show "$trace" --json 2>/dev/null | grep -q 'first screen' && break
  sleep 1
done
cp "$trace" .

echo "# 2. order"
build order
cp "$(products order)/App" App-default
map=$(echo order/Build/Intermediates.noindex/App.build/Release-iphonesimulator/App.build/App-LinkMap-normal-*.txt)
"$orderfile" gen app.oftrace --recorded "$(products record)/App" --image App-default --link-map "$map" \
  -o orderfile/app.order
cat orderfile/app.order

echo "# 3. relink"
build order
"$orderfile" diff App-default "$(products order)/App" --trace app.oftrace --order orderfile/app.order
"$orderfile" verify orderfile/app.order --image "$(products order)/App" --link-map "$map"

# Functions of the app, of both packages and of code that runs before main, and a function of all three names.
for name in '+[Launch load]' '+[Start load]' startLeft startRight _c_Left _c_Right _check; do
  grep -qF -e "$name" orderfile/app.order || { echo "xcode.sh: app.order has no '$name'" >&2; exit 1; }
done
