/// A call of rustc with the options that recording or splitting needs. cargo calls the program that `RUSTC_WRAPPER`
/// names. The first argument is the compiler. The other arguments are for the compiler.
///
/// Crates of build scripts and procedural macros are instrumented, too, because cargo calls the wrapper for all crates
/// alike. They are also linked with the recorder, which does nothing in them, because no variable names a trace.
/// <https://doc.rust-lang.org/cargo/reference/environment-variables.html>
package struct RustWrapper {
  /// The name of the symbolic link by which this command is called.
  package static let name = "rustc-wrapper"

  /// The words for the compiler.
  package let words: [Word]

  /// - Parameters:
  ///   - words: the words of the call, without the compiler.
  ///   - settings: what to add; only the recorder and how functions are split count.
  ///   - fileExists: whether there is a file at a path.
  package init(_ words: [Word], _ settings: WrapperSettings, fileExists: (Word) -> Bool) {
    guard Self.compiles(words) else {
      self.words = words
      return
    }
    if let recorder = settings.recorder {
      let added = [
        "-Cpasses=sancov-module", "-Cllvm-args=-sanitizer-coverage-level=1",
        "-Cllvm-args=-sanitizer-coverage-trace-pc-guard",
        "-Cllvm-args=-sanitizer-coverage-pc-table", "-Clink-arg=",
      ].map { Array($0.utf8) }
      self.words = words + added.dropLast() + [added[added.count - 1] + recorder]
    } else if settings.bitcode {
      self.words = Self.leavingCodeToLinker(words)
    } else if let profile = settings.split, !Self.runsInBuild(words) {
      let path = fileExists(profile) ? String(decoding: profile, as: UTF8.self) : nil
      self.words = words + Self.splitOptions(profile: path).map { Array($0.utf8) }
    } else {
      self.words = words
    }
  }

  /// The options with which rustc's LLVM writes a map of basic blocks.
  ///
  /// - Parameter profile: the path of the profile by which it also splits functions; `nil` to leave functions whole. rustc
  ///   separates options at blanks, so the path can't have any.
  static func splitOptions(profile: String?) -> [String] {
    ["-Cllvm-args=-basic-block-address-map"]
      + (profile.map { ["-Cllvm-args=-basic-block-sections=\($0)"] } ?? [])
  }

  /// Returns the words with which the linker generates the code. cargo names the crates that are optimized at the link
  /// by `-C lto`, and by leaving out `-C embed-bitcode=no`; crates of build scripts and procedural macros have `-C
  /// embed-bitcode=no`.
  private static func leavingCodeToLinker(_ words: [Word]) -> [Word] {
    let option = Array("linker-plugin-lto".utf8)
    var changed = words
    for (index, word) in words.enumerated() {
      let value = word.starts(with: "-C".utf8) ? word.dropFirst(2) : word[...]
      guard value.elementsEqual("lto".utf8) || value.starts(with: "lto=".utf8),
        value.count < word.count || index > 0 && words[index - 1] == Array("-C".utf8)
      else { continue }
      changed[index] = word.dropLast(value.count) + option
      return changed
    }
    let isHost = words.contains {
      String(decoding: $0, as: UTF8.self).hasSuffix("embed-bitcode=no")
    }
    let isBitcode = words.contains { $0.suffix(option.count).elementsEqual(option) }
    return isHost || isBitcode ? words : words + [Array("-C".utf8) + option]
  }

  /// Whether the call compiles a build script or a procedural macro, which run during the build only.
  private static func runsInBuild(_ words: [Word]) -> Bool {
    words.contains(Array("proc-macro".utf8))
      || crateName(words)?.starts(with: "build_script_".utf8) ?? false
  }

  /// Whether the call compiles a crate. cargo, and build scripts that try a compiler, also call rustc to print names
  /// and versions.
  private static func compiles(_ words: [Word]) -> Bool {
    guard let name = crateName(words) else { return false }
    return name != Array("___".utf8) && !words.contains { $0.starts(with: "--print".utf8) }
  }

  private static func crateName(_ words: [Word]) -> Word? {
    guard let name = words.firstIndex(of: Array("--crate-name".utf8)), name + 1 < words.count else {
      return nil
    }
    return words[name + 1]
  }
}
