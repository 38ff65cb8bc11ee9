import ArgumentParser
import Demangling
import ImageModel
import OrderFileFormat
import Symbolication

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// `--format`: which linker's dialect.
struct FormatOption: ExpressibleByArgument {
  let dialect: OrderFileDialect

  init?(argument: String) {
    guard let dialect = OrderFileDialect(name: argument) else { return nil }
    self.dialect = dialect
  }

  static var allValueStrings: [String] { OrderFileDialect.all.map(\.name).sorted() }
}

/// `--arch`: which image of a file that holds several.
struct ArchitectureOption: ExpressibleByArgument {
  let architecture: Architecture

  init?(argument: String) {
    guard !argument.isEmpty else { return nil }
    architecture = Architecture(argument)
  }

  static let help = ArgumentHelp(
    "The image of a universal file: arm64, arm64e or x86_64.", valueName: "arch")
}

/// `--demangle`: how names are shown to people. What linkers and JSON get is always mangled.
struct DemangleOption: ExpressibleByArgument {
  let mode: Demangler.Mode
  static let full = DemangleOption(mode: .full)

  private init(mode: Demangler.Mode) { self.mode = mode }
  init?(argument: String) {
    guard let mode = Demangler.Mode(rawValue: argument) else { return nil }
    self.mode = mode
  }

  var defaultValueDescription: String { mode.rawValue }
  static var allValueStrings: [String] { Demangler.Mode.allCases.map(\.rawValue) }
}

/// `--page-size`.
package enum PageSizeOption: String, ExpressibleByArgument, CaseIterable {
  case fourKibibytes = "4k"
  case sixteenKibibytes = "16k"
  case sixtyFourKibibytes = "64k"
  /// Of Mach-O what Apple's systems use: 16 KiB on arm64, 4 KiB on x86_64. Of ELF this machine's, for an
  /// image of its architecture; else 4 KiB.
  case automatic = "auto"

  /// - Parameters:
  ///   - architecture: of the images, if it is known.
  ///   - format: of the images.
  package func pageSize(
    for architecture: Architecture?, format: ImageFormat = .elf
  ) -> PageSize {
    switch self {
    case .fourKibibytes: return .fourKibibytes
    case .sixteenKibibytes: return .sixteenKibibytes
    case .sixtyFourKibibytes: return .sixtyFourKibibytes
    case .automatic where format == .machO:
      let isIntel = architecture?.description.hasPrefix("x86_64") ?? false
      return isIntel ? .fourKibibytes : .sixteenKibibytes
    case .automatic:
      #if arch(x86_64)
        let own = Architecture.x8664
      #else
        let own = Architecture.arm64
      #endif
      guard architecture ?? own == own else { return .fourKibibytes }
      return PageSize(bytes: UInt64(max(sysconf(Int32(_SC_PAGESIZE)), 0))) ?? .fourKibibytes
    }
  }
}
