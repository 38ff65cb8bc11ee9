import Addresses

/// `e_type`: what the file is for. <https://gabi.xinuos.com/elf/02-eheader.html>
package struct ELFFileType: RawRepresentable, Hashable, Sendable {
  package var rawValue: UInt16
  package init(rawValue: UInt16) { self.rawValue = rawValue }

  package static let relocatable = Self(rawValue: 1)  // ET_REL
  package static let executable = Self(rawValue: 2)  // ET_EXEC
  /// `ET_DYN`: also a position-independent executable.
  package static let sharedObject = Self(rawValue: 3)
  package static let core = Self(rawValue: 4)  // ET_CORE
}

extension ELFFileType: CustomStringConvertible {
  private static let names: [Self: String] = [
    .relocatable: "ET_REL", .executable: "ET_EXEC", .sharedObject: "ET_DYN", .core: "ET_CORE",
  ]
  package var description: String { Self.names[self] ?? "ET_\(hexadecimal(UInt64(rawValue)))" }
}
