import CommandSupport

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Looks up the compiler for which this command stands: in `PATH`, without the folders in which that name leads to this
/// command. A wrapper of the compiler that looks further in `PATH` itself, such as ccache, must not find this command
/// again; so the compiler gets the `PATH` without those folders.
package struct CompilerSearch {
  /// The compiler; `nil` if `PATH` has none of that name.
  package private(set) var compiler: Word?
  /// `PATH` without the folders that were passed over.
  package private(set) var searchPath: Word

  /// - Parameters:
  ///   - name: of the compiler; one with a slash is a path.
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

  /// Whether lld can link what the compiler generates for optimizing at the link: whether it is clang, by its own name or
  /// by that of the file to which that leads.
  ///
  /// - Parameter arguments: what precedes all others, such as the `clang` of `ccache clang`.
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

  /// Whether compilers of C and C++ are called so: `cc`, `clang++-19`, `x86_64-linux-gnu-gcc-12`.
  package static func isCompiler(_ name: String) -> Bool {
    let parts = name.split(separator: "-", omittingEmptySubsequences: false)
    let isVersioned =
      parts.last.map { $0.first?.isNumber ?? false && $0.allSatisfy { $0.isNumber || $0 == "." } }
      ?? false
    guard let driver = isVersioned ? parts.dropLast().last : parts.last else { return false }
    return ["cc", "c++", "gcc", "g++", "clang", "clang++", "c89", "c99"].contains(driver)
  }

  /// The names of the compilers in the folders of `searchPath`, ascending, each once.
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

  /// `nil` if there is no regular file at `path`.
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
