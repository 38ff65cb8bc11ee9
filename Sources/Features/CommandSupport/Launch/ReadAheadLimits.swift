// Devices that read a file ahead
//
// After a fault on a page that is not in memory, the kernel reads further pages, up to the read-ahead of the device. If
// the read-ahead is most of the file, a launch reads the same pages in every order, and a cold launch can't show a
// better order.

import ImageModel
import LaunchMeasurement
import Rendering

/// Reasons why cold launches of stored images may not show the order of their pages.
package enum ReadAheadLimits {
  /// The kernel's default read-ahead, in bytes.
  package static let usual: UInt64 = 128 << 10
  /// The read-ahead in bytes above which a launch reads most of an image, in whatever order its functions are.
  package static let largest: UInt64 = 512 << 10

  /// Returns one warning for all images on disks with the same read-ahead and the same problem; the paths of the images
  /// are the context of the warning.
  ///
  /// - Parameter storage: the storage of the images, each image once.
  package static func warnings(_ storage: [ImageStorage]) -> [Diagnostic] {
    var groups: [(problem: Problem, paths: [String])] = []
    for image in storage {
      guard let problem = Problem(image) else { continue }
      if let index = groups.firstIndex(where: { $0.problem == problem }) {
        groups[index].paths.append(image.path)
      } else {
        groups.append((problem, [image.path]))
      }
    }
    return groups.map { group in
      Diagnostic(
        group.problem.sentence, context: [group.paths.joined(separator: ", ")],
        remedies: group.problem.remedies)
    }
  }

  /// Returns the warnings as sentences for a document: "cold: /build/app: this disk reads 8.0Mi ahead: ...".
  package static func sentences(_ storage: [ImageStorage]) -> [String] {
    warnings(storage).map { warning in
      let place = printable(warning.context.joined(separator: ": "))
      return "cold: \(place): \(warning.message)" + (warning.hint.map { "; \($0)" } ?? "")
    }
  }

  private enum Problem: Hashable {
    case unknown
    case wholeFile(readAhead: UInt64)
    case mostOfIt(readAhead: UInt64)

    /// Makes no problem (`nil`) if a cold launch of the image shows the order of its pages.
    init?(_ image: ImageStorage) {
      switch image.readAheadBytes {
      case nil: self = .unknown
      case let bytes? where image.bytes <= bytes: self = .wholeFile(readAhead: bytes)
      case let bytes? where bytes > ReadAheadLimits.largest: self = .mostOfIt(readAhead: bytes)
      default: return nil
      }
    }

    var sentence: String {
      switch self {
      case .unknown:
        "the read-ahead of this disk is unknown: if it is large, a cold launch can't show page order"
      case .wholeFile(let bytes):
        "this disk reads \(ByteCount(bytes).wording) ahead, the whole file: a cold launch can't show page order"
      case .mostOfIt(let bytes):
        "this disk reads \(ByteCount(bytes).wording) ahead: a cold launch can't show page order"
      }
    }

    /// Disks with at most the usual read-ahead get no remedy, because a device with a smaller read-ahead would be like
    /// no real disk.
    var remedies: [Remedy] {
      switch self {
      case .wholeFile(let bytes) where bytes <= ReadAheadLimits.usual: []
      case .unknown, .wholeFile, .mostOfIt:
        [
          Remedy(
            "--device slow launches a copy from a device that reads \(ReadAheadLimits.usual >> 10) KiB ahead",
            option: "--device")
        ]
      }
    }
  }
}
