// The memory of an image, by purpose
//
// An image is mapped in parts. The kernel's entry of a part does not state the purpose of the part, but the rights of
// access show the purpose: code can be executed, data can be written. A part that can only be read has constants. If
// such a part has private copies of pages, it has data that the loader has relocated and then protected (RELRO). The
// zero-filled data after the file's data are memory without a file: the mapping without a name at the end of the
// image's last part.

import Addresses

/// The resident memory of an image in one process.
package struct ImageResidency: Hashable, Sendable {
  package enum Part: String, CaseIterable, Hashable, Sendable {
    /// The memory can be executed.
    case code
    /// The memory can only be read, and was never written.
    case readOnly
    /// The memory can only be read, and the loader wrote it before.
    case relocated
    /// The memory can be written.
    case data
    /// The memory holds zero-filled data, which are not in the file.
    case zeroFilled
  }

  package struct Amount: Hashable, Sendable {
    package var bytes: UInt64 = 0
    package var sharedOutBytes: UInt64 = 0

    package init(bytes: UInt64 = 0, sharedOutBytes: UInt64 = 0) {
      self.bytes = bytes
      self.sharedOutBytes = sharedOutBytes
    }

    static func += (sum: inout Amount, mapping: ResidentMapping) {
      sum.bytes = sum.bytes &+ mapping.bytes
      sum.sharedOutBytes = sum.sharedOutBytes &+ mapping.sharedOutBytes
    }
  }

  /// The amounts of memory in the order of `Part.allCases`, also of parts that the image lacks.
  package private(set) var amounts = [Amount](repeating: Amount(), count: Part.allCases.count)

  package subscript(part: Part) -> Amount {
    get { amounts[Part.allCases.firstIndex(of: part) ?? 0] }
    set { amounts[Part.allCases.firstIndex(of: part) ?? 0] = newValue }
  }

  package var bytes: UInt64 { amounts.reduce(0) { $0 &+ $1.bytes } }
  package var sharedOutBytes: UInt64 { amounts.reduce(0) { $0 &+ $1.sharedOutBytes } }

  /// - Parameter path: the path of the image, absolute and without symbolic links.
  /// - Returns: `nil` if the process has not mapped the image.
  package init?(of path: String, in mappings: [ResidentMapping]) {
    var end: LoadedAddress?
    var isMapped = false
    for mapping in mappings {
      if mapping.name == path {
        isMapped = true
        self[Self.part(mapping)] += mapping
        end = mapping.addresses.upperBound
      } else {
        if mapping.name.isEmpty, mapping.isWritable, mapping.addresses.lowerBound == end {
          self[.zeroFilled] += mapping
        }
        end = nil
      }
    }
    if !isMapped { return nil }
  }

  private static func part(_ mapping: ResidentMapping) -> Part {
    if mapping.isExecutable { return .code }
    if mapping.isWritable { return .data }
    return mapping.copiedBytes > 0 ? .relocated : .readOnly
  }
}
