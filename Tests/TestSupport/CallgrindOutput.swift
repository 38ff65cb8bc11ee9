import Foundation

/// The output of `valgrind --tool=callgrind --dump-instr=yes`.
///
/// The valgrind manual, "Callgrind Format Specification": the cost lines after an `ob=` are of that object. An address
/// is absolute, relative to the address of the line before, or `*` for the same address.
package struct CallgrindOutput {
  private let text: String

  package init(contentsOfFile path: String) throws {
    text = try String(contentsOfFile: path, encoding: .isoLatin1)
  }

  /// Returns the loaded addresses of the executed instructions of `image`, the last component of the image's path.
  package func executedAddresses(of image: String) -> Set<UInt64> {
    var executed: Set<UInt64> = []
    var objects: [Substring: Bool] = [:]
    var isOfImage = false
    var address: UInt64 = 0
    for line in text.split(separator: "\n") {
      if line.hasPrefix("ob=") || line.hasPrefix("cob=") {
        let parts = line.drop { $0 != "=" }.dropFirst().split(separator: " ", maxSplits: 1)
        guard let number = parts.first else { continue }
        if parts.count == 2 { objects[number] = parts[1].hasSuffix("/\(image)") }
        if line.hasPrefix("ob=") { isOfImage = objects[number] ?? false }
        continue
      }
      guard let place = line.split(separator: " ", maxSplits: 1).first else { continue }
      if place.hasPrefix("0x") {
        guard let absolute = UInt64(place.dropFirst(2), radix: 16) else { continue }
        address = absolute
      } else if place.hasPrefix("+"), let step = UInt64(place.dropFirst()) {
        address &+= step
      } else if place.hasPrefix("-"), let step = UInt64(place.dropFirst()) {
        address &-= step
      } else if place != "*" {
        continue
      }
      if isOfImage { executed.insert(address) }
    }
    return executed
  }
}
