#!/bin/bash
# Runs README's commands as a person with a new machine does: in a Debian that has all updates, Swift, the packages that
# Swift needs, and nothing else; as a user who may use sudo; in a clone of the last commit. Takes 20 to 40 minutes on
# two processors.
#   Debian 12: make demo, make test      Debian 13: make demo, make quick
# The toolchain of this machine, and each folder that git's url.*.insteadOf names, is mounted read-only.
# usage: test-fresh.sh [bookworm|trixie ...]      needs root, as debootstrap, mount and chroot do
set -euo pipefail
cd "$(dirname "$0")/.."
fail() { echo "test-fresh.sh: $*" >&2; exit 1; }
((EUID == 0)) || fail 'debootstrap, mount and chroot need root: run it with sudo'
command -v debootstrap >/dev/null || fail "missing debootstrap: run 'Scripts/bootstrap.sh package' first"
# Mounts and processes are in namespaces, which end with the inner script, however it ends. The outer script sees none
# of the mounts, and removes the folder.
if [[ -z ${TEST_FRESH-} ]]; then
  TEST_FRESH=$(mktemp -d)
  export TEST_FRESH
  trap 'rm -rf --one-file-system "$TEST_FRESH"' EXIT
  unshare --mount --pid --fork --kill-child --mount-proc "$0" "$@"
  exit
fi

root=$PWD work=$TEST_FRESH
swift=$(dirname "$(dirname "$(readlink -f "$(command -v swiftc)")")")
logs=$root/.build/fresh
mkdir -p "$logs"
suites=("$@")
(($#)) || suites=(bookworm trixie)

# A separate clone, without files that make has written and without changes that are not committed.
git clone -q --no-hardlinks "$root" "$work/clone"
git config --get-regexp '^url\..*\.insteadof$' >"$work/urls" || true

prepare() { # prepare SUITE FOLDER: makes the system that a person has before README's first command
  local suite=$1 system=$2 library
  case $suite in
    bookworm) library=libstdc++-12-dev ;;
    trixie) library=libstdc++-14-dev ;;
    *) fail "unknown suite '$suite': expected bookworm or trixie" ;;
  esac
  mkdir "$system"
  mount -t overlay -o "lowerdir=$("$root/Scripts/debian-base.sh" "$suite"),upperdir=$upper,workdir=$layer" overlay "$system"
  mount -t proc proc "$system/proc"
  mount --rbind /sys "$system/sys"
  mount --rbind /dev "$system/dev"
  mount -t tmpfs tmpfs "$system/dev/shm"
  mkdir -p "$system/opt/swift/usr"
  mount --bind -o ro "$swift" "$system/opt/swift/usr"
  cp /etc/resolv.conf /etc/hosts "$system/etc/"
  cp /etc/ssl/certs/ca-certificates.crt "$system/tmp/certificates"  # also of a proxy that this machine trusts
  printf 'deb http://deb.debian.org/debian %s main\n' "$suite" "$suite-updates" >"$system/etc/apt/sources.list"
  printf 'deb http://deb.debian.org/debian-security %s-security main\n' "$suite" >>"$system/etc/apt/sources.list"
  inside root 'apt-get -qq update && apt-get -qq -y dist-upgrade &&
    apt-get -qq -y --no-install-recommends install ca-certificates make sudo \
      binutils-gold gcc git libcurl4-openssl-dev libedit-dev libicu-dev libncurses-dev libpython3-dev libsqlite3-dev \
      '$library' libxml2-dev pkg-config tzdata uuid-dev &&
    cat /tmp/certificates >/etc/ssl/certs/ca-certificates.crt &&
    useradd -m -s /bin/bash person && echo "person ALL=(ALL) NOPASSWD: ALL" >/etc/sudoers.d/person'
  cp -r "$work/clone" "$system/home/person/orderfile"
  while read -r key from; do
    to=${key#url.} to=${to%.insteadof}
    git config -f "$system/etc/gitconfig" --add "url.$to.insteadOf" "$from"
    [[ -d $to && ! -e $system/$to ]] || continue
    mkdir -p "$system/$to"
    mount --bind -o ro "$to" "$system/$to"
    git config -f "$system/etc/gitconfig" --add safe.directory '*'
  done <"$work/urls"
  inside root 'chown -R person: /home/person/orderfile'
}

inside() { # inside USER COMMANDS
  local settings=(PATH=/opt/swift/usr/bin:/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin LANG=C.UTF-8
    DEBIAN_FRONTEND=noninteractive "HOME=$(sed -n "s|^$1:[^:]*:[^:]*:[^:]*:[^:]*:\([^:]*\):.*|\1|p" "$system/etc/passwd")")
  local name
  for name in http_proxy https_proxy no_proxy PIP_INDEX_URL PIP_CERT PIP_DEFAULT_TIMEOUT; do
    [[ -z ${!name-} ]] || settings+=("$name=${!name}")
  done
  chroot --userspec="$1" "$system" /usr/bin/env -i "${settings[@]}" /bin/bash -c "cd ~; $2" </dev/null
}

status=0
for suite in "${suites[@]}"; do
  system=$work/$suite upper=$work/$suite.upper layer=$work/$suite.work
  mkdir "$upper" "$layer"
  prepare "$suite" "$system" >"$logs/$suite.txt" 2>&1 || { tail -n 20 "$logs/$suite.txt" >&2; fail "$suite: preparation"; }
  commands=('make demo' 'make test')
  [[ $suite == bookworm ]] || commands=('make demo' 'make quick')
  for command in "${commands[@]}"; do
    start=$SECONDS
    if inside person "cd orderfile && $command" >"$logs/$suite-${command#make }.txt" 2>&1; then
      echo "$suite: $command: $((SECONDS - start)) s: $(tail -n 1 "$logs/$suite-${command#make }.txt")"
    else
      tail -n 40 "$logs/$suite-${command#make }.txt" >&2
      echo "$suite: $command FAILED: .build/fresh/$suite-${command#make }.txt" >&2
      status=1
    fi
  done
done
exit $status
