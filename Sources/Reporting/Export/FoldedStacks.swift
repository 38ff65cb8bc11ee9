import Addresses
import ImageModel

/// The functions that launches used as folded stacks, one in a line with its weight, for the tools that draw flame graphs:
/// `image;module or file;function bytes`.
///
/// A first hit has no stack: it does not tell the caller. What is drawn is where the bytes are, so the weight is the size of
/// the function, and each function counts once, however many launches used it.
package struct FoldedStacks {
  private let launches: [ExportedLaunch]
  private let wording: NameWording

  package init(_ launches: [ExportedLaunch], wording: @escaping NameWording) {
    self.launches = launches
    self.wording = wording
  }

  /// The functions whose size is unknown, which have no line.
  package var unknownSizes: Int { functions.count { $0.size == nil } }

  /// In ascending order; functions of one name are added up.
  package var text: String {
    var sizes: [String: UInt64] = [:]
    for function in functions {
      guard let size = function.size else { continue }
      sizes[function.stack, default: 0] = [sizes[function.stack] ?? 0, size].saturatingSum()
    }
    return sizes.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
      .map { "\($0.key) \($0.value)\n" }.joined()
  }

  private struct Place: Hashable {
    var image: String
    var address: StatedAddress
  }

  /// Each function of each image once.
  private var functions: [(stack: String, size: UInt64?)] {
    var seen: Set<Place> = []
    var found: [(stack: String, size: UInt64?)] = []
    for launch in launches {
      for hit in launch.hits {
        let image = launch.images[hit.image]
        guard let address = hit.address,
          seen.insert(Place(image: image, address: address)).inserted
        else { continue }
        let name = hit.names.first.map(wording) ?? address.description
        let file = image.split(separator: "/").last.map(String.init) ?? image
        let frames = [file, hit.owner?.description, name].compactMap { $0 }
        found.append((frames.map(Self.frame).joined(separator: ";"), hit.sizeBytes))
      }
    }
    return found
  }

  /// A semicolon separates frames, and the last blank the weight.
  private static func frame(_ name: String) -> String {
    let text = printable(name).map { $0 == ";" ? ":" : String($0) }.joined()
    return text.isEmpty ? "?" : text
  }
}
