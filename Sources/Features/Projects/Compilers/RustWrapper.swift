/// A call of rustc with the options that recording needs. cargo calls the program that `RUSTC_WRAPPER` names; its first
/// word is the compiler, and the other words are the compiler's.
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

  /// Whether the call compiles a crate. cargo, and build scripts that try a compiler, also call rustc to print names
  /// and versions.
  private static func compiles(_ words: [Word]) -> Bool {
    guard let name = words.firstIndex(of: Array("--crate-name".utf8)), name + 1 < words.count else {
      return false
    }
    return words[name + 1] != Array("___".utf8)
      && !words.contains { $0.starts(with: "--print".utf8) }
  }
}
