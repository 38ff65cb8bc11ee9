#!/bin/bash
# Installs the packages that package.sh has built into folders with bare Debian 12 and 13, and uses the command there.
# Needs root, as debootstrap does.
set -euo pipefail
cd "$(dirname "$0")/.."
packages=$PWD/.build/packages
fail() { echo "check-package.sh: $*" >&2; exit 1; }
((EUID == 0)) || { echo 'excused: debootstrap and chroot need root'; exit 0; }

deb=$(echo "$packages"/*.deb) tar=$(echo "$packages"/*.tar.gz)
lintian --allow-root --fail-on error,warning --tag-display-limit 0 "$deb"

work=$(mktemp -d)
mounted=()
clean() {
  for folder in "${mounted[@]}"; do umount "$folder" || true; done
  rm -rf "$work"
}
trap clean EXIT

# A program that starts other programs in each way that libc has. `pages` has to follow all of them.
gcc -O1 -g -ffunction-sections -Wl,--build-id -o "$work/app" -x c - <<'END'
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
extern char **environ;
__attribute__((noinline)) static int spawned(void) {
  char *words[] = {"true", NULL};
  pid_t child;
  int status;
  if (posix_spawn(&child, "/bin/true", NULL, NULL, words, environ) != 0) return -1;
  return waitpid(child, &status, 0) == child ? status : -1;
}
__attribute__((noinline)) static int read_from_a_child(void) {
  char line[8] = "";
  FILE *file = popen("echo yes", "r");
  if (file == NULL || fgets(line, sizeof line, file) == NULL) return -1;
  return pclose(file) == 0 && line[0] == 'y' ? 0 : -1;
}
__attribute__((noinline)) static int forked(void) {
  int status;
  pid_t child = fork();
  if (child == 0) _exit(0);
  return waitpid(child, &status, 0) == child ? status : -1;
}
int main(void) {
  printf("system %d, spawn %d, popen %d, fork %d\n", system("true"), spawned(), read_from_a_child(), forked());
  return 0;
}
END
said='system 0, spawn 0, popen 0, fork 0'
[[ $("$work/app") == "$said" ]] || fail "the program fails by itself"

for suite in bookworm trixie; do
  base=$(Scripts/debian-base.sh "$suite")
  root=$work/$suite
  cp -a "$base" "$root"
  mount -t proc proc "$root/proc"
  mounted+=("$root/proc")
  cp "$work/app" "$deb" "$root/tmp/"
  mkdir "$root/opt/orderfile"
  tar -C "$root/opt/orderfile" --strip-components 1 -xf "$tar"
  inside() { chroot "$root" /usr/bin/env -i PATH=/usr/bin:/bin:/usr/sbin:/sbin HOME=/root "$@"; }

  inside dpkg -i "/tmp/${deb##*/}" >"$work/log" 2>&1 || { cat "$work/log" >&2; fail "dpkg -i on $suite"; }
  for command in orderfile /opt/orderfile/bin/orderfile; do
    for method in preload ptrace; do
      printed=$(inside "$command" pages --method $method -o /tmp/pages.json -- /tmp/app) ||
        fail "$suite: $command pages --method $method: status $?"
      [[ $printed == *"$said"* ]] || fail "$suite: $command pages --method $method: the program printed: $printed"
    done
    printed=$(inside "$command" record --quiet --breakpoints -o /tmp/app.oftrace -- /tmp/app) ||
      fail "$suite: $command record: status $?"
    [[ $printed == "$said" ]] || fail "$suite: $command record: the program printed: $printed"
    inside "$command" gen /tmp/app.oftrace -o /tmp/app.order 2>"$work/log" ||
      { cat "$work/log" >&2; fail "$suite: $command gen"; }
    for function in main spawned forked; do
      grep -q "$function" "$root/tmp/app.order" || fail "$suite: $command gen: missing $function"
    done
    rm "$root"/tmp/app.o*
  done
  [[ $(inside cargo-orderfile orderfile --help) == *'cargo orderfile'* ]] || fail "$suite: cargo-orderfile"
  inside dpkg --purge orderfile >/dev/null 2>&1 || fail "$suite: dpkg --purge"
  left=$(cd "$root" && find usr -name '*orderfile*')
  [[ -z $left ]] || fail "$suite: dpkg --purge left" $left
  echo "$suite: glibc $(inside ldd --version | sed -n '1s/.* //p'): installed, ran and removed"
done
