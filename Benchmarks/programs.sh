# Sourced by the scripts here: real programs, which they build and launch. $here is the scripts' folder.
#
# The sqlite3 shell, the redis server and CMake come from their public source packages. compile_PROGRAM FOLDER FLAG...
# compiles PROGRAM into an existing folder, as objects and archives; the shell with $CC. PROGRAM_libraries are its
# libraries, and PROGRAM_driver is the compiler that links it (clang, if it is not set). CMake has 12 MB of C++ with its
# own copies of all libraries, and takes about half an hour on two processors. The fourth program, orderfile, is the
# command itself, in Swift; build_orderfile builds it. The fifth, lld, is linked from prebuilt libraries. PROGRAM_launch is the command line of a launch
# that ends without help. launch_PROGRAM NAME COMMAND... IMAGE runs the launch NAME, with IMAGE after the words of
# COMMAND.
compile_sqlite3() {
  local sources flags file
  sources=$("$here/sqlite/sources.sh")
  read -ra flags <"$here/sqlite/flags"
  for file in sqlite3 shell; do ${CC:-clang} "${flags[@]}" "${@:2}" -c "$sources/$file.c" -o "$1/$file.o"; done
}
sqlite3_libraries=(-lm -lpthread -ldl)
sqlite3_launch=(-batch :memory: ".read $here/sqlite/launch.sql")
sqlite3_launches=(launch second)
launch_sqlite3() { "${@:2}" -batch :memory: ".read $here/sqlite/$1.sql"; }

compile_redis() { "$here/redis/compile.sh" "$@"; }
redis_libraries=(-lm -lpthread -ldl -rdynamic)
# Without a socket to listen on, the redis server ends once its startup is complete.
redis_launch=(--port 0 --save "")
# The launches of redis: two run from the start to SHUTDOWN, with two sets of commands; the third is the startup alone.
redis_launches=(server second startup)
launch_redis() {
  local client status=0
  if [[ $1 == startup ]]; then
    "${@:2}" "${redis_launch[@]}"
    return
  fi
  rm -f socket
  "$here/redis/client.py" socket "$1" &
  client=$!
  "${@:2}" --port 0 --unixsocket socket --save "" || status=$?
  kill $client
  wait $client 2>/dev/null || true
  return $status
}

# The archives stay archives: CMake's own libraries define some functions twice.
compile_cmake() {
  local source=$here/../.build/benchmark-cmake build=$1/build flags="${*:2}"
  [[ -d $source ]] || "$here/fetch-source" cmake "$source"
  mkdir -p "$build"
  {
    cmake -S "$source" -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_C_COMPILER=clang \
      -DCMAKE_CXX_COMPILER=clang++ "-DCMAKE_C_FLAGS=-ffunction-sections $flags" \
      "-DCMAKE_CXX_FLAGS=-ffunction-sections $flags" -DBUILD_TESTING=OFF -DCMAKE_USE_OPENSSL=OFF \
      -DBUILD_CursesDialog=OFF -DBUILD_QtDialog=OFF &&
      cmake --build "$build" --target cmake
  } >"$build.log" 2>&1 || { tail -n 20 "$build.log" >&2; return 1; }
  cp "$build"/Source/CMakeFiles/cmake.dir/*.o "$1"
  find "$build" -name '*.a' -exec cp {} "$1" \;
  rm -rf "$build"
}
cmake_driver=clang++
cmake_libraries=(-lpthread -ldl -lrt -lm)
cmake_launch=(-P "$here/cmake/launch.cmake")
cmake_launches=(launch second)
launch_cmake() { "${@:2}" -P "$here/cmake/$1.cmake"; }

# lld for ELF, with its usual 20 targets: 120 MB of C++ from the static libraries of Debian's llvm-19-dev, liblld-19-dev
# and libpolly-19-dev (500 MB), which were compiled with -ffunction-sections. Its launch links a static program.
compile_lld() {
  local llvm=/usr/lib/llvm-19
  clang++ -O2 -std=c++17 -ffunction-sections "-I$llvm/include" "${@:2}" -c "$here/lld/main.cpp" -o "$1/main.o" || return
  echo 'int main(void) { return 0; }' | clang -x c - -c -o linked.o
  lld_libraries=(-Wl,--gc-sections "-L$llvm/lib" -llldELF -llldCommon
    $("$llvm/bin/llvm-config" --link-static --libs all-targets lto option windowsdriver passes debuginfodwarf --system-libs))
  lld_launch=(-flavor gnu -static -o linked linked.o)
  local file
  for file in crt1.o crti.o libc.a libgcc.a libgcc_eh.a libc.a crtn.o; do lld_launch+=("$(gcc -print-file-name=$file)"); done
}
lld_driver=clang++
lld_launches=(launch)
launch_lld() { "${@:2}" "${lld_launch[@]}"; }

# The launches of orderfile read a copy of the command, called shown, and an order of it.
orderfile_launch=(show shown)
orderfile_launches=(show diff)
launch_orderfile() {
  case $1 in
    show) "${@:2}" "${orderfile_launch[@]}" ;;
    diff) "${@:2}" diff --json shown shown --order shown.order ;;
  esac
}

# build_orderfile IMAGE KIND OPTION...: builds the command, linked by lld with these options. KIND: plain; lto, with
# link-time optimization by LLVM; or temporal, which writes LLVM's temporal profile. Compiled objects are kept.
# --save-temp-labels gives symbols to functions that Swift leaves without one.
build_orderfile() {
  local image=$1 kind=$2 option options=() swift='"-use-ld=lld"' linker='"--build-id", "--no-warn-symbol-ordering"'
  local runtime folder=$here/../.build/benchmark-$2
  case $kind in
    plain) swift+=', "-Xfrontend", "-function-sections"' ;;
    lto)
      options=(--experimental-lto-mode=full)
      linker+=', "-mllvm", "--save-temp-labels"'
      ;;
    temporal)
      runtime=$(clang -print-resource-dir)/lib/linux/libclang_rt.profile-$(uname -m).a
      swift+=', "-Xfrontend", "-function-sections", "-Xfrontend", "-ir-profile-generate"'
      swift+=', "-Xllvm", "-pgo-temporal-instrumentation"'
      linker+=", \"-u__llvm_profile_runtime\", \"$runtime\""
      ;;
  esac
  for option in "${@:3}"; do linker+=", \"$option\""; done
  cat >toolset.json <<JSON
{ "schemaVersion": "1.0", "linker": { "extraCLIOptions": [$linker] },
  "swiftCompiler": { "extraCLIOptions": [$swift] },
  "cCompiler": { "extraCLIOptions": ["-ffunction-sections"] } }
JSON
  rm -f "$folder/release/orderfile"  # SwiftPM does not link again when only an order changes.
  # With its cached build manifest, SwiftPM often links with the options of the build before.
  swift build -c release --package-path "$here/.." --product orderfile --scratch-path "$folder" --toolset toolset.json \
    --disable-build-manifest-caching "${options[@]}" >build.log 2>&1 || { cat build.log >&2; return 1; }
  cp "$folder/release/orderfile" "$image"
}
