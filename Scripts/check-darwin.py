#!/usr/bin/env python3
"""Type-checks the Swift targets below the storey `Command` for macOS, without a Mac.

usage: check-darwin.py [PACKAGE]

The manifest says what to check: each library target in Swift that depends on no other package. It also has the targets'
settings and the oldest macOS, so that the use of a newer function is an error. The C declarations come from Darwin's
headers, which Scripts/apple-sdk.sh fetches; Scripts/darwin has the module map, and the few declarations that Apple's
Swift code adds. The standard library is the compiler's library for Linux. Its modules name a target of Linux, which the
compiler would refuse, so copies of the modules name a target of macOS. Therefore the check knows nothing of
Objective-C, and only checks types: it makes no code, links nothing and runs nothing.

A target is checked again only if its files, its dependencies or the compiler have changed.
"""

import concurrent.futures
import hashlib
import json
import os
import pathlib
import shutil
import subprocess
import sys

if sys.platform == "darwin":
    sys.exit(0)  # The build itself checks these types.
scripts = pathlib.Path(__file__).resolve().parent
root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else scripts.parent).resolve()
sdk = scripts.parent / ".build/apple/sdk"
out = root / ".build/darwin"
# The headers of libraries that macOS or Homebrew has. They are the same on each system.
foreign = ["expat.h", "expat_config.h", "expat_external.h", "xxhash.h", "zstd.h", "zstd_errors.h"]
# The modules of Swift that the targets import, and the modules that each Swift file imports implicitly.
standard = ["Swift", "_Concurrency", "_StringProcessing", "_RegexParser", "SwiftOnoneSupport", "Dispatch"]


def output(*command):
    result = subprocess.run(command, capture_output=True, text=True, cwd=root)
    if result.returncode:
        sys.exit(f"check-darwin.py: {' '.join(command)} failed:\n{result.stderr}")
    return result.stdout


def applies(condition):
    """Whether a setting or dependency of the manifest is for a debug build on macOS."""
    if not condition:
        return True
    platforms = condition.get("platformNames") or ["macos"]
    return "macos" in platforms and condition.get("config") != "release"


class Target:
    def __init__(self, manifest):
        self.name = manifest["name"]
        self.folder = root / (manifest.get("path") or f"Sources/{self.name}")
        self.is_library = manifest["type"] == "regular"
        self.dependencies = []
        self.needs_package = False
        for dependency in manifest["dependencies"]:
            (kind, value) = next(iter(dependency.items()))
            if kind == "product":
                self.needs_package = True
            elif applies(value[1]):
                self.dependencies.append(value[0])
        self.resources = [resource["path"] for resource in manifest["resources"]]
        self.flags = []
        for setting in manifest["settings"]:
            if setting["tool"] == "swift" and applies(setting.get("condition")):
                self.flags += flags(setting["kind"])
        self.sources = sorted(self.folder.rglob("*.swift"))

    def files(self):
        """The files on which the target's module depends: its Swift sources, or its headers."""
        headers = [path for path in self.folder.rglob("*") if path.suffix in (".h", ".modulemap")]
        return self.sources or sorted(headers)

    def headers(self):
        """The folder of a C target's headers, and its module map."""
        folder = self.folder / "include"
        folder = folder if folder.is_dir() else self.folder
        module_map = folder / "module.modulemap"
        if not module_map.exists():
            module_map = out / f"{self.name}.modulemap"
            module_map.write_text(f'module {self.name} {{ umbrella "{folder}" export * }}\n')
        return folder, module_map


def flags(kind):
    """The compiler's options for a setting of the manifest."""
    ((name, value),) = kind.items()
    value = value["_0"]
    if name == "treatAllWarnings":
        return ["-warnings-as-errors"] if value == "error" else []
    if name == "enableUpcomingFeature":
        return ["-enable-upcoming-feature", value]
    if name == "enableExperimentalFeature":
        return ["-enable-experimental-feature", value]
    if name == "define":
        return ["-D", value]
    if name == "unsafeFlags":
        return [flag for flag in value if flag != "-Xfrontend"]
    sys.exit(f"check-darwin.py: the setting {name} is unknown: add its options to this script")


# A folder of its own, because a build that runs at the same time locks the usual one.
package = ["swift", "package", "--scratch-path", ".build/darwin/package"]
manifest = json.loads(output(*package, "dump-package"))
targets = {target["name"]: Target(target) for target in manifest["targets"]}
versions = {platform["platformName"]: platform["version"] for platform in manifest["platforms"]}
info = json.loads(output("swiftc", "-print-target-info"))
host = info["target"]["moduleTriple"]
architecture = {"aarch64": "arm64"}.get(info["target"]["arch"], info["target"]["arch"])
# SwiftPM's oldest macOS, if the manifest states none.
triple = f"{architecture}-apple-macosx{versions.get('macos', '10.13')}"
compiler = ["swiftc", "-frontend", "-emit-module", "-parse-as-library", "-target", triple]
compiler += ["-disable-objc-interop", "-sdk", str(sdk), "-module-cache-path", str(out / "cache")]
compiler += ["-I", str(out), "-I", str(scripts / "darwin"), "-I", str(out / "headers")]
compiler += ["-swift-version", manifest["toolsVersion"]["_version"].split(".")[0]]


def closure(name, seen):
    for dependency in targets[name].dependencies:
        if dependency not in seen:
            closure(dependency, seen)
            seen.append(dependency)
    return seen


def is_checked(target):
    """Whether the target is a library in Swift, of this project's command or runtime, without other packages."""
    tests = target.folder.is_relative_to(root / "Tests")
    needs_package = any(targets[name].needs_package for name in [target.name, *closure(target.name, [])])
    return target.is_library and target.sources and not tests and not needs_package


def digest(*parts):
    whole = hashlib.sha256()
    for part in parts:
        part = part if isinstance(part, bytes) else str(part).encode()
        whole.update(b"%d:" % len(part) + part)
    return whole.hexdigest()


def contents(paths):
    return [part for path in paths for part in (path.name, path.read_bytes())]


def compile(module, key, options, sources):
    """Checks a module, unless `key` is the key of the last check. Returns what the compiler says, or None."""
    stamp = out / f"{module}.key"
    if stamp.exists() and stamp.read_text() == key:
        return None
    stamp.unlink(missing_ok=True)
    command = [*compiler, "-module-name", module, "-o", str(out / f"{module}.swiftmodule"), *options]
    result = subprocess.run([*command, *map(str, sources)], capture_output=True, text=True, cwd=root)
    if result.returncode:
        return result.stderr or f"check-darwin.py: {module}: the compiler ended with {result.returncode}\n"
    stamp.write_text(key)
    return None


def copy_standard_library():
    """Makes the copies of the standard library's modules that name a target of macOS."""
    other = f"{architecture}-apple-macosx11."
    # The name has the same number of bytes, because the module stores lengths: 11.00 is 11.0.
    other += "0" * (len(host) - len(other))
    for module in standard:
        for folder in info["paths"]["runtimeLibraryImportPaths"]:
            original = pathlib.Path(folder) / f"{module}.swiftmodule/{host}.swiftmodule"
            if original.exists():
                break
        data = original.read_bytes()
        if data.count(host.encode()) != 1:
            sys.exit(f"check-darwin.py: {original} names its target {data.count(host.encode())} times, not once")
        copy = out / f"{module}.swiftmodule/{architecture}-apple-macos.swiftmodule"
        copy.parent.mkdir(exist_ok=True)
        copy.write_bytes(data.replace(host.encode(), other.encode()))


def link_headers():
    """Links the headers of `foreign`, but no other header of the folders in which the compiler for Linux finds them."""
    folder = out / "headers"
    folder.mkdir(exist_ok=True)
    found = subprocess.run(["clang", "-E", "-x", "c", "-v", os.devnull], capture_output=True, text=True).stderr
    folders = [pathlib.Path(line.strip()) for line in found.splitlines() if line.startswith(" /")]
    for name in foreign:
        path = next((folder / name for folder in folders if (folder / name).exists()), None)
        link = folder / name
        link.unlink(missing_ok=True)
        if path:
            link.symlink_to(path)


def options_of(target):
    """The compiler's options for the target: its settings, its C dependencies, its embedded resources."""
    result = ["-package-name", manifest["name"], *target.flags]
    for name in closure(target.name, []):
        if not targets[name].sources:
            folder, module_map = targets[name].headers()
            result += ["-Xcc", f"-fmodule-map-file={module_map}", "-I", str(folder)]
    return result


def resources(target):
    """The file that declares the target's embedded resources, as SwiftPM would write it, without their bytes."""
    if not target.resources:
        return []
    path = out / f"{target.name}-resources.swift"
    names = ["".join(c if c.isalnum() else "_" for c in pathlib.Path(name).name) for name in target.resources]
    lines = "".join(f"  static let {name}: [UInt8] = []\n" for name in names)
    path.write_text(f"struct PackageResources {{\n{lines}}}\n")
    return [path]


def main():
    if not sdk.exists():
        sys.exit("check-darwin.py: Darwin's headers are missing: run 'make apple-sdk'")
    darwin = sorted((scripts / "darwin").iterdir())
    base = digest(info["compilerVersion"], *compiler, *contents([pathlib.Path(__file__), *darwin]))
    stamp = out / "base.key"
    if not stamp.exists() or stamp.read_text() != base:
        shutil.rmtree(out, ignore_errors=True)
        out.mkdir(parents=True)
        copy_standard_library()
        link_headers()
    for source in sorted((scripts / "darwin").glob("*.swift")):
        options = ["-import-underlying-module"] if source.stem == "Darwin" else []
        if problem := compile(source.stem, base, options, [source]):
            sys.exit(problem)
    stamp.write_text(base)

    names = [name for name, target in targets.items() if is_checked(target)]
    if not names:
        sys.exit("check-darwin.py: the manifest has no target to check")
    keys = {}

    def key(name):
        if name not in keys:
            target = targets[name]
            below = [key(dependency) for dependency in target.dependencies]
            keys[name] = digest(base, *below, *target.flags, *target.resources, *contents(target.files()))
        return keys[name]

    # A target waits for its dependencies. Without a dependency's module, the compiler would take minutes, and report
    # false errors.
    remaining = {name: {n for n in closure(name, []) if n in names} for name in names}
    running, failed = {}, []
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        while remaining or running:
            for name in [name for name, waiting in remaining.items() if not waiting]:
                target = targets[name]
                sources = [*target.sources, *resources(target)]
                running[pool.submit(compile, name, key(name), options_of(target), sources)] = name
                del remaining[name]
            if not running:
                break
            done, _ = concurrent.futures.wait(running, return_when=concurrent.futures.FIRST_COMPLETED)
            for future in done:
                name = running.pop(future)
                if problem := future.result():
                    print(problem, file=sys.stderr, end="")
                    failed.append(name)
                    continue
                for waiting in remaining.values():
                    waiting.discard(name)
    if failed:
        print(f"check-darwin.py: errors for {triple} in {', '.join(failed)}", file=sys.stderr)
        if remaining:
            print(f"check-darwin.py: not checked, because of these: {', '.join(remaining)}", file=sys.stderr)
        sys.exit(1)


main()
