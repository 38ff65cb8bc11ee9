#!/bin/bash
# Installs what is needed to build and run Mach-O images without a Mac:
#   .build/apple/sdk      Darwin's C headers and libSystem.tbd, and our own libobjc.tbd
#   .build/apple/python   the emulator unicorn, and lief
# usage: apple-sdk.sh
set -euo pipefail
cd "$(dirname "$0")/.."

# Pinned: newer releases list architectures that lld 19 does not know.
ziglang=0.15.2
unicorn=2.1.4
lief=1.0.0
folder=.build/apple
stamp=$folder/$(cksum Scripts/apple-sdk.sh Scripts/libobjc.tbd | cksum | cut -d' ' -f1)
[[ -e $stamp ]] && exit 0

echo "fetching Darwin's headers and the emulator from PyPI" >&2
rm -rf "$folder"
mkdir -p "$folder/download"
log=$folder/download/log
{
  python3 -m pip -q download --no-deps -d "$folder/download" "ziglang==$ziglang" &&
    python3 -m pip -q install --no-deps --target "$folder/python" "unicorn==$unicorn" "lief==$lief"
} >"$log" 2>&1 || { cat "$log" >&2; exit 1; }

python3 - "$folder" <<'END'
import glob, os, re, sys, zipfile
folder = sys.argv[1]
headers, stubs = "ziglang/lib/libc/include/any-macos-any/", "ziglang/lib/libc/darwin/libSystem.tbd"
with zipfile.ZipFile(glob.glob(folder + "/download/ziglang-*.whl")[0]) as wheel:
    for name in wheel.namelist():
        if name.startswith(headers) and not name.endswith("/"):
            path = folder + "/sdk/usr/include/" + name[len(headers):]
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "wb") as file:
                file.write(wheel.read(name))
    os.makedirs(folder + "/sdk/usr/lib")
    text = wheel.read(stubs).decode()
    with open(folder + "/sdk/usr/lib/libSystem.tbd", "w") as file:
        file.write(re.sub(r"\barm64-macos\b", "arm64-ios, arm64-macos", text))
END
cp Scripts/libobjc.tbd "$folder/sdk/usr/lib/libobjc.tbd"
rm -rf "$folder/download"
touch "$stamp"
