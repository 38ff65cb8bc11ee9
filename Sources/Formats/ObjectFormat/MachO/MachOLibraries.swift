// The libraries that an image asks the loader for, and the folders that it adds to the search.
//
//   LC_LOAD_DYLIB, ..._WEAK_, LC_REEXPORT_DYLIB, LC_LOAD_UPWARD_DYLIB, LC_LAZY_LOAD_DYLIB   a path each
//   LC_RPATH                                                                                 a folder each
//
// Linkers of 2024 and later may write a `dylib_use_command` instead: an LC_LOAD_DYLIB or LC_LOAD_WEAK_DYLIB whose time
// stamp is a certain number, followed by flags.
// mach-o/loader.h, `dylib_command`, `dylib_use_command` and `rpath_command`

import Addresses
import ByteReading

/// A request for a library.
package struct MachOLibraryLoad: Hashable, Sendable {
  package enum Kind: Sendable {
    case required, weak, reexported, upward, lazy
    /// The library's initializers run when one of its functions is first called: `DYLIB_USE_DELAYED_INIT`.
    case delayedInitialization
  }

  package var kind: Kind
  /// The path as the command states it, `@rpath/A.framework/A`.
  package var name: [UInt8]
}

extension LoadCommandKind {
  static let loadLibrary = Self(rawValue: 0xc)  // LC_LOAD_DYLIB
  static let loadWeakLibrary = Self(rawValue: 0x8000_0018)  // LC_LOAD_WEAK_DYLIB
  static let reexportLibrary = Self(rawValue: 0x8000_001f)  // LC_REEXPORT_DYLIB
  static let lazyLoadLibrary = Self(rawValue: 0x20)  // LC_LAZY_LOAD_DYLIB
  static let loadUpwardLibrary = Self(rawValue: 0x8000_0023)  // LC_LOAD_UPWARD_DYLIB
  static let runPath = Self(rawValue: 0x8000_001c)  // LC_RPATH
}

extension MachOFile {
  /// The libraries in the order of the load commands. Symbols refer to a library by its number; the first library has
  /// the number 1.
  ///
  /// - Throws: `truncated` if a name lies outside its command.
  /// - Complexity: O(*n*) for *n* bytes of load commands.
  package func libraryLoads() throws(ParseError) -> [MachOLibraryLoad] {
    var loads: [MachOLibraryLoad] = []
    for command in commands {
      let kind: MachOLibraryLoad.Kind
      switch command.kind {
      case .loadLibrary, .loadWeakLibrary: kind = try statedUse(command)
      case .reexportLibrary: kind = .reexported
      case .lazyLoadLibrary: kind = .lazy
      case .loadUpwardLibrary: kind = .upward
      default: continue
      }
      loads.append(
        MachOLibraryLoad(kind: kind, name: bytes.copy(try text(in: command, "dylib.name").indices)))
    }
    return loads
  }

  /// The paths of all `LC_RPATH`, in their order.
  ///
  /// - Throws: `truncated` if a path lies outside its command.
  package func runPaths() throws(ParseError) -> [[UInt8]] {
    var paths: [[UInt8]] = []
    for command in commands where command.kind == .runPath {
      paths.append(bytes.copy(try text(in: command, "rpath.path").indices))
    }
    return paths
  }

  private func statedUse(_ command: LoadCommand) throws(ParseError) -> MachOLibraryLoad.Kind {
    let isWeak = command.kind == .loadWeakLibrary
    var input = command.contents(bytes)
    let nameOffset = try input.read(UInt32.self, "dylib.name")
    let marker = try input.read(UInt32.self, "dylib.timestamp")
    try input.skip(8, "dylib.current_version")
    guard marker == 0x1a74_1800, nameOffset >= 28 else { return isWeak ? .weak : .required }
    let flags = try input.read(UInt32.self, "dylib_use_command.flags")
    if flags & 0x8 != 0 { return .delayedInitialization }
    if flags & 0x2 != 0 { return .reexported }
    if flags & 0x4 != 0 { return .upward }
    return isWeak || flags & 0x1 != 0 ? .weak : .required
  }

  /// The range of a command's text, without zeros at the end. The first field of the command is the text's offset.
  func text(
    in command: LoadCommand, _ field: StaticString
  ) throws(ParseError) -> ByteRange {
    var input = command.contents(bytes)
    let offset = UInt64(try input.read(UInt32.self, field))
    input = ByteCursor(bytes, in: command.range)
    try input.skip(offset, field)
    let start = input.position
    let end = command.range.upperBound
    let zero = bytes.firstIndex(of: 0, in: (start..<end).indices)
    return start..<(zero.map { FileOffset(rawValue: UInt64($0)) } ?? end)
  }
}
