// The scripts that run on the other machine, for any POSIX shell. Scripts are the standard input of `sh`, or files, so
// that the login shell, which may be any shell, gets only plain words.

import Rendering

/// The text of a script. Words are bytes, because arguments need not be UTF-8.
struct RemoteScript {
  private(set) var bytes: [UInt8] = []

  mutating func add(_ text: String) { bytes += Array(text.utf8) }

  /// Adds `word` in quotes, so that the shell takes each byte literally.
  mutating func add(word: [UInt8]) {
    bytes.append(UInt8(ascii: "'"))
    for byte in word {
      if byte == UInt8(ascii: "'") { add("'\\''") } else { bytes.append(byte) }
    }
    bytes.append(UInt8(ascii: "'"))
  }

  mutating func add(word: String) { add(word: Array(word.utf8)) }

  /// Adds the assignment of `word` to the variable `name`.
  fileprivate mutating func assign(_ word: [UInt8], to name: String) {
    add("\(name)=")
    add(word: word)
    add("\n")
  }

  /// Adds the variables to the environment.
  fileprivate mutating func export(_ variables: [(name: String, value: String)]) {
    for (name, value) in variables {
      assign(Array(value.utf8), to: name)
      add("export \(name)\n")
    }
  }
}

extension RemoteScript {
  /// The beginning of each line that a script prints for this process. Other lines come from the login shell.
  static let answer = "orderfile: "

  /// The script that checks the launch, and makes the folder for its traces. It answers with the folder, or with what is
  /// missing.
  ///
  /// - Parameter launch: the script `launching`, which it writes to the folder.
  static func preparing(
    _ program: [UInt8], folder: String?, needsCommand: Bool, launch: RemoteScript
  ) -> RemoteScript {
    var script = RemoteScript()
    // A login shell may have printed the beginning of a line.
    script.add("umask 077\nanswer() { printf '\\n%s%s\\n' '\(answer)' \"$1\"; exit 0; }\n")
    script.assign(program, to: "program")
    script.add(findingProgram(in: folder))
    script.add(
      """
      case $program in
        */*) [ -f "$program" ] && [ -x "$program" ] || answer 'no program' ;;
        *) command -v "$program" >/dev/null 2>&1 || answer 'no program' ;;
      esac

      """)
    if needsCommand {
      script.add(
        """
        version=$(orderfile --version 2>/dev/null | sed 1q) || version=
        case $version in
          'orderfile \(toolVersion)' | 'orderfile \(toolVersion) '*) ;;
          *) answer "version $version" ;;
        esac

        """)
    }
    script.add(
      """
      folder=$(mktemp -d "${TMPDIR:-/tmp}/orderfile.XXXXXX") || answer 'no temporary folder'
      mkdir "$folder/traces" && printf %s
      """)
    script.add(" ")
    script.add(word: launch.bytes)
    script.add(
      " >\"$folder/launch\" || { rm -rf \"$folder\"; answer 'no temporary folder'; }\nanswer \"folder $folder\"\n"
    )
    return script
  }

  /// Goes to the folder of the launch. A path of the program counts from the folder before.
  private static func findingProgram(in folder: String?) -> String {
    guard let folder else { return "" }
    var script = RemoteScript()
    script.assign(Array(folder.utf8), to: "place")
    script.add(
      """
      case $program in
        /*) ;;
        */*) program=$PWD/$program ;;
      esac
      CDPATH= cd -- "$place" 2>/dev/null || answer 'no folder'

      """)
    return String(decoding: script.bytes, as: UTF8.self)
  }

  /// The script that runs the launch, as a file in the folder for its traces. Its exit status is the program's.
  ///
  /// A process beside the program ends the launch if the connection ends, or if the script `fetching` asks for it. The
  /// program is in the process group of the script: sshd starts a session for each command. In all cases the folder is
  /// removed, at the latest a minute after the end.
  ///
  /// - Parameters:
  ///   - program: the program and its arguments.
  ///   - recorder: the words before the program: the command that records it; empty if the program records itself. The
  ///     variable `traces` is the path of the trace.
  static func launching(
    _ program: [[UInt8]], folder: String?, variables: [(name: String, value: String)],
    recorder: [String], traceName: String, settings: [(name: String, value: String)]
  ) -> RemoteScript {
    var script = RemoteScript()
    script.add("folder=${0%/*}\n")
    script.assign(Array(traceName.utf8), to: "name")
    script.assign(program[0], to: "program")
    script.add(watching)
    script.add("answer() { exit 127; }\n")
    script.add(findingProgram(in: folder))
    script.add("traces=$folder/traces/$name\nset -- \"$program\"")
    for word in program.dropFirst() {
      script.add(" ")
      script.add(word: word)
    }
    script.add("\n")
    if !recorder.isEmpty {
      script.add("set -- ")
      for word in recorder {
        script.add(word: word)
        script.add(" ")
      }
      script.add("-o \"$traces\" -- \"$@\"\n")
    }
    // In the path of a trace, a percent sign begins a placeholder.
    script.add(
      """
      set -- "$(command -v sh)" "$folder" "$(printf %s "$traces" | sed 's/%/%%/g')" "$@"
      (

      """)
    // The variables may have names of this script, and replace PATH: from here on only words count.
    script.export(variables)
    if recorder.isEmpty {
      script.add("ORDERFILE_TRACE=$3\nexport ORDERFILE_TRACE\n")
      script.export(settings)
    }
    script.add(
      """
      exec "$1" -c 'echo $$ >"$1/program" && shift 2 && exec "$@"' "$@" <&3 >&4 2>&5 3<&- 4>&- 5>&-
      )
      status=$?
      echo "$status" >"$folder/status.new" && mv "$folder/status.new" "$folder/status"
      exit "$status"

      """)
    return script
  }

  /// Starts the process beside the program. The script outlives signals to its group, so that it has the exit status of
  /// the program.
  private static let watching = """
    nap() { sleep 0.1 2>/dev/null || sleep 1; }
    watch() {
      exec 3<&- 4>&- 5>&-
      trap '' HUP INT TERM
      server=$PPID
      kill -0 "$server" 2>/dev/null || server=
      while [ ! -e "$folder/end" ] && [ ! -e "$folder/status" ]; do
        [ -z "$server" ] || kill -0 "$server" 2>/dev/null || break
        nap
      done
      if [ ! -e "$folder/status" ]; then
        : >"$folder/ended"
        kill -s TERM 0
        count=0
        while [ ! -e "$folder/status" ] && [ "$count" -lt 20 ]; do nap; count=$((count + 1)); done
        [ -e "$folder/status" ] || kill -s KILL "$(cat "$folder/program")"
      fi
      ended=
      [ ! -e "$folder/ended" ] || ended=1
      count=0
      while [ -d "$folder" ] && [ ! -e "$folder/fetched" ] && [ "$count" -lt 600 ]; do nap; count=$((count + 1)); done
      [ -e "$folder/fetched" ] || rm -rf "$folder"
      [ -z "$ended" ] || kill -s KILL 0
    }
    : >"$folder/launched"
    trap : HUP INT PIPE TERM
    exec 3<&0 4>&1 5>&2 </dev/null >/dev/null 2>&1
    watch &

    """

  /// The script that ends the launch unless it has ended, sends its traces, and removes the folder.
  static func fetching(_ folder: String, traceName: String) -> RemoteScript {
    var script = RemoteScript()
    script.assign(Array(folder.utf8), to: "folder")
    script.assign(Array(traceName.utf8), to: "name")
    script.add(
      """
      nap() { sleep 0.1 2>/dev/null || sleep 1; }
      cd "$folder/traces" || exit 1
      : >"$folder/end"
      count=0
      while [ -e "$folder/launched" ] && [ ! -e "$folder/status" ] && [ "$count" -lt 50 ]; do
        nap
        count=$((count + 1))
      done
      : >"$folder/fetched"
      trap 'rm -rf "$folder"' EXIT
      trap 'exit 1' HUP INT PIPE TERM
      status=none
      [ ! -e "$folder/status" ] || status=$(cat "$folder/status")
      [ ! -e "$folder/ended" ] || status="$status ended"
      printf '\\n%straces %s\\n' '\(answer)' "$status"
      for trace in "$name" "$name".*; do
        [ -f "$trace" ] || continue
        case ${trace#"$name"} in *.new) continue ;; esac
        cp "./$trace" "$folder/copy" || exit 1
        printf '%s %s\\n' "$(wc -c <"$folder/copy")" "${trace#"$name"}"
        cat "$folder/copy" || exit 1
      done
      echo end

      """)
    return script
  }
}
