import Addresses
import ByteReading
import ImageModel
import ObjectFormat

/// The code of an image, queried by ascending addresses. Stubs are not included, although a frame description
/// covers them.
struct CodeRanges {
  /// The sections of code, ascending; for a file without sections, its executable segments.
  private let ranges: [AddressRange]
  private var index = 0

  init(_ file: ELFFile) {
    let sections = file.sections.filter { section in
      section.flags.contains(.executable)
        && !file.bytes.text(section.name.indices).hasPrefix(".plt")
    }.map(\.range)
    let segments = file.segments.filter { $0.type == .load && $0.isExecutable }.map(\.range)
    ranges = (sections.isEmpty ? segments : sections).sorted { $0.start < $1.start }
  }

  /// - Parameter address: not below the address in the call before.
  mutating func range(holding address: StatedAddress) -> AddressRange? {
    while index < ranges.count, ranges[index].end <= address { index += 1 }
    return index < ranges.count && ranges[index].contains(address) ? ranges[index] : nil
  }
}
