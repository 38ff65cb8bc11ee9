import Addresses
import ByteReading
import ImageModel
import ObjectFormat

extension Image {
  /// The instructions that call the callback of instrumented functions; empty if the image does not define the
  /// callback, or if its code is not for x86-64 or AArch64.
  ///
  /// - Parameter bytes: the image's file.
  /// - Complexity: O(*b*) for *b* bytes of code; sections that share bytes are searched until the file's size is
  ///   used up.
  package func callbackSites(in bytes: FileBytes) -> [StatedAddress] {
    let callback = layout.functions.first { isCallback(layout.names[$0.name]) }
    let scan: CodeScan
    switch architecture {
    case .x8664: scan = .x8664
    case .arm64, .arm64e: scan = .aarch64
    default: return []
    }
    guard let callback else { return [] }
    var budget = ByteBudget(limit: UInt64(bytes.count))
    var sites: [StatedAddress] = []
    for section in code(in: bytes) where budget.take(section.range.count) {
      scan.forEachReference(in: bytes, section.range, at: section.start) { reference in
        if reference.kind == .branch, reference.target == callback.address {
          sites.append(reference.site)
        }
      }
    }
    return sites
  }

  /// The addresses of the sections that hold code, and their ranges in the file.
  private func code(in bytes: FileBytes) -> [(start: StatedAddress, range: Range<Int>)] {
    switch try? ObjectFile(parsing: bytes) {
    case .elf(let file)? where file.header.endianness == .little:
      return file.sections.filter { $0.flags.contains(.executable) && $0.type != .noBits }
        .compactMap { section in
          (try? file.contents(of: section)).map { (section.range.start, $0.indices) }
        }
    case .machO(let file)?: return Self.code(of: file)
    case .fat(let file)?:
      let slice = try? SliceChoice(architecture).choose(from: file, at: path)
      return slice.map(Self.code) ?? []
    default: return []
    }
  }

  private static func code(of file: MachOFile) -> [(start: StatedAddress, range: Range<Int>)] {
    file.sections.filter(\.holdsInstructions).compactMap { section in
      (try? file.contents(of: section)).map { (section.range.start, $0.indices) }
    }
  }
}

/// Whether `name` is the name of the callback that instrumented functions call.
func isCallback(_ name: ArraySlice<UInt8>) -> Bool {
  ["__sanitizer_cov_trace_pc_guard", "___sanitizer_cov_trace_pc_guard"].contains {
    name.elementsEqual($0.utf8)
  }
}
