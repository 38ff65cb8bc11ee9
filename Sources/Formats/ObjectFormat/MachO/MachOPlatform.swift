import ByteReading

/// The system that a file was built for: `PLATFORM_` in `mach-o/loader.h`.
package struct MachOPlatform: RawRepresentable, Hashable, Sendable {
  package var rawValue: UInt32
  package init(rawValue: UInt32) { self.rawValue = rawValue }

  package static let macOS = Self(rawValue: 1)
  package static let iOS = Self(rawValue: 2)
  package static let tvOS = Self(rawValue: 3)
  package static let watchOS = Self(rawValue: 4)
  package static let macCatalyst = Self(rawValue: 6)
  package static let iOSSimulator = Self(rawValue: 7)
  package static let tvOSSimulator = Self(rawValue: 8)
  package static let watchOSSimulator = Self(rawValue: 9)
  package static let visionOS = Self(rawValue: 11)
  package static let visionOSSimulator = Self(rawValue: 12)
}

extension MachOPlatform: CustomStringConvertible {
  private static let names: [Self: String] = [
    .macOS: "macos", .iOS: "ios", .tvOS: "tvos", .watchOS: "watchos",
    .macCatalyst: "mac-catalyst", .iOSSimulator: "ios-simulator",
    .tvOSSimulator: "tvos-simulator", .watchOSSimulator: "watchos-simulator", .visionOS: "xros",
    .visionOSSimulator: "xros-simulator",
  ]
  /// The name that the linkers' `-platform_version` takes; for another platform its number.
  package var description: String { Self.names[self] ?? "\(rawValue)" }
}

extension MachOFile {
  /// The platform of the file; `nil` if the file states none.
  ///
  /// The first load command counts. A library for macOS that Catalyst loads, too, states both platforms, macOS first.
  /// Before the systems of 2018, which introduced `LC_BUILD_VERSION`, a system and its simulator had the same load command.
  /// In such a file, the instruction set distinguishes them.
  package func platform() throws(ParseError) -> MachOPlatform? {
    let isIntel = header.architecture.cpuType == MachOArchitecture.x8664.cpuType
    for command in commands {
      switch command.kind {
      case .buildVersion:
        var input = command.contents(bytes)
        return MachOPlatform(rawValue: try input.read(UInt32.self, "platform"))
      case .minimumVersionMacOS: return .macOS
      case .minimumVersionIOS: return isIntel ? .iOSSimulator : .iOS
      case .minimumVersionTVOS: return isIntel ? .tvOSSimulator : .tvOS
      case .minimumVersionWatchOS: return isIntel ? .watchOSSimulator : .watchOS
      default: continue
      }
    }
    return nil
  }
}
