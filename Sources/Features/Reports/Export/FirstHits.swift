import Addresses
import ImageModel

/// Where functions are hit first in a launch. Images share names, and local functions of one image do, too.
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
  /// Ascending.
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

  /// The first hit of the function at `address`.
  package func hit(at address: StatedAddress, in image: Int) -> Int? {
    hitOfPlace[Place(image: image, address: address)]
  }

  /// The first hit of a function with this name.
  package func hit(of name: SymbolName, in image: Int) -> Int? {
    hitsOfName[Name(image: image, name: name)]?.first
  }

  /// The first hit of a function with this name that lies on the page of 4 KiB at `page`; else of any with this name, which
  /// may touch a page that it does not lie on.
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
