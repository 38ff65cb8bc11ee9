/// rustc with what recording needs, as cargo calls it by `RUSTC_WRAPPER`: the first word is the compiler, the others are
/// its own.
///
/// Crates of build scripts and procedural macros are instrumented, too: cargo does not tell them from others. They are
/// linked with the recorder as everything is, and it does nothing in them, because no trace is named to it.
/// <https://doc.rust-lang.org/cargo/reference/environment-variables.html>
package struct RustWrapper {
  /// The name of the symbolic link by which this command is called.
  package static let name = "rustc-wrapper"

  /// The words of the compiler.
  package let words: [Word]

  /// - Parameters:
  ///   - words: without the compiler.
  ///   - recorder: the path of the recorder; `nil` to leave the call as it is.
  package init(_ words: [Word], recorder: Word?) {
    guard let recorder, Self.compiles(words) else {
      self.words = words
      return
    }
    let added = [
      "-Cpasses=sancov-module", "-Cllvm-args=-sanitizer-coverage-level=1",
      "-Cllvm-args=-sanitizer-coverage-trace-pc-guard",
      "-Cllvm-args=-sanitizer-coverage-pc-table", "-Clink-arg=",
    ].map { Array($0.utf8) }
    self.words = words + added.dropLast() + [added[added.count - 1] + recorder]
  }

  /// Whether a crate is compiled: cargo, and build scripts that try a compiler, also ask it for names and versions.
  private static func compiles(_ words: [Word]) -> Bool {
    guard let name = words.firstIndex(of: Array("--crate-name".utf8)), name + 1 < words.count else {
      return false
    }
    return words[name + 1] != Array("___".utf8)
      && !words.contains { $0.starts(with: "--print".utf8) }
  }
}
