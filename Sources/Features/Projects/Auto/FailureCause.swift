/// Finds the reason why a build command failed in its output.
package enum FailureCause {
  private static let fullDisk = "No space left on device"

  /// Whether a tool said that the disk is full.
  ///
  /// - Complexity: O(*n*) for *n* bytes.
  static func isFullDisk(_ output: String) -> Bool {
    output.utf8[...].contains(bytes: fullDisk)
  }

  /// The words that show an error, the most important first. Words of compilers and linkers come before words of the
  /// tools that run them.
  private static let signs = [
    fullDisk, "error: ", "error[", "Error: ", "undefined reference", "undefined symbol",
    "multiple definition", "command not found", "not found", "cannot find", "Can't locate",
    "No rule to make target", "missing separator", "No such file or directory", "Permission denied",
    "Read-only file system", "CMake Error", "ERROR", "  Stop.", "Error",
  ]

  /// Messages of a compiler or a build system about a program that has already printed the cause of its failure.
  private static let summaries = [
    "error: ld returned", "error: linker command failed", "error: could not compile",
    "error: linking with", "error: failed to run custom build command", "error: fatalError",
  ]

  /// Returns the line of `output` with the cause: the first line with the most important sign, else the last line;
  /// `nil` if `output` has no lines.
  ///
  /// - Complexity: O(*n*) for *n* bytes.
  package static func line(in output: String) -> String? {
    let lines = lines(of: output)
    var found = weightiest(of: lines) { !isProgress($0) && !isSummary($0) }
    // A compiler's or build system's summary is preferred to make's message about a failed command, which says less.
    if (found?.rank ?? signs.count) >= signs.count - 1 {
      found = weightiest(of: lines) { !isProgress($0) }
    }
    guard let best = found else { return lines.last.map(text) }
    let line = lines[best.index]
    let isOfTool = signs[best.rank].hasSuffix(": ") || signs[best.rank] == fullDisk
    if !isOfTool, let notice = notice(in: lines) { return notice }
    if let cmake = lines.firstIndex(where: { $0.starts(with: "CMake Error at".utf8) }), !isOfTool {
      return cmakeCause(lines, error: cmake)
    }
    // CMake prints the place of an error in one line, and describes the error in the next lines.
    if line.starts(with: "CMake Error".utf8), best.index + 1 < lines.count {
      return text(line) + " " + text(lines[best.index + 1])
    }
    return text(line)
  }

  /// Returns the first line with the most important sign.
  private static func weightiest(
    of lines: [Substring.UTF8View], where isCounted: (Substring.UTF8View) -> Bool
  ) -> (rank: Int, index: Int)? {
    var best: (rank: Int, index: Int)?
    for (index, line) in lines.enumerated() where isCounted(line) {
      let rank = signs[..<(best?.rank ?? signs.count)].firstIndex { line.contains(bytes: $0) }
      if let rank { best = (rank, index) }
      if best?.rank == 0 { break }
    }
    return best
  }

  /// Returns the last paragraph of the lines that begin with `***` and are just before the first error of make. A rule of make
  /// prints such lines to say what to do.
  private static func notice(in lines: [Substring.UTF8View]) -> String? {
    func isNotice(_ line: Substring.UTF8View) -> Bool { line.starts(with: "***".utf8) }
    func words(_ line: Substring.UTF8View) -> String {
      text(line).drop { $0 == "*" }.trimmingPrefix { $0 == " " }.description
    }
    guard let error = lines.firstIndex(where: { $0.contains(bytes: ": *** [") }) else { return nil }
    let block = lines[..<error].reversed().prefix(while: isNotice).map(words)
    let paragraph = block.drop(while: \.isEmpty).prefix { !$0.isEmpty }
    return paragraph.isEmpty ? nil : paragraph.reversed().joined(separator: " ")
  }

  /// Returns the line of an error of CMake that names something not found; without such a line, the place and the first line of
  /// the error's text.
  ///
  /// - Parameter error: the index of the line with the place.
  private static func cmakeCause(_ lines: [Substring.UTF8View], error: Int) -> String {
    let missing = lines[(error + 1)...].prefix { !$0.starts(with: "-- ".utf8) }.first {
      $0.contains(bytes: "Could NOT find") || $0.contains(bytes: "Could not find a package")
    }
    if let missing { return text(missing) }
    // CMake prints the output of pkg-config as progress.
    let package = lines[..<error].suffix(3).last { line in
      line.contains(bytes: "No package '")
        || line.contains(bytes: "Package '") && line.contains(bytes: "not found")
    }
    if let package {
      return text(package.drop { $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: " ") })
    }
    return lines[error...].prefix(2).map(text).joined(separator: " ")
  }

  /// Returns the lines that are not blank, without the blanks around them.
  private static func lines(of output: String) -> [Substring.UTF8View] {
    output.utf8.split { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }.compactMap { line in
      func isBlank(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t")
      }
      let start = line.drop(while: isBlank)
      return start.lastIndex { !isBlank($0) }.map { start[...$0] }
    }
  }

  private static func text(_ line: Substring.UTF8View) -> String { String(Substring(line)) }

  /// Returns what to do about a cause that is not the project's fault; `nil` for other causes.
  package static func remedy(in output: String) -> String? {
    let lines = lines(of: output).filter { !isProgress($0) }
    func isNeeded(_ signs: [[String]], in lines: [Substring.UTF8View]) -> Bool {
      lines.contains { line in
        signs.contains { words in words.allSatisfy { line.contains(bytes: $0) } }
      }
    }
    if let remedy = remedies.first(where: { isNeeded($0.signs, in: lines) }) { return remedy.text }
    // Tools also report things that were not found and that the project does not need. So only the cause is examined.
    let cause = line(in: output).map { [$0.utf8[...]] } ?? []
    let isMissing = isNeeded(signsOfMissing, in: cause)
    let isLLD = isNeeded([["ld.lld: error: "]], in: lines)
    switch (isMissing, isLLD) {
    case (true, true): return "\(install); or link with GNU ld instead: --linker gnu-ld"
    case (true, false): return install
    case (false, true): return "link with GNU ld instead: --linker gnu-ld"
    case (false, false): return nil
    }
  }

  static let install =
    "install the missing tool, or the development package of the missing library, and run this command again"

  /// Lists of words. A line with all words of a list says that something is not installed.
  private static let signsOfMissing = [
    ["fatal error: ", "No such file or directory"], ["fatal error: ", "file not found"],
    ["unable to find library -l"], ["cannot find -l"], ["Could NOT find "],
    ["Could not find a package configuration file"], ["Package '", "not found"],
    ["No package '", "found"], ["ERROR: Dependency ", "not found"],
    ["ERROR: Program", "not found"], ["ERROR: ", "library '", "not found"], ["system library `"],
    ["no such module '"], [": not found"], ["command not found"],
    ["make", ": No such file or directory"],
    ["can't find crate for"],
  ]

  /// The remedies for known causes. A remedy applies if a line of the output has all words of one of the remedy's
  /// lists.
  private static let remedies: [(signs: [[String]], text: String)] = [
    (
      // Messages of automake's script `missing`, and of the shell.
      ["automake", "aclocal", "autoconf", "autoheader"].flatMap {
        [[$0, "is missing on your system"], [$0, "not found"]]
      },
      "the build regenerates configure with a version of automake that is not installed: install that version, or use the installed version: orderfile auto ... -- sh -c 'autoreconf -fi && ./configure && make'"
    ),
    (
      [["unknown argument", "--lto-basic-block-"]],
      "the linker is too old to split functions: put ld.lld 19 or later, no older than the compiler's LLVM, first in PATH; or leave out --split"
    ),
    (
      [["Producer: 'LLVM", "Reader: 'LLVM"], ["Unknown attribute kind"]],
      "the linker that optimizes the link is too old: put an ld.lld that is no older than the compiler's LLVM first in PATH"
    ),
    ([[fullDisk]], "name a folder with more space: --output FOLDER"),
    (
      [["-fsanitize-coverage"]],
      "only clang can instrument: CC=clang CXX=clang++ orderfile auto ..., or record with --breakpoints or --qemu"
    ),
    (
      [["duplicate symbol"], ["multiple definition of"]],
      "two objects define the same symbol; C that was written for gcc before version 10 needs CFLAGS='-O2 -fcommon'"
    ),
    (
      // A gcc for another machine looks for a linker with that machine's name.
      [["collect2: fatal error: cannot find"]],
      "this compiler has no lld: link with GNU ld instead: --linker gnu-ld"
    ),
    (
      [["failed to get `", "as a dependency of package"], ["failed to download"]],
      "cargo can't download to its own folder from here: run 'cargo fetch' in the project first"
    ),
    (
      [
        ["Could not resolve host"], ["Temporary failure in name resolution"],
        ["Failed to clone repository"], ["config --get remote.origin.url' failed"],
      ],
      "the build downloads something, and the download failed: put it into the project first, or build without it"
    ),
  ]

  /// Returns the first line about a refused write outside of `folder`; `nil` if there is no such line.
  package static func refusedWrite(in output: String, outside folder: String) -> String? {
    let line = lines(of: output).first { line in
      guard line.contains(bytes: "Permission denied") else { return false }
      let words = line.split { $0 == UInt8(ascii: " ") || "'\"`:,()".utf8.contains($0) }
      // The first word of the line is not examined, because it is the name of the program that prints the line.
      return words.dropFirst().contains { word in
        word.starts(with: "../".utf8)
          || word.first == UInt8(ascii: "/") && !word.starts(with: "\(folder)/".utf8)
      }
    }
    return line.map(text)
  }

  private static func isSummary(_ line: Substring.UTF8View) -> Bool {
    summaries.contains { line.contains(bytes: $0) }
  }

  /// Whether the line shows the progress of a build, such as `checking for error.h... no`. Such lines may have names
  /// with words for errors.
  private static func isProgress(_ line: Substring.UTF8View) -> Bool {
    ["checking ", "[", "-- "].contains { line.starts(with: $0.utf8) }
  }
}

extension Substring.UTF8View {
  /// Whether the bytes contain `text`.
  fileprivate func contains(bytes text: String) -> Bool {
    let wanted = text.utf8
    guard let first = wanted.first else { return true }
    var rest = self[...]
    while let start = rest.firstIndex(of: first) {
      if rest[start...].starts(with: wanted) { return true }
      rest = rest[rest.index(after: start)...]
    }
    return false
  }
}
