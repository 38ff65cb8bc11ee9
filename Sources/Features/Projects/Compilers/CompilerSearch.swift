import CommandSupport
import LibC

/// Looks up the compiler that a call of this command means: the first program of that name in `PATH` that is not this
/// command. The compiler gets a `PATH` without the folders in which its name leads to this command. With those folders,
/// a compiler that itself looks in `PATH`, such as ccache, would find this command again.
package struct CompilerSearch {
  /// The path of the compiler; `nil` if `PATH` has no compiler of that name.
  package private(set) var compiler: Word?
  /// `PATH` without the folders in which the name leads to this command.
  package private(set) var searchPath: Word

  /// - Parameters:
  ///   - name: the name of the compiler; a name with a slash is a path.
  ///   - searchPath: the value of `PATH`.
  ///   - command: the path of this command.
  package init(_ name: Word, in searchPath: Word, command: String = "/proc/self/exe") {
    let own = Self.identity(Array(command.utf8))
    var kept: [Word] = []
    for folder in searchPath.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false) {
      let path = (folder.isEmpty ? [UInt8(ascii: ".")] : Array(folder)) + [UInt8(ascii: "/")] + name
      let found = Self.identity(path)
      if found != nil, found == own { continue }
      kept.append(Array(folder))
      if compiler == nil, found != nil, access(Self.cString(path), X_OK) == 0 { compiler = path }
    }
    if name.contains(UInt8(ascii: "/")) { compiler = name }
    self.searchPath = Word(kept.joined(separator: [UInt8(ascii: ":")]))
  }

  /// Whether lld can link what the compiler generates for link-time optimization. That is so if the compiler is clang,
  /// by its own name or by the name of the file to which its symbolic links lead.
  ///
  /// - Parameter arguments: the first arguments of the call, such as the `clang` of `ccache clang`.
  package func compilesForLLD(_ arguments: [Word] = []) -> Bool {
    guard let compiler else { return false }
    var paths = arguments + [compiler]
    if let text = String(validating: compiler, as: UTF8.self),
      let path = try? Folder.absolutePath(text)
    {
      paths.append(Array(path.utf8))
    }
    return paths.contains { path in
      let name = path.split(separator: UInt8(ascii: "/")).last ?? []
      return String(decoding: name, as: UTF8.self).contains("clang")
    }
  }

  /// Whether `name` is a name of C and C++ compilers: `cc`, `clang++-19`, `x86_64-linux-gnu-gcc-12`.
  package static func isCompiler(_ name: String) -> Bool {
    let parts = name.split(separator: "-", omittingEmptySubsequences: false)
    let isVersioned =
      parts.last.map { $0.first?.isNumber ?? false && $0.allSatisfy { $0.isNumber || $0 == "." } }
      ?? false
    guard let driver = isVersioned ? parts.dropLast().last : parts.last else { return false }
    return ["cc", "c++", "gcc", "g++", "clang", "clang++", "c89", "c99"].contains(driver)
  }

  /// Returns the names of the compilers in the folders of `searchPath`, ascending, each once.
  package static func compilers(in searchPath: String) -> [String] {
    Set(
      searchPath.split(separator: ":").flatMap { Folder.names(in: String($0)) }.filter(isCompiler)
    )
    .sorted()
  }

  private struct Identity: Equatable {
    var device: UInt64
    var file: UInt64
  }

  /// Returns the identity of the file at `path`; `nil` if there is no regular file.
  private static func identity(_ path: Word) -> Identity? {
    var status = stat()
    guard stat(cString(path), &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    return Identity(
      device: UInt64(truncatingIfNeeded: status.st_dev),
      file: UInt64(truncatingIfNeeded: status.st_ino))
  }

  private static func cString(_ path: Word) -> [CChar] {
    path.map { CChar(bitPattern: $0) } + [0]
  }
}
