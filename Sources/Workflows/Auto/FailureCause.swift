/// Why a build command failed, as its output tells.
package enum FailureCause {
  /// In the order of their weight. What compilers and linkers say comes before what the tools say that run them.
  private static let signs = [
    "No space left on device", "error: ", "Error: ", "undefined reference", "undefined symbol",
    "multiple definition", "command not found", "not found", "No rule to make target",
    "missing separator", "No such file or directory", "Permission denied", "Read-only file system",
    "CMake Error", "ERROR", "Error",
  ]

  /// The line of `output` that tells the cause: the first with the weightiest sign, else the last; `nil` if there is
  /// none.
  package static func line(in output: String) -> String? {
    let lines = output.split(whereSeparator: \.isNewline).map { $0.trimmingBlanks }.filter {
      !$0.isEmpty
    }
    for sign in signs {
      guard let index = lines.firstIndex(where: { $0.contains(sign) && !isProgress($0) }) else {
        continue
      }
      // CMake puts what is wrong into the next line.
      if sign == "CMake Error", index + 1 < lines.count {
        return "\(lines[index]) \(lines[index + 1])"
      }
      return lines[index]
    }
    return lines.last
  }

  /// What to do about causes that are not the project's fault; `nil` for others.
  package static func remedy(in output: String) -> String? {
    let lines = output.split(whereSeparator: \.isNewline)
    return remedies.first { remedy in
      lines.contains { line in
        remedy.signs.contains { words in words.allSatisfy(line.contains) } && !isProgress(line)
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
      "the build makes configure again with a version of automake that is missing: install that, or use your own: orderfile auto ... -- sh -c 'autoreconf -fi && ./configure && make'"
    ),
    ([["No space left on device"]], "name a folder with more space: --out FOLDER"),
    ([["ld.lld: error: "]], "link with GNU ld instead: --linker gnu-ld"),
    (
      [["Could not resolve host"], ["Temporary failure in name resolution"]],
      "the build downloads something, and the network can't be reached: put it into the project first"
    ),
  ]

  /// Where the build was refused a write, if `output` tells.
  package static func refusedWrite(in output: String) -> String? {
    let lines = output.split(whereSeparator: \.isNewline)
    return lines.first {
      $0.hasSuffix("Permission denied") || $0.contains("Permission denied (os error")
    }
    .map { $0.trimmingBlanks }
  }

  /// `checking for error.h... no`, and commands that name files of errors.
  private static func isProgress(_ line: some StringProtocol) -> Bool {
    line.hasPrefix("checking ") || line.hasPrefix("[") || line.hasPrefix("-- ")
  }
}

extension StringProtocol {
  fileprivate var trimmingBlanks: String {
    let start = self.drop { $0.isWhitespace }
    let end = start.lastIndex { !$0.isWhitespace }
    return end.map { String(start[...$0]) } ?? ""
  }
}
