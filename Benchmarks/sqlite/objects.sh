# Sourced by the scripts here: makes a temporary folder with the objects of the sqlite3 shell, plain ({sqlite3,shell}.o)
# and instrumented ({sqlite3,shell}.record.o). Flags: ./flags, and the arguments.
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
orderfile=${ORDERFILE:-$root/.build/release/orderfile}
runtime=${ORDERFILE_RUNTIME:-$root/.build/runtime/orderfile_rt.o}
sources=$("$here/sources.sh")
read -ra flags <"$here/flags"
libraries=(-lm -lpthread -ldl)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

build_objects() { # build_objects FLAG...
  local file
  for file in sqlite3 shell; do
    clang "${flags[@]}" "$@" -c "$sources/$file.c" -o "$file.o" &
    clang "${flags[@]}" "$@" -fsanitize-coverage=func,trace-pc-guard,pc-table \
      -c "$sources/$file.c" -o "$file.record.o" &
    wait
  done
}
