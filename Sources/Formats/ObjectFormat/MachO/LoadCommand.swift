import Addresses
import ByteReading

/// A load command: its kind and its place. `load_command` in `mach-o/loader.h`.
package struct LoadCommand: Sendable {
  package var kind: LoadCommandKind
  /// The whole command with its 8 bytes of `cmd` and `cmdsize`.
  package var range: ByteRange

  /// Reads a command and advances past it.
  ///
  /// - Throws: `truncated`, also if the command exceeds `input`; `invalid` for a size of less than 8 bytes.
  init(parsing input: inout ByteCursor) throws(ParseError) {
    let start = input.position
    kind = LoadCommandKind(rawValue: try input.read(UInt32.self, "cmd"))
    let size = UInt64(try input.read(UInt32.self, "cmdsize"))
    guard size >= 8 else {
      throw ParseError(.invalid(expected: "at least 8", found: "\(size)"), "cmdsize", at: start)
    }
    try input.skip(size - 8, "cmdsize")
    range = start..<input.position
  }

  /// A cursor after `cmd` and `cmdsize`, which ends with the command.
  func contents(_ bytes: FileBytes) -> ByteCursor {
    ByteCursor(
      bytes, in: FileOffset(rawValue: range.lowerBound.rawValue + 8)..<range.upperBound)
  }
}

/// `cmd`. A struct and not an enum, because each system adds commands.
package struct LoadCommandKind: RawRepresentable, Hashable, Sendable {
  package var rawValue: UInt32
  package init(rawValue: UInt32) { self.rawValue = rawValue }

  package static let symbolTable = Self(rawValue: 0x2)  // LC_SYMTAB
  package static let libraryID = Self(rawValue: 0xd)  // LC_ID_DYLIB
  package static let segment = Self(rawValue: 0x19)  // LC_SEGMENT_64
  package static let routines = Self(rawValue: 0x1a)  // LC_ROUTINES_64
  package static let uuid = Self(rawValue: 0x1b)  // LC_UUID
  package static let minimumVersionMacOS = Self(rawValue: 0x24)  // LC_VERSION_MIN_MACOSX
  package static let minimumVersionIOS = Self(rawValue: 0x25)  // LC_VERSION_MIN_IPHONEOS
  package static let functionStarts = Self(rawValue: 0x26)  // LC_FUNCTION_STARTS
  package static let encryption = Self(rawValue: 0x2c)  // LC_ENCRYPTION_INFO_64
  package static let minimumVersionTVOS = Self(rawValue: 0x2f)  // LC_VERSION_MIN_TVOS
  package static let minimumVersionWatchOS = Self(rawValue: 0x30)  // LC_VERSION_MIN_WATCHOS
  package static let buildVersion = Self(rawValue: 0x32)  // LC_BUILD_VERSION
  package static let chainedFixups = Self(rawValue: 0x8000_0034)  // LC_DYLD_CHAINED_FIXUPS
}
