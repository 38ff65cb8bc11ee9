import Addresses
import ImageModel

/// Finds the first hits of functions in a launch. Several images, or several local functions of one image, may have the
/// same name.
package struct FirstHits {
  private struct Name: Hashable {
    var image: Int
    var name: SymbolName
  }
  private struct Place: Hashable {
    var image: Int
    var address: StatedAddress
  }

  private let hits: [ExportedLaunch.Hit]
  /// The indexes of the hits of functions with each name, ascending.
  private var hitsOfName: [Name: [Int]] = [:]
  private var hitOfPlace: [Place: Int] = [:]

  package init(of launch: ExportedLaunch) {
    hits = launch.hits
    for (index, hit) in hits.enumerated() {
      for name in hit.names {
        hitsOfName[Name(image: hit.image, name: name), default: []].append(index)
      }
      guard let address = hit.address else { continue }
      let place = Place(image: hit.image, address: address)
      hitOfPlace[place] = hitOfPlace[place] ?? index
    }
  }

  /// Returns the first hit of the function at `address`.
  package func hit(at address: StatedAddress, in image: Int) -> Int? {
    hitOfPlace[Place(image: image, address: address)]
  }

  /// Returns the first hit of a function with this name.
  package func hit(of name: SymbolName, in image: Int) -> Int? {
    hitsOfName[Name(image: image, name: name)]?.first
  }

  /// Returns the first hit of a function with this name that lies on the 4 KiB page at `page`. If there is none,
  /// returns the first hit of any function with this name, because a function may touch a page on which it does not
  /// lie.
  package func hit(of name: SymbolName, in image: Int, onPageAt page: StatedAddress) -> Int? {
    let found = hitsOfName[Name(image: image, name: name)] ?? []
    let page = AddressRange(start: page, size: PageSize.fourKibibytes.bytes)
    return found.first { hit in
      hits[hit].address.map {
        AddressRange(start: $0, size: max(1, hits[hit].sizeBytes ?? 1)).intersection(page) != nil
      } ?? false
    } ?? found.first
  }
}
