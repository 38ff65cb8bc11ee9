import ByteReading

/// The linker that wrote an image, as `LC_BUILD_VERSION` states it: a `build_tool_version` of `mach-o/loader.h`.
package struct MachOLinkerVersion: Hashable, Sendable {
  package enum Tool: Hashable, Sendable {
    /// Apple's linker, classic or new.
    case ld
    /// LLVM's linker, ld64.lld.
    case lld
  }
  package var tool: Tool
  /// The first part of the linker's version.
  package var major: UInt32
}

extension MachOFile {
  /// The linker that wrote the file; `nil` if the file does not state the linker, or states another linker.
  package func linkerVersion() throws(ParseError) -> MachOLinkerVersion? {
    for command in commands where command.kind == .buildVersion {
      var input = command.contents(bytes)
      try input.skip(12, "platform, minos and sdk")
      let count = try input.read(UInt32.self, "ntools")
      for _ in 0..<count {
        let number = try input.read(UInt32.self, "tool")
        // the version is major << 16 | minor << 8 | patch
        let version = try input.read(UInt32.self, "version")
        switch number {
        case 3: return MachOLinkerVersion(tool: .ld, major: version >> 16)
        case 4: return MachOLinkerVersion(tool: .lld, major: version >> 16)
        default: continue
        }
      }
    }
    return nil
  }
}
