# Sourced by the scripts here: real programs from their public source packages. compile_PROGRAM FOLDER FLAG...
# compiles one into an existing folder; PROGRAM_libraries are its libraries, and PROGRAM_launch is the command line
# that launches it.
compile_sqlite3() {
  local sources flags file
  sources=$("$here/sqlite/sources.sh")
  read -ra flags <"$here/sqlite/flags"
  for file in sqlite3 shell; do clang "${flags[@]}" "${@:2}" -c "$sources/$file.c" -o "$1/$file.o"; done
}
sqlite3_libraries=(-lm -lpthread -ldl)
sqlite3_launch=(-batch :memory: ".read $here/sqlite/launch.sql")

compile_redis() { "$here/redis/compile.sh" "$@"; }
redis_libraries=(-lm -lpthread -ldl -rdynamic)
# Without a socket to listen on, it ends once its startup is complete.
redis_launch=(--port 0 --save "")
