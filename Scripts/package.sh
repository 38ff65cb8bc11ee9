#!/bin/bash
# Builds the packages for machines of this architecture. The packaged command needs only the libraries of libc:
#   .build/packages/orderfile_VERSION_ARCHITECTURE.deb
#   .build/packages/orderfile-VERSION-linux-MACHINE.tar.gz
# usage: package.sh
set -euo pipefail
cd "$(dirname "$0")/.."
fail() { echo "package.sh: $*" >&2; exit 1; }
[[ $(uname) == Linux ]] || fail "expected Linux, found $(uname)"

version=$(sed -n 's/^package let toolVersion = "\(.*\)"$/\1/p' Sources/Features/Rendering/ToolVersion.swift)
machine=$(uname -m)
architecture=$(dpkg --print-architecture)
out=$PWD/.build/packages
export BUILD=$PWD/.build-static

# A folder with archives only: in this folder the linker can't find a shared library of the same name.
archives=$BUILD/archives built=$PWD/.build/release
mkdir -p "$archives" "$out" "$BUILD/release"
# Packages of another version would be checked and delivered, too.
rm -f "$out"/*.deb "$out"/*.tar.gz "$out"/*.debug
for name in dwarf elf expat iberty stdc++ z zstd; do
  archive=$(gcc -print-file-name="lib$name.a")
  [[ $archive == /* ]] || fail "missing lib$name.a: run 'Scripts/bootstrap.sh package' first"
  ln -sf "$archive" "$archives/"
done
for file in liborderfile-{pages,qemu,stages}.so generate-manual; do ln -sf "$built/$file" "$BUILD/release/$file"; done

# Links the objects of `make build` with archives. An archive does not list the archives that it needs, so `-l` names them.
# Packed relocations make the command 1.6 MB smaller, and need glibc 2.36.
link() { # link FILE OPTION...
  swiftc -static-stdlib -use-ld=lld -L "$archives" -emit-executable -module-name orderfile -gnone \
    @"$built/orderfile.product/Objects.LinkFileList" -liberty -ldwarf -lelf \
    -lFoundationEssentials -l_FoundationCollections -l_FoundationCShims \
    -Xlinker --defsym -Xlinker main=orderfile_main -Xlinker --gc-sections -Xlinker --icf=all \
    -Xlinker --no-export-dynamic -Xlinker -z -Xlinker pack-relative-relocs "${@:2}" -o "$1" >"$BUILD/package.log" 2>&1 ||
    { cat "$BUILD/package.log" >&2; exit 1; }
}

# Records four launches of the command by breakpoints, and links the command again with an order file of them.
unordered=$BUILD/orderfile command=$BUILD/release/orderfile
link "$unordered"
(
  cd "$BUILD"
  record() { "$unordered" record -q --breakpoints -o "$1.oftrace" -- "$unordered" "${@:2}" >/dev/null; }
  record version --version
  record show show version.oftrace
  record gen gen -q version.oftrace --image "$unordered" -o version.order
  record diff diff -q "$unordered" "$unordered" --trace version.oftrace
  "$unordered" gen -q {version,show,gen,diff}.oftrace --image "$unordered" -o orderfile.order
)
link "$command" -Xlinker "--symbol-ordering-file=$BUILD/orderfile.order" -Xlinker --no-warn-symbol-ordering
"$command" diff "$unordered" "$command" --trace="$BUILD"/{version,show,gen,diff}.oftrace >"$BUILD/package.log"
grep -E '^ *PAGES .*SAVED|TOTAL predicted|FAULTS  |cold: ' "$BUILD/package.log"

tree=$BUILD/tree
rm -rf "$tree"
DESTDIR=$tree Scripts/install.sh install /usr
mv "$tree/usr/bin/.debug/orderfile.debug" "$out/orderfile_${version}_$architecture.debug"
rmdir "$tree/usr/bin/.debug"
strip --strip-unneeded "$tree"/usr/lib/orderfile/*.so
strip --strip-debug "$tree"/usr/lib/orderfile_{rt,tasks}.o "$tree/usr/lib/liborderfile_rt.a"

needed=$(readelf -d "$tree/usr/bin/orderfile" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' |
  grep -vE '^(libc|libm|libgcc_s|ld-linux.*)\.so\.[0-9]+$' || true)
[[ -z $needed ]] || fail "the command needs" $needed
glibc=$( (objdump -T "$tree/usr/bin/orderfile" "$tree"/usr/lib/orderfile/*.so | grep -o 'GLIBC_[0-9.]*'; echo GLIBC_2.36) |
  sort -V | tail -n 1)
glibc=${glibc#GLIBC_}

# Packages of the same commit have the same date.
date=@${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
dated() { find "$1" -exec touch -h -d "$date" {} +; }

portable=$BUILD/orderfile-$version-linux-$machine
rm -rf "$portable"
cp -a "$tree/usr" "$portable"
cp LICENSE README.md CHANGELOG.md Scripts/package/copyright "$portable"
dated "$portable"
tar -C "$BUILD" --sort=name --owner=0 --group=0 --numeric-owner -cf - "${portable##*/}" |
  gzip -9n >"$out/${portable##*/}.tar.gz"

docs=$tree/usr/share/doc/orderfile
install -D -m 644 Scripts/package/copyright "$docs/copyright"
gzip -9n <CHANGELOG.md >"$docs/NEWS.gz"
maintainer=$(git log -1 --format='%an <%ae>')
printf 'orderfile (%s) unstable; urgency=medium\n\n  * Release %s: see NEWS.gz.\n\n -- %s  %s\n' \
  "$version" "$version" "$maintainer" "$(LC_ALL=C date -u -R -d "$date")" | gzip -9n >"$docs/changelog.gz"
install -D -m 644 Scripts/package/lintian-overrides "$tree/usr/share/lintian/overrides/orderfile"
gzip -9n "$tree"/usr/share/man/man1/*.1
mkdir -p "$tree/DEBIAN"
# In the replacement of sed's s command, a slash, an ampersand and a backslash are special.
literal=$(sed 's/[\/&]/\\&/g' <<<"$maintainer")
sed -e "s/@VERSION@/$version/" -e "s/@ARCHITECTURE@/$architecture/" -e "s/@GLIBC@/$glibc/" \
  -e "s/@MAINTAINER@/$literal/" -e "s/@SIZE@/$(du -sk "$tree/usr" | cut -f1)/" Scripts/package/control >"$tree/DEBIAN/control"
(cd "$tree" && find usr -type f -print0 | LC_ALL=C sort -z | xargs -0 md5sum) >"$tree/DEBIAN/md5sums"
chmod -R u=rwX,go=rX "$tree"
dated "$tree"
package=$out/orderfile_${version}_$architecture.deb
SOURCE_DATE_EPOCH=${date#@} dpkg-deb --root-owner-group -Zxz --build "$tree" "$package" >/dev/null

echo "needs glibc $glibc; the command has $(stat -c %s "$tree/usr/bin/orderfile") bytes"
stat -c '%n: %s bytes' "$package" "$out/${portable##*/}.tar.gz" | sed "s|^$PWD/||"
