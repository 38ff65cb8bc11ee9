/// Why a build command failed, as its output tells.
package enum FailureCause {
  private static let fullDisk = "No space left on device"

  /// Whether a tool said that the disk is full.
  ///
  /// - Complexity: O(*n*) for *n* bytes.
  static func isFullDisk(_ output: String) -> Bool {
    output.utf8[...].contains(bytes: fullDisk)
  }

  /// In the order of their weight. What compilers and linkers say comes before what the tools say that run them.
  private static let signs = [
    fullDisk, "error: ", "Error: ", "undefined reference", "undefined symbol",
    "multiple definition", "command not found", "not found", "No rule to make target",
    "missing separator", "No such file or directory", "Permission denied", "Read-only file system",
    "CMake Error", "ERROR", "Error",
  ]

  /// The line of `output` that tells the cause: the first with the weightiest sign, else the last; `nil` if there is
  /// none.
  ///
  /// - Complexity: O(*n*) for *n* bytes.
  package static func line(in output: String) -> String? {
    let lines = lines(of: output)
    var best: (rank: Int, index: Int)?
    for (index, line) in lines.enumerated() where !isProgress(line) {
      let rank = signs[..<(best?.rank ?? signs.count)].firstIndex { line.contains(bytes: $0) }
      if let rank { best = (rank, index) }
      if best?.rank == 0 { break }
    }
    guard let best else { return lines.last.map(text) }
    // CMake puts what is wrong into the next line.
    if lines[best.index].starts(with: "CMake Error".utf8), best.index + 1 < lines.count {
      return text(lines[best.index]) + " " + text(lines[best.index + 1])
    }
    return text(lines[best.index])
  }

  /// The lines that are not blank, without the blanks around them.
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

  /// What to do about causes that are not the project's fault; `nil` for others.
  package static func remedy(in output: String) -> String? {
    let lines = lines(of: output).filter { !isProgress($0) }
    return remedies.first { remedy in
      lines.contains { line in
        remedy.signs.contains { words in words.allSatisfy { line.contains(bytes: $0) } }
      }
    }?.text
  }

  /// Each has alternatives, of which a line has all words.
  private static let remedies: [(signs: [[String]], text: String)] = [
    (
      // What `missing`, the script of automake, and the shell say.
      ["automake", "aclocal", "autoconf", "autoheader"].flatMap {
        [[$0, "is missing on your system"], [$0, "not found"]]
      },
      "the build regenerates configure with a version of automake that is not installed: install that, or use your own: orderfile auto ... -- sh -c 'autoreconf -fi && ./configure && make'"
    ),
    ([[fullDisk]], "name a folder with more space: --out FOLDER"),
    (
      [["-fsanitize-coverage"]],
      "only clang can instrument: CC=clang CXX=clang++ orderfile auto ..., or use another --method"
    ),
    (
      [["duplicate symbol"], ["multiple definition of"]],
      "two objects define the same symbol; C that was written for gcc before version 10 needs CFLAGS='-O2 -fcommon'"
    ),
    ([["ld.lld: error: "]], "link with GNU ld instead: --linker gnu-ld"),
    (
      // gcc for another machine looks for a linker of that machine.
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

  /// The line that says that the build was refused a write outside of `folder`, if there is one.
  package static func refusedWrite(in output: String, outside folder: String) -> String? {
    let line = lines(of: output).first { line in
      guard line.contains(bytes: "Permission denied") else { return false }
      let words = line.split { $0 == UInt8(ascii: " ") || "'\"`:,()".utf8.contains($0) }
      // The first word is the program that says so.
      return words.dropFirst().contains { word in
        word.starts(with: "../".utf8)
          || word.first == UInt8(ascii: "/") && !word.starts(with: "\(folder)/".utf8)
      }
    }
    return line.map(text)
  }

  /// `checking for error.h... no`, and commands that name files of errors.
  private static func isProgress(_ line: Substring.UTF8View) -> Bool {
    ["checking ", "[", "-- "].contains { line.starts(with: $0.utf8) }
  }
}

extension Substring.UTF8View {
  /// Whether `text`, which is not empty, occurs in it.
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
